#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Man pages from what the tools say with --help: man.py BIN_DIRECTORY OUT_DIRECTORY. A page is written for each tool that is
there; nothing is said here that --help says."""
import os
import re
import subprocess
import sys

# page, section: what it is, the commands whose help it consists of, where to read on
PAGES = {
    ("siox", 1): ("run programs against emulated disks, and look at what disks did", ["siox"], "sioxd(8), siox-cc(1), siox.yaml(5)"),
    ("sioxd", 8): ("the daemon that arbitrates disk speeds between jobs", ["sioxd"], "siox(1), siox.yaml(5)"),
    ("siox-cc", 1): ("compile C programs so that they tell the disks what they will do", ["siox-cc --siox-help"],
                     "siox-cxx(1), siox-fc(1), siox-opt(1), siox(1)"),
    ("siox-cxx", 1): ("compile C++ programs so that they tell the disks what they will do", ["siox-cxx --siox-help"], "siox-cc(1)"),
    ("siox-fc", 1): ("compile Fortran programs so that they tell the disks what they will do", ["siox-fc --siox-help"], "siox-cc(1)"),
    ("siox-opt", 1): ("the Siox pass on a file of LLVM bitcode or assembly", ["siox-opt"], "siox-cc(1)"),
    ("siox-rewrite", 1): ("put hints into C sources", ["siox-rewrite"], "siox-cc(1), siox-opt(1)"),
    ("siox.yaml", 5): ("settings of sioxd and siox run", ["sioxd"], "sioxd(8), siox(1)"),
}


def help_of(bin_directory, command):
    words = command.split()
    tool = os.path.join(bin_directory, words[0])
    if not os.path.exists(tool):
        return None
    return subprocess.run([tool, *(words[1:] or ["--help"])], capture_output=True, text=True, check=True).stdout


def literal(text):
    """Lines as they stand."""
    lines = [line.replace("\\", "\\e") for line in text.strip("\n").splitlines()]
    return ".nf\n" + "\n".join("\\&" + line if line[:1] in ".'" else line for line in lines).replace("-", "\\-") + "\n.fi\n"


def sections(page, text):
    if page == "siox.yaml":
        table = text[text.index("KEY "):]
        return [("DESCRIPTION", "One YAML document, KEY: VALUE a line. The command line (\\-\\-set KEY=VALUE) wins over the\n"
                 "environment, and that over the file: the one given with \\-\\-config, named by SIOX_CONFIG, or\n/etc/siox/siox.yaml.\n"),
                ("SETTINGS", literal(table)),
                ("EXAMPLE", literal("mount: /scratch/siox\ndisks: 8\ndrive: 36Z15\ntime_scale: 10"))]
    forms, rest = re.match(r"(.*\n(?: {7}.*\n)*)([\s\S]*)", text).groups()  # lines below "usage: " stand as far in
    synopsis = re.sub(r"^.{7}", "", forms, flags=re.M)
    return [("SYNOPSIS", literal(synopsis)), ("DESCRIPTION", literal(rest))]


def pages(bin_directory):
    """PAGES, and one for each command of siox."""
    found = dict(PAGES)
    text = help_of(bin_directory, "siox")
    if text:
        commands = re.findall(r"^  (\w+) +(.*)$", text, re.M)
        what, own, also = found[("siox", 1)]
        found[("siox", 1)] = (what, own, ", ".join([f"siox-{name}(1)" for name, _ in commands] + [also]))
        for name, does in commands:
            found[(f"siox-{name}", 1)] = (does, [f"siox {name} --help"], "siox(1), sioxd(8)")
    return found


def main(bin_directory, out, version):
    for (page, section), (what, commands, also) in pages(bin_directory).items():
        text = help_of(bin_directory, commands[0])
        if text is None:
            continue
        escaped = page.replace("-", "\\-")
        lines = [f'.\\" Generated from --help.\n.TH "{page.upper()}" {section} "" "Siox {version}" "Siox"\n',
                 f".SH NAME\n{escaped} \\- {what}\n"]
        lines += [f".SH {name}\n{body}" for name, body in sections(page, text)]
        lines.append(".SH SEE ALSO\n" + also.replace("-", "\\-") + "\n")
        directory = os.path.join(out, f"man{section}")
        os.makedirs(directory, exist_ok=True)
        with open(os.path.join(directory, f"{page}.{section}"), "w", encoding="utf-8") as f:
            f.write("".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:4])
