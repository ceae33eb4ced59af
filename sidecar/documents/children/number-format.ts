/**
 * Formats numbers as a spreadsheet does, by their format code (ECMA-376, part 1, 18.8.30 and 18.8.31). Formats that depend on the reader's
 * country give ISO dates.
 */

const BUILT_IN: Readonly<Record<number, string>> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  14: "yyyy-mm-dd",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "yyyy-mm-dd h:mm",
  37: "#,##0;(#,##0)",
  38: "#,##0;(#,##0)",
  39: "#,##0.00;(#,##0.00)",
  40: "#,##0.00;(#,##0.00)",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mm:ss.0",
  48: "##0.0E+0",
};

/** Returns the code of a format that the workbook does not define itself. */
export function getBuiltInFormat(id: number): string {
  const isEastAsianDate = (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  return BUILT_IN[id] ?? (isEastAsianDate ? "yyyy-mm-dd" : "General");
}

const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const DAY_S = 86_400;
/** Spreadsheet programs write no longer codes. */
const MAX_CODE_CHARACTERS = 255;
const LAST_SERIAL = 2_958_466;

/** `is1904` means that the workbook counts days from 1904. */
export function formatNumber(value: number, code: string, is1904 = false): string {
  if (code.length > MAX_CODE_CHARACTERS) return formatGeneral(value);
  const sections = splitSections(code);
  const [positive = "General", negative, zero] = sections;
  if (value < 0 && negative !== undefined) return formatSection(-value, negative, is1904);
  if (value === 0 && zero !== undefined) return formatSection(0, zero, is1904);
  return formatSection(value, positive, is1904);
}

function formatSection(value: number, section: string, is1904: boolean): string {
  const bare = section.replaceAll(/"[^"]*"|\\.|_.|\*./g, "");
  if (/general/i.test(bare) || bare.includes("@") || section.trim() === "") return formatGeneral(value);
  if (/[dyhs]|m/i.test(bare.replaceAll(/\[[^\]]*\]|E[+-]/gi, "")) || /\[(h+|m+|s+)\]/i.test(bare))
    return value < 0 || value >= LAST_SERIAL ? formatGeneral(value) : formatDate(value, section, is1904);
  return bare.includes("/") ? formatGeneral(value) : formatDigits(value, section);
}

/** Formats a number without a format code, with a spreadsheet's 15 digits. */
function formatGeneral(value: number): string {
  return String(Number(value.toPrecision(15)));
}

function splitSections(code: string): string[] {
  return code.match(/(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])+/g) ?? [];
}

