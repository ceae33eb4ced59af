/** The keywords about one value: its type, its allowed values, numbers and texts. */
import { getOwn } from "../../base/own-field.ts";
import { toCanonicalJson } from "../../base/canonical-json.ts";
import { findFormat, getFormatWork } from "./formats.ts";
import { type KeywordContext, readCount, readNumber, SchemaFault } from "./keyword.ts";
import type { Check } from "./run.ts";

const TYPES: ReadonlySet<string> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);
/** Characters of a list of allowed values in a message. */
const SHOWN_CHARACTERS = 300;
/** Characters that a unit of work reads. */
const CHARACTERS_A_UNIT = 4;
/** Work to serialise a value for comparison, besides a unit for each character. */
const WRITE_WORK = 30;
/** Work to compare two numbers digit by digit, plus a unit for each digit between them. */
const EXACT_WORK = 60;

/** `type`. A number without a fraction is an integer, however it was written. */
export function createTypeCheck({ schema, pointer }: KeywordContext): Check | null {
  const given = schema["type"];
  if (given === undefined) return null;
  const types = Array.isArray(given) ? given : [given];
  if (types.length === 0 || !types.every((type) => typeof type === "string" && TYPES.has(type))) {
    throw new SchemaFault(`${pointer}/type`, `expected one or more of ${[...TYPES].join(", ")}`);
  }
  const allowed = new Set<unknown>(types);
  const expected = types.join(" or ");
  return (value, place, run) => {
    const type = getType(value);
    if (allowed.has(type)) return true;
    if (type === "number" && allowed.has("integer") && Number.isInteger(value)) return true;
    const got = type === "number" && allowed.has("integer") ? "a number with a fraction" : type;
    return run.report(place, `Expected ${expected}, got ${got}`);
  };
}

/** Returns the JSON type of a value. */
function getType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** `enum` and `const`. */
export function createAllowedValuesCheck({ schema, pointer }: KeywordContext): Check | null {
  const listed = schema["enum"];
  if (listed !== undefined && !Array.isArray(listed)) throw new SchemaFault(`${pointer}/enum`, "expected a list");
  const lists: readonly (readonly unknown[])[] = [
    ...(listed === undefined ? [] : [listed]),
    ...(Object.hasOwn(schema, "const") ? [[schema["const"]]] : []),
  ];
  if (lists.length === 0) return null;
  const checks = lists.map((values) => {
    const texts = values.map((value) => toCanonicalJson(value));
    const listed = texts.join(", ");
    const few = listed.length > SHOWN_CHARACTERS ? `${listed.slice(0, SHOWN_CHARACTERS)}…` : listed;
    return { texts: new Set(texts), expected: texts.length === 1 ? few : `one of ${few}` };
  });
  return (value, place, run) => {
    const text = toCanonicalJson(value);
    run.spend(WRITE_WORK + text.length);
    const failed = checks.find(({ texts }) => !texts.has(text));
    return failed === undefined || run.report(place, `Expected ${failed.expected}`);
  };
}

/** `minimum`, `maximum` and their exclusive forms: numbers, or true and false as draft 4 has them. */
export function createRangeCheck(context: KeywordContext): Check | null {
  const minimum = readNumber(context, "minimum");
  const maximum = readNumber(context, "maximum");
  const [above, isAbove] = readExclusive(context, "exclusiveMinimum", minimum);
  const [below, isBelow] = readExclusive(context, "exclusiveMaximum", maximum);
  if (minimum === undefined && maximum === undefined && above === undefined && below === undefined) return null;
  return (value, place, run) => {
    if (typeof value !== "number") return true;
    if (minimum !== undefined && !isAbove && value < minimum) return run.report(place, `Expected at least ${minimum}`);
    if (maximum !== undefined && !isBelow && value > maximum) return run.report(place, `Expected at most ${maximum}`);
    if (above !== undefined && value <= above) return run.report(place, `Expected more than ${above}`);
    if (below !== undefined && value >= below) return run.report(place, `Expected less than ${below}`);
    return true;
  };
}

/** Returns the exclusive bound, and whether it replaces the inclusive one. */
function readExclusive(
  context: KeywordContext,
  keyword: string,
  inclusive: number | undefined,
): readonly [bound: number | undefined, isTaken: boolean] {
  const value = getOwn(context.schema, keyword);
  if (value === true) return [inclusive, true];
  return value === false ? [undefined, false] : [readNumber(context, keyword), false];
}

/** `multipleOf`, exact in decimal digits: 0.3 is a multiple of 0.1. */
export function createMultipleCheck(context: KeywordContext): Check | null {
  const divisor = readNumber(context, "multipleOf");
  if (divisor === undefined) return null;
  if (divisor <= 0) throw new SchemaFault(`${context.pointer}/multipleOf`, "expected a number above 0");
  return (value, place, run) => {
    if (typeof value !== "number") return true;
    const [digits, of] = [toDecimal(value), toDecimal(divisor)];
    run.spend(EXACT_WORK + Math.abs(digits.exponent - of.exponent));
    return isMultiple(digits, of) || run.report(place, `Expected a multiple of ${divisor}`);
  };
}

function isMultiple(a: Decimal, b: Decimal): boolean {
  const shift = a.exponent - b.exponent;
  return shift >= 0
    ? (a.digits * 10n ** BigInt(shift)) % b.digits === 0n
    : a.digits % (b.digits * 10n ** BigInt(-shift)) === 0n;
}

/** A number as the shortest decimal digits that give it, times a power of ten. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function toDecimal(value: number): Decimal {
  const [mantissa = "0", exponent = "0"] = Math.abs(value).toExponential().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** `minLength` and `maxLength`, in Unicode code points. */
export function createLengthCheck(context: KeywordContext): Check | null {
  const min = readCount(context, "minLength");
  const max = readCount(context, "maxLength");
  if (min === undefined && max === undefined) return null;
  return (value, place, run) => {
    if (typeof value !== "string") return true;
    run.spend(value.length / CHARACTERS_A_UNIT);
    let length = 0;
    for (const _ of value) length += 1;
    if (min !== undefined && length < min)
      return run.report(place, `Expected at least ${min} characters, got ${length}`);
    if (max !== undefined && length > max)
      return run.report(place, `Expected at most ${max} characters, got ${length}`);
    return true;
  };
}

/** `pattern`: it may match anywhere in the text. */
export function createPatternCheck({ schema, pointer, pattern }: KeywordContext): Check | null {
  const source = schema["pattern"];
  if (source === undefined) return null;
  if (typeof source !== "string") throw new SchemaFault(`${pointer}/pattern`, "expected a text");
  const compiled = pattern(source, `${pointer}/pattern`);
  return (value, place, run) => {
    if (typeof value !== "string") return true;
    run.spend(compiled.size * (value.length + CHARACTERS_A_UNIT));
    return compiled.test(value) || run.report(place, `Expected text that matches ${source}`);
  };
}

/** `format`, if `formats.ts` knows it; otherwise ignored. */
export function createFormatCheck({ schema, pointer }: KeywordContext): Check | null {
  const name = schema["format"];
  if (name === undefined) return null;
  if (typeof name !== "string") throw new SchemaFault(`${pointer}/format`, "expected a text");
  const fits = findFormat(name);
  if (fits === null) return null;
  const work = getFormatWork(name);
  return (value, place, run) => {
    if (typeof value !== "string") return true;
    run.spend(value.length + work);
    return fits(value) || run.report(place, `Expected text of the format ${name}`);
  };
}
