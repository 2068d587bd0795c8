# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a program is compiled and run: level and form of the pass, ranks, sanitizer, what the compiler is told, policy."""

import random
from dataclasses import dataclass

BUILDS = [("O0", "guard"), ("O2", "guard"), ("O3", "guard"), ("O2", "split"), ("O3", "split")]  # splitting needs -O1
SETTINGS = ["none", "layouts", "lead", "tb"]
POLICIES = ["siox", "siox", "siox", "claims", "rt", "com"]


@dataclass(frozen=True)
class Variant:
    level: str
    form: str
    ranks: int
    sanitizer: str  # plain or ubsan
    setting: str
    policy: str

    def __str__(self):
        return f"{self.level}-{self.form}-n{self.ranks}-{self.sanitizer}-{self.setting}-{self.policy}"

    @staticmethod
    def parse(text):
        """A variant as str() writes it; ValueError says what is wrong."""
        parts = text.split("-")
        if len(parts) != 6 or not parts[2].startswith("n") or not parts[2][1:].isdigit():
            raise ValueError(f"{text!r} is not LEVEL-FORM-nRANKS-SANITIZER-SETTING-POLICY, as in O2-split-n3-plain-lead-siox")
        v = Variant(parts[0], parts[1], int(parts[2][1:]), *parts[3:])
        known = [((v.level, v.form), BUILDS), (v.sanitizer, ["plain", "ubsan"]), (v.setting, SETTINGS), (v.policy, POLICIES)]
        for what, among in known:
            if what not in among:
                raise ValueError(f"{text!r}: {what} is none of {', '.join(map(str, dict.fromkeys(among)))}")
        if not 1 <= v.ranks <= 64:
            raise ValueError(f"{text!r}: 1 to 64 ranks")
        return v


def full(seed):
    """Every level and form on 1 to 4 ranks, and under the sanitizer on a drawn number of them; setting and policy are drawn."""
    variants = []
    for level, form in BUILDS:
        for sanitizer in ("plain", "ubsan"):
            r = random.Random(f"full-{seed}-{level}-{form}-{sanitizer}")
            setting = r.choice(SETTINGS)
            ranks = (1, 2, 3, 4) if sanitizer == "plain" else (r.randint(1, 4),)
            variants += [Variant(level, form, n, sanitizer, setting, r.choice(POLICIES)) for n in ranks]
    return variants


def drawn(seed):
    r = random.Random(f"variant-{seed}")
    return [Variant(*r.choice(BUILDS), r.randint(1, 4), r.choice(["plain", "ubsan"]), r.choice(SETTINGS), r.choice(POLICIES))]


def environment(variant, layouts):
    """Settings of the pass, as environment."""
    e = {"SIOX_FORM": variant.form}
    if variant.setting != "none":
        e |= {"SIOX_LAYOUTS": layouts, "SIOX_DISKS": "8"}
    if variant.setting == "lead":
        e["SIOX_LEAD"] = "4"  # LEAD of loops.py
    if variant.setting == "tb":
        e["SIOX_TB_NS"] = "50000"
    return e