/** Formats literal text around one group of digits. */
function formatDigits(value: number, section: string): string {
  const parts = section.match(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*.|[0#?.,]+(?:E[+-][0#?]+)?|./gi) ?? [];
  const at = parts.findIndex((part) => /^[0#?.,]/.test(part));
  const percents = parts.filter((part) => part === "%").length;
  const sign = value < 0 ? "-" : "";
  const scaled = Math.abs(value) * 100 ** percents;
  const formatted = parts.map((part, index) => {
    if (index === at) return formatPattern(scaled, part);
    if (/^[0#?.,]/.test(part)) return "";
    return formatLiteral(part);
  });
  return sign + formatted.join("").trim();
}

function formatLiteral(part: string): string {
  if (part.startsWith('"')) return part.slice(1, -1);
  if (part.startsWith("\\")) return part.slice(1);
  if (part.startsWith("[")) return /^\[\$([^\]-]*)/.exec(part)?.[1] ?? "";
  if (part.startsWith("_")) return " ";
  return part.startsWith("*") ? "" : part;
}

function formatPattern(value: number, pattern: string): string {
  const [mantissa = "", exponent] = pattern.split(/E[+-]/i);
  if (exponent !== undefined) return formatScientific(value, mantissa, exponent.length);
  // Each comma at the end of either part divides by 1,000.
  const scale = Array.from(mantissa.matchAll(/,+(?=\.|$)/g), ([commas]) => commas.length).reduce((a, b) => a + b, 0);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const places = Math.min(fraction.replaceAll(/[^0#?]/g, "").length, 30);
  const needed = fraction.replaceAll(/[^0?]/g, "").length;
  const [left = "", right = ""] = roundHalfUp(value / 1_000 ** scale, places).split(".");
  const padded = left === "0" && !/[0?]/.test(whole) ? "" : left.padStart(whole.replaceAll(/[^0]/g, "").length, "0");
  const grouped = /[0#?],+[0#?]/.test(whole) ? padded.replaceAll(/\B(?=(\d{3})+$)/g, ",") : padded;
  const decimals = right.replace(/0+$/, "").padEnd(needed, "0");
  return decimals === "" ? grouped : `${grouped}.${decimals}`;
}

function formatScientific(value: number, mantissa: string, exponentDigits: number): string {
  const places = (mantissa.split(".")[1] ?? "").length;
  const [base = "", exponent = "0"] = value.toExponential(Math.min(places, 20)).split("e");
  const sign = exponent.startsWith("-") ? "-" : "+";
  return `${base}E${sign}${exponent.replace(/^[+-]/, "").padStart(exponentDigits, "0")}`;
}

/** Rounds decimal halves away from zero: 1.005 to two places is 1.01. */
function roundHalfUp(value: number, places: number): string {
  const exact = Number(value.toPrecision(15));
  const shifted = Number(`${exact}e${places}`);
  return Number.isFinite(shifted) && !String(exact).includes("e")
    ? Number(`${Math.round(shifted)}e-${places}`).toFixed(places)
    : exact.toFixed(places);
}

function formatDate(serial: number, section: string, is1904: boolean): string {
  const parts = section.match(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*.|AM\/PM|A\/P|\.0+|y+|m+|d+|h+|s+|./gi) ?? [];
  const hasFraction = parts.some((part) => part.startsWith(".0"));
  const seconds = hasFraction ? Math.round(serial * DAY_S * 1_000) / 1_000 : Math.round(serial * DAY_S);
  const date = new Date(getEpochMs(serial, is1904) + seconds * 1_000);
  const isTwelve = parts.some((part) => /^(AM\/PM|A\/P)$/i.test(part));
  const formatted = parts.map((part, index) => {
    if (/^\[(h+|m+|s+)\]$/i.test(part)) return formatElapsed(part, seconds);
    if (/^["\\_*[]/.test(part)) return formatLiteral(part);
    return formatDatePart(part.toLowerCase(), { date, isTwelve, seconds, isMinute: isMinute(parts, index) });
  });
  return formatted.join("").trim();
}

/** Days before 1 March 1900 omit the nonexistent 29 February 1900 that later days count. */
function getEpochMs(serial: number, is1904: boolean): number {
  if (is1904) return Date.UTC(1904, 0, 1);
  return serial >= 60 ? Date.UTC(1899, 11, 30) : Date.UTC(1899, 11, 31);
}

function formatElapsed(part: string, seconds: number): string {
  const unit = part[1]?.toLowerCase();
  const value = Math.floor(seconds / (unit === "h" ? 3_600 : unit === "m" ? 60 : 1));
  return String(value).padStart(part.length - 2, "0");
}

/** An `m` is a minute after an hour and before a second. */
function isMinute(parts: readonly string[], index: number): boolean {
  const isLetter = (part: string) => /^\[?[ymdhs]/i.test(part);
  const before = parts.slice(0, index).findLast(isLetter) ?? "";
  const after = parts.slice(index + 1).find(isLetter) ?? "";
  return /^\[?h/i.test(before) || /^\[?s/i.test(after);
}

interface Moment {
  readonly date: Date;
  readonly isTwelve: boolean;
  readonly seconds: number;
  readonly isMinute: boolean;
}

function formatDatePart(part: string, { date, isTwelve, seconds, isMinute: minute }: Moment): string {
  const hour = date.getUTCHours();
  const two = (value: number) => String(value).padStart(part.length >= 2 ? 2 : 1, "0");
  switch (part[0]) {
    case "y":
      return part.length > 2 ? String(date.getUTCFullYear()) : String(date.getUTCFullYear() % 100).padStart(2, "0");
    case "d":
      return part.length > 2 ? shortenName(DAYS[date.getUTCDay()], part.length) : two(date.getUTCDate());
    case "m":
      if (minute) return two(date.getUTCMinutes());
      return part.length > 2 ? shortenName(MONTHS[date.getUTCMonth()], part.length) : two(date.getUTCMonth() + 1);
    case "h":
      return two(isTwelve ? ((hour + 11) % 12) + 1 : hour);
    case "s":
      return two(date.getUTCSeconds());
    case "a":
      return part.length > 1 ? (hour < 12 ? "AM" : "PM") : part;
    case ".":
      return part.length > 1 ? (seconds % 1).toFixed(part.length - 1).slice(1) : part;
    default:
      return part;
  }
}

function shortenName(whole: string | undefined, letters: number): string {
  const text = whole ?? "";
  if (letters === 5) return text.slice(0, 1);
  return letters === 3 ? text.slice(0, 3) : text;
}
