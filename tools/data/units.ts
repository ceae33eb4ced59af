/**
 * The units and how much each is of its category's first one. Factors are exact: those of the international yard and pound
 * (1959), the US customary measures of volume (a gallon is 231 cubic inches), and NIST SP 811. A year is 365.25 days.
 */
import { getOwn } from "../../core/base/own-field.ts";

/** A number as a fraction of whole numbers; the lower one is above 0. */
export interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

/** What a unit measures, and the way to its category's first unit: `(value + shift) * factor`. */
export interface Unit {
  readonly category: string;
  readonly factor: Fraction;
  readonly shift: Fraction;
}

/** By category: the names of a unit, and its factor as a decimal or as `a/b`. */
const FACTORS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  length: {
    m: "1",
    mm: "0.001",
    cm: "0.01",
    km: "1000",
    "in inch": "0.0254",
    "ft foot feet": "0.3048",
    "yd yard": "0.9144",
    "mi mile miles": "1609.344",
    nmi: "1852",
    ly: "9460730472580800",
  },
  mass: {
    kg: "1",
    mg: "0.000001",
    g: "0.001",
    "t tonne": "1000",
    oz: "0.028349523125",
    "lb lbs pound pounds": "0.45359237",
    stone: "6.35029318",
    ton: "907.18474",
  },
  volume: {
    "l litre liter": "1",
    cl: "0.01",
    dl: "0.1",
    ml: "0.001",
    m3: "1000",
    cm3: "0.001",
    mm3: "0.000001",
    tsp: "0.00492892159375",
    tbsp: "0.01478676478125",
    floz: "0.0295735295625",
    cup: "0.2365882365",
    "pt pint": "0.473176473",
    "qt quart": "0.946352946",
    "gal gallon": "3.785411784",
  },
  time: {
    "s sec second seconds": "1",
    ns: "0.000000001",
    us: "0.000001",
    ms: "0.001",
    "min minute minutes": "60",
    "h hr hour hours": "3600",
    "d day days": "86400",
    "week weeks": "604800",
    "year years": "31557600",
  },
  speed: {
    "m/s mps": "1",
    "km/h kph": "5/18",
    mph: "0.44704",
    "knot knots": "463/900",
    "ft/s": "0.3048",
  },
  area: {
    m2: "1",
    mm2: "0.000001",
    cm2: "0.0001",
    km2: "1000000",
    "ha hectare": "10000",
    acre: "4046.8564224",
    "ft2 sqft": "0.09290304",
    yd2: "0.83612736",
    mi2: "2589988.110336",
  },
  data: {
    "byte b": "1",
    bit: "1/8",
    kb: "1000",
    kib: "1024",
    mb: "1000000",
    mib: "1048576",
    gb: "1000000000",
    gib: "1073741824",
    tb: "1000000000000",
    tib: "1099511627776",
    pb: "1000000000000000",
  },
  temperature: {
    "k kelvin": "1",
    "c celsius °c": "1",
    "f fahrenheit °f": "5/9",
  },
};

/** What is added to a temperature before its factor gives kelvins. */
const SHIFTS: Readonly<Record<string, string>> = { "c celsius °c": "273.15", "f fahrenheit °f": "459.67" };

const ZERO: Fraction = { over: 0n, under: 1n };

const UNITS: ReadonlyMap<string, Unit> = new Map(
  Object.entries(FACTORS).flatMap(([category, units]) =>
    Object.entries(units).flatMap(([names, factor]) => {
      const unit: Unit = { category, factor: readFraction(factor), shift: readFraction(getOwn(SHIFTS, names) ?? "0") };
      return names.split(" ").map((name) => [name, unit] as const);
    }),
  ),
);

/** Every name of every unit, by category. */
export function unitNames(): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const [name, { category }] of UNITS) names.set(category, [...(names.get(category) ?? []), name]);
  return names;
}

/** The units by one name each, for people and models to read. */
export function listUnits(): string {
  const categories = Object.entries(FACTORS).map(([category, units]) => {
    const names = Object.keys(units).map((all) => all.split(" ")[0]);
    return `${category} (${names.join(" ")})`;
  });
  return categories.join(", ");
}

/** The unit of that name, in whatever case it is written. No two units differ by their case alone. */
export function findUnit(name: string): Unit | null {
  return UNITS.get(name.trim().toLowerCase()) ?? null;
}

/** A value in another unit of the same category, exact. */
export function convertExactly(value: Fraction, from: Unit, to: Unit): Fraction {
  return minus(divide(times(plus(value, from.shift), from.factor), to.factor), to.shift);
}

/** Whether the temperature is below the lowest there is. */
export function isBelowZeroKelvin(value: Fraction, from: Unit): boolean {
  return from.category === "temperature" && plus(value, from.shift).over < ZERO.over;
}

/** A number by its shortest decimal digits: 0.1 is one tenth. Reads `1.5e-7` and `5/18`. */
export function readFraction(text: string): Fraction {
  const [above = "0", below] = text.split("/");
  if (below !== undefined) return { over: BigInt(above), under: BigInt(below) };
  const [digits = "0", exponent = "0"] = above.split("e");
  const [whole = "0", fraction = ""] = digits.split(".");
  const power = Number(exponent) - fraction.length;
  const over = BigInt(whole + fraction);
  return power >= 0 ? { over: over * 10n ** BigInt(power), under: 1n } : { over, under: 10n ** BigInt(-power) };
}

/** Digits of a quotient that are taken over; a double has 17. */
const DIGITS = 40;

/** The number nearest to a fraction; infinite when it is too large for one. */
export function toNumber({ over, under }: Fraction): number {
  const sign = over < 0n ? "-" : "";
  const positive = over < 0n ? -over : over;
  const power = DIGITS + under.toString().length - positive.toString().length;
  const quotient = power >= 0 ? (positive * 10n ** BigInt(power)) / under : positive / (under * 10n ** BigInt(-power));
  return Number(`${sign}${quotient}e${-power}`);
}

function plus(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.under + b.over * a.under, under: a.under * b.under };
}

function minus(a: Fraction, b: Fraction): Fraction {
  return plus(a, { over: -b.over, under: b.under });
}

function times(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.over, under: a.under * b.under };
}

function divide(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.under, under: a.under * b.over };
}
