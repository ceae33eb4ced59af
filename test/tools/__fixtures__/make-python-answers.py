"""Records what CPython answers for random expressions, numbers to be rounded and lists to be summarised.

    python3 test/tools/__fixtures__/make-python-answers.py > test/tools/__fixtures__/python-answers.json

The generator is seeded, so a run on the same Python gives the same file. Expressions are evaluated with the functions of
`math` and nothing else in reach. An answer is a string: `i` and the digits of an int, `f` and the repr of a float, `!` and
the kind of the error. Where an infinite, NaN or complex value comes out, the kind says so. A float whose last bits follow
from libm rather than from IEEE arithmetic is marked `~` in place of `f`; one that a bit of libm moves by more is left out.
"""

import json
import math
import random
import statistics
import sys

rng = random.Random(20261121)
FLOAT_FUNCTIONS = ["sqrt", "exp", "log", "log10", "log2", "sin", "cos", "tan", "asin", "acos", "atan"]
NAMES = {name: getattr(math, name) for name in FLOAT_FUNCTIONS}
NAMES.update({name: getattr(math, name) for name in ["ceil", "floor", "atan2", "degrees", "radians", "factorial", "gcd", "lcm"]})
NAMES.update(abs=abs, round=round, pi=math.pi, e=math.e, tau=math.tau, inf=math.inf)
INEXACT = set(FLOAT_FUNCTIONS) - {"sqrt"} | {"atan2"}
sys.set_int_max_str_digits(0)


class Spy(dict):
    """The names in reach, noting when one is used whose result the C library decides. Such results are moved by a bit."""

    def __init__(self, towards=None):
        super().__init__(NAMES)
        self.inexact = False
        self.towards = towards

    def __getitem__(self, name):
        function = super().__getitem__(name)
        if name not in INEXACT:
            return function
        self.inexact = True
        return function if self.towards is None else lambda *given: math.nextafter(function(*given), self.towards)


def is_stable(text, value):
    """Whether the last bit of a function's result moves no more than the last bits of the whole."""
    for towards in (-math.inf, math.inf):
        try:
            moved = eval(text, {"__builtins__": {}}, Spy(towards))
        except (ArithmeticError, ValueError, TypeError):
            return False
        if abs(moved - value) > 2 * math.ulp(value):
            return False
    return True


def answer(text):
    names = Spy()
    try:
        value = eval(text, {"__builtins__": {}}, names)
    except (ArithmeticError, ValueError, TypeError) as error:
        return "!complex" if "complex" in str(error) else "!" + type(error).__name__
    except SyntaxError:
        return "!syntax"
    except NameError:
        return "!name"
    if not isinstance(value, (int, float, complex)):
        return "!name"
    if isinstance(value, complex):
        return "!complex"
    if isinstance(value, float) and not math.isfinite(value):
        return "!OverflowError" if math.isinf(value) else "!ValueError"
    if isinstance(value, int):
        return "i" + str(value)
    if names.inexact and not is_stable(text, value):
        return None
    return ("~" if names.inexact or fractional_power(text) else "f") + repr(value)


def fractional_power(text):
    """Whether a power may stand in it that only the C library's pow decides."""
    return "**" in text and ("." in text or "/" in text or "e" in text or "p" in text or "-" in text)


def decimal():
    return rng.choice([
        lambda: f"{rng.uniform(-10, 10):.{rng.randint(0, 6)}f}".lstrip("-"),
        lambda: repr(rng.random()),
        lambda: f"{rng.randint(1, 999)}e{rng.randint(-30, 30)}",
        lambda: repr(abs(rng.gauss(0, 1)) * 10.0 ** rng.randint(-320, 308)),
        lambda: rng.choice(["0.0", "0.5", "1.5", "2.5", ".5", "5.", "1e308", "5e-324", "1e16", "9007199254740993.0", "0.1", "1_0.2_5"]),
    ])()


def integer():
    return rng.choice([
        lambda: str(rng.randint(0, 12)),
        lambda: str(rng.randint(0, 1000)),
        lambda: str(rng.getrandbits(rng.randint(1, 200))),
        lambda: rng.choice(["0", "1", "2", "7", "1_000", "0xff", "0b101", "0o17", "9007199254740993", "00", "10"]),
    ])()


def atom():
    return rng.choices([integer, decimal, lambda: rng.choice(["pi", "e", "tau", "inf"])], [6, 5, 0.5])[0]()


def call(depth):
    name = rng.choice(list(NAMES)[:-4])
    if name == "factorial":
        return f"factorial({rng.randint(-1, 60)})"
    if name in ("gcd", "lcm"):
        return f"{name}({', '.join(rng.choice(['', '-']) + integer() for _ in range(rng.randint(0, 4)))})"
    if name == "round" and rng.random() < 0.7:
        return f"round({expression(depth - 1)}, {rng.randint(-6, 12)})"
    given = [expression(depth - 1) for _ in range(2 if name == "atan2" or name == "log" and rng.random() < 0.3 else 1)]
    return f"{name}({', '.join(given)})"


def power(depth):
    base = rng.choice([atom(), f"({expression(depth - 1)})", f"-{atom()}"])
    exponent = rng.choice(["2", "3", "-1", "-2", "0", "0.5", "1.5", "-0.5", "10", "25", "(1/3)", "2**2", "-3", atom() if base[-1] != ")" else "2"])
    return f"{base}**{exponent}"


def expression(depth):
    if depth <= 0 or rng.random() < 0.15:
        return rng.choice(["", "", "", "-", "+", "--"]) + atom()
    return rng.choices([
        lambda: f"{expression(depth - 1)} {rng.choice(['+', '-', '*', '/', '//', '%'])} {expression(depth - 1)}",
        lambda: f"({expression(depth - 1)})",
        lambda: call(depth),
        lambda: power(depth),
        lambda: f"-({expression(depth - 1)})",
    ], [6, 2, 3, 1.5, 0.7])[0]()


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 7.0, -7.0, 1e308, -1e308, 5e-324, -5e-324, math.inf, -math.inf, 1e-9, 3.7, -3.7, 0.1]


