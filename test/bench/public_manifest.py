# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What public.py reads: a JSON file of programs and how each is compiled and run. Whatever is wrong in it is said with the
file, the program and the key."""

import json
import re

LANGUAGES = ("c", "c++", "fortran")


class Slip(Exception):
    """Something in a manifest that is not as it must be."""


def text(value):
    return isinstance(value, str) and value != ""


def texts(value):
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def patterns(value):
    try:
        return texts(value) and all(re.compile(pattern) for pattern in value)
    except re.error:
        return False


def named_texts(value):
    return isinstance(value, dict) and all(isinstance(word, str) for word in value.values())


# key: (what it must be, in words; the test; the default, None where the key must be there)
PROGRAM = {
    "name": ("a name", text, None),
    "repository": ("owner/name", lambda v: text(v) and v.count("/") == 1 and all(v.split("/")), None),
    "commit": ("the commit that was tried", lambda v: isinstance(v, str), ""),
    "folder": ("where it lies below --sources", text, ""),  # "": owner+name
    "directory": ("a folder inside it", text, "."),
    "language": (" or ".join(LANGUAGES), lambda v: v in LANGUAGES, "c"),
    "sources": ("a list of files", lambda v: texts(v) and v != [], None),
    "flags": ("a list of options", texts, []),
    "libraries": ("a list of options", texts, []),
    "files": ("texts by file name", named_texts, {}),  # written beside the program before it is compiled
    "what": ("a line of text", lambda v: isinstance(v, str), ""),
    "runs": ("a list of runs", lambda v: isinstance(v, list) and v != [], None),
}
RUN = {
    "arguments": ("a list of words", texts, []),
    "ranks": ("a list of numbers from 1 on", lambda v: isinstance(v, list) and v != [] and all(
        isinstance(n, int) and 1 <= n <= 64 for n in v), [1, 2, 4]),
    "inputs": ("texts or sizes in bytes, by file name", lambda v: isinstance(v, dict) and all(
        isinstance(x, str) or (isinstance(x, int) and 0 <= x <= 1 << 30) for x in v.values()), {}),
    "before": ("a list of lists of words", lambda v: isinstance(v, list) and all(map(texts, v)), []),
    "layouts": ("layouts by pattern", named_texts, {"*": "0:4:64K"}),
    "disks": ("a number from 1 on", lambda v: isinstance(v, int) and 1 <= v <= 1024, 8),
    "time_scale": ("a number from 1 on", lambda v: isinstance(v, (int, float)) and v >= 1, 20),
    "environment": ("texts by name", named_texts, {}),
    "status": ("a number", lambda v: isinstance(v, int), 0),  # what the program ends with, with the pass and without
    "ignore": ("a list of regular expressions", patterns, []),  # lines of output that differ from run to run, times say
    "compare": ("true or false", lambda v: isinstance(v, bool), True),  # false: outputs are random by intent
}


def filled(where, given, keys):
    """The keys of given with defaults for what is not there."""
    if not isinstance(given, dict):
        raise Slip(f"{where}: an object is needed")
    for key in given:
        if key not in keys:
            raise Slip(f"{where}: {key}: no such key; there are {', '.join(sorted(keys))}")
    out = {}
    for key, (words, good, default) in keys.items():
        if key not in given:
            if default is None:
                raise Slip(f"{where}: {key} is not there ({words})")
            out[key] = default
        elif not good(given[key]):
            raise Slip(f"{where}: {key}: {words} is needed, not {json.dumps(given[key])}")
        else:
            out[key] = given[key]
    return out


def read(path):
    """The programs of a manifest, every key filled in. Raises Slip."""
    try:
        with open(path, encoding="utf-8") as f:
            content = json.load(f)
    except (OSError, UnicodeDecodeError) as error:
        raise Slip(f"{path}: {error.strerror if isinstance(error, OSError) else error}") from error
    except json.JSONDecodeError as error:
        raise Slip(f"{path}:{error.lineno}: {error.msg}") from error
    if not isinstance(content, dict) or not isinstance(content.get("programs"), list):
        raise Slip(f"{path}: an object with a list programs is needed")
    programs = []
    for i, given in enumerate(content["programs"]):
        name = given.get("name") if isinstance(given, dict) else None
        where = f"{path}: {name if text(name) else 'program %d' % (i + 1)}"
        program = filled(where, given, PROGRAM)
        program["runs"] = [filled(f"{where}: run {n + 1}", run, RUN) for n, run in enumerate(program["runs"])]
        program["folder"] = program["folder"] or program["repository"].replace("/", "+")
        if any(program["name"] == other["name"] for other in programs):
            raise Slip(f"{where}: this name is there twice")
        programs.append(program)
    return programs
