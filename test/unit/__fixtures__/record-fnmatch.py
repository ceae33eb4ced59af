"""Records what CPython's fnmatch.fnmatchcase answers.

    python3 test/unit/__fixtures__/record-fnmatch.py > test/unit/__fixtures__/fnmatch.json

Each row is [name, pattern, answer]. The generator is seeded, so a run on the same Python gives the same file. Lone
surrogates are left out: JSON carries them, but they are no characters in either language.
"""

import fnmatch
import json
import random
import warnings

warnings.simplefilter("ignore")
rng = random.Random(20261121)
ATOMS = list("aabbcz09AZ.-_/") + ["é", "😀", "\n", "^", "&", "|", "~", "\\", "]", "[", "!", "(", ")", "{", "}", ","]
META = ["*", "*", "?", "[", "]", "[!", "-", "a-c", "z-a", "[]", "[!]", "[a-c]", "[!a-c]", "[z-a]", "[-a]", "[a-]", "**", "[^a]", "[a-b-c]", "[--/]", "[z-a!b]"]


def text(atoms, low, high):
    return "".join(rng.choice(atoms) for _ in range(rng.randint(low, high)))


def bracket():
    return rng.choice(["[", "[!"]) + text(ATOMS + ["-", "-", "-"], 0, 6) + rng.choice(["]", "]", "]", ""])


def pattern():
    parts = []
    for _ in range(rng.randint(0, 6)):
        parts.append(rng.choice([lambda: rng.choice(META), lambda: rng.choice(ATOMS), bracket])())
    return "".join(parts)


def related(pat):
    """A name that stands a chance of matching."""
    name = []
    for c in pat:
        name.append(text(ATOMS, 0, 3) if c == "*" else rng.choice(ATOMS) if c in "?[]!" else c)
    return "".join(name)


rows, seen = [], set()


def add(name, pat):
    if (name, pat) not in seen:
        seen.add((name, pat))
        rows.append([name, pat, fnmatch.fnmatchcase(name, pat)])


for pat in META:
    for name in ["", "a", "b", "z", "-", "]", "!", "^", "a-c", "[", "[]", "[!", "/", "."]:
        add(name, pat)
for _ in range(2500):
    pat = pattern()
    add(related(pat), pat)
    add(text(ATOMS, 0, 6), pat)
for _ in range(1500):
    pat = bracket()
    for _ in range(2):
        add(rng.choice(ATOMS), pat)

print("[")
print(",\n".join(json.dumps(row) for row in rows))
print("]")