def written(value):
    return f"({value!r})" if value < 0 or math.copysign(1, value) < 0 else repr(value)


rows, seen = [], set()


def add(text):
    if text not in seen and len(text) <= 120 and not too_large(text):
        seen.add(text)
        result = answer(text)
        if result is not None and len(result) <= 150:
            rows.append([text, result])


def too_large(text):
    """Powers that would take Python long are left out: they are refused by rules of their own."""
    parts = text.split("**")[1:]
    return len(parts) > 2 or any(part[:6].strip("-+( ").replace("_", "").isdigit() for part in parts)


for left in SPECIAL:
    for right in SPECIAL:
        add(f"{written(left)} {rng.choice(['//', '%'])} {written(right)}")
        if rng.random() < 0.4:
            add(f"{written(left)} ** {written(right)}")
for left in range(-8, 9):
    for right in (-5, -3, 0, 3, 5):
        add(f"{left} // {right}")
        add(f"{left} % {right}")
        add(f"{left} / {right}")
for base in (-3, -1, 0, 1, 2, 10):
    for exponent in (-400, -20, -1, 0, 1, 5, 64):
        add(f"({base})**{exponent}")
for _ in range(400):
    bits = rng.randint(1, 1100), rng.randint(1, 1100)
    if sum(bits) < 300:
        add(f"{rng.getrandbits(bits[0])} / {rng.getrandbits(bits[1]) | 1}")
for n in range(-12, 24):
    add(f"log10(10**{n})")
    add(f"log2(2**{n})")
for text in ["log(10**400)", "log2(10**400)", "log10(10**400)", "log(2**1024)", "sqrt(10**400)", "10**400 / 10**399", "10**400 / 3", "10**308 * 10.0", "10**400 * 1.0",
             "1 / 10**400", "3 / 10**324", "(2**1074 + 1) / 2**1074", "5 / 2**1074", "7 / 2**1076", "1e999", "log(0)", "log(-1)", "log(8, 2)", "log(8, 1)", "log(100, 10)",
             "acos(2)", "sqrt(-1)", "factorial(2.0)", "factorial(-1)", "gcd(2.0)", "gcd()", "lcm()", "lcm(4, 6, 0)", "gcd(-4, 6)", "1 +", "(", ")", "1 2", "sin",
             "012", "0_1", "1__0", "1_", "0x", "0b2", "1.5.2", "..5", "5.e1", "1e", "sqrt()", "sqrt(1, 2)", "log(8, 2,)", "round(2.5,)", "abs(,)", "2 ** -1 ** 2",
             "-2 ** 2", "2 ** 3 ** 2", "-2 ** -2", "--3", "+-+3", "2 ** - 1", "7 // 2 * 2", "7 % -3 ** 2", "1 - 1 - 1", "100 / 10 / 5", "2\t*\t3", "(2\n+ 3)", " 4", "4 # four", "2 +\\\n 3"]:
    add(text)
while len(rows) < 4600:
    add(expression(rng.randint(1, 3)))

roundings = []
for _ in range(900):
    digits = rng.choice([None, 0, 0, 1, 2, 2, 3, 5, 10, -1, -2, -3, 16, 17, 300, 330, -307, -308, -309])
    value = rng.choice([
        lambda: rng.randint(-10**6, 10**6) / 2,
        lambda: float(f"{rng.randint(-10**5, 10**5)}.{rng.randint(0, 999)}5"),
        lambda: rng.uniform(-1, 1) * 10.0 ** rng.randint(-300, 307),
        lambda: rng.randint(-10**20, 10**20),
        lambda: rng.choice([0.5, 1.5, 2.5, 2.675, 1.005, 0.125, 1e22, 5e-324, 1.7976931348623157e308, -0.4, -0.5, 15, 25, 350, -15]),
    ])()
    try:
        rounded = round(value) if digits is None else round(value, digits)
        result = ("i" if isinstance(rounded, int) else "f") + repr(rounded)
    except OverflowError:
        result = "!OverflowError"
    if len(result) < 60:
        roundings.append([("i" if isinstance(value, int) else "f") + repr(value), digits, result])


def some_numbers():
    size = rng.choice([1, 2, 2, 3, 4, 5, 8, 13, 30])
    kind = rng.randint(0, 5)
    return [[
        lambda: rng.gauss(0, 1),
        lambda: float(rng.randint(-100, 100)),
        lambda: 1e9 + rng.random(),
        lambda: rng.uniform(-1, 1) * 10.0 ** rng.randint(-20, 20),
        lambda: rng.uniform(-1, 1) * 10.0 ** rng.randint(-323, 150),
        lambda: rng.choice([0.1, 0.2, 0.3, 1e16, -1e16, 1.0]),
    ][kind]() for _ in range(size)]


summaries = []
for _ in range(250):
    numbers = some_numbers()
    figures = [statistics.mean(numbers), statistics.median(numbers), statistics.stdev(numbers) if len(numbers) > 1 else None,
               min(numbers), max(numbers), math.fsum(numbers)]
    summaries.append([numbers, figures])


def lines(name, values):
    return json.dumps(name) + ": [\n" + ",\n".join(json.dumps(value, separators=(",", ":")) for value in values) + "\n]"


print("{" + ",\n".join([json.dumps("python") + ": " + json.dumps(sys.version.split()[0]), lines("expressions", rows), lines("roundings", roundings), lines("summaries", summaries)]) + "}")
