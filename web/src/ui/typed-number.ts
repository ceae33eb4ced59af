/** A number as a person types it: with groups of three digits as the console prints them, with a point or a comma before decimals. */

type TypedNumber =
  | { readonly kind: "none" }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "fault"; readonly fault: string };

interface Kind {
  /** Without decimals, so that a comma can only stand between groups. */
  readonly isWhole: boolean;
}

/** As JavaScript writes it. */
const PLAIN = /^(?:\d+(?<part>\.\d*)?|(?<bare>\.\d+))(?:e[-+]?\d+)?$/i;
/** Groups of three, all behind the same mark; decimals stand behind another one. */
const GROUPED = /^(?<whole>\d{1,3}([,_\s])\d{3}(?:\2\d{3})*)(?:(?!\2)[.,](?<part>\d+))?$/;
const DECIMAL_COMMA = /^(?<whole>\d*),(?<part>\d+)$/;
/** A thousand, or a part of one: nothing else in it tells which. */
const AMBIGUOUS = /^\d*,\d{3}$/;

/** Reads a field. A fault says how to correct it. */
export function readNumber(typed: string, { isWhole }: Kind): TypedNumber {
  const text = typed.trim();
  if (text === "") return { kind: "none" };
  const [, sign = "", digits = ""] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  if (!isWhole && AMBIGUOUS.test(digits)) return fault(twoWays(sign, digits));
  const read = plainForm(digits);
  const value = read === null ? Number.NaN : Number(`${sign}${read.text}`);
  if (!Number.isFinite(value)) return fault("This is not a number.");
  if (isWhole && (read?.hasPart === true || !Number.isInteger(value)))
    return fault("Only whole numbers, such as 100,000.");
  return { kind: "number", value };
}

/**
 * A number above zero, of a field that may stay empty: undefined then, and when it cannot be read. What is wrong is added to
 * `faults` under `field`.
 */
export function readAboveZero(
  typed: string,
  kind: Kind,
  field: string,
  faults: Record<string, string>,
): number | undefined {
  const read = readNumber(typed, kind);
  if (read.kind === "fault") faults[field] = read.fault;
  if (read.kind !== "number") return undefined;
  if (read.value > 0) return read.value;
  faults[field] = "Enter a number above zero, or clear the field.";
  return undefined;
}

/** The digits as JavaScript reads them, and whether decimals were written; null: they are no number. */
function plainForm(digits: string): { readonly text: string; readonly hasPart: boolean } | null {
  const plain = PLAIN.exec(digits)?.groups;
  // With an exponent, 1.5e3 is whole.
  if (plain !== undefined)
    return { text: digits, hasPart: !/e/i.test(digits) && (plain["part"] ?? plain["bare"]) !== undefined };
  const { whole, part } = (GROUPED.exec(digits) ?? DECIMAL_COMMA.exec(digits))?.groups ?? {};
  if (whole === undefined) return null;
  const joined = whole.replaceAll(/\D/g, "");
  return { text: part === undefined ? joined : `${joined}.${part}`, hasPart: part !== undefined };
}

function twoWays(sign: string, digits: string): string {
  const thousands = String(Number(digits.replace(",", "")));
  const decimals = `${digits.startsWith(",") ? "0" : ""}${digits.replace(",", ".")}`;
  return `A comma before three digits can mean two things: write ${sign}${thousands} or ${sign}${decimals}.`;
}

function fault(text: string): TypedNumber {
  return { kind: "fault", fault: text };
}
