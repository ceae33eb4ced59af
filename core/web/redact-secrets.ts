/**
 * Takes the values of secrets out of what came back from outside, and puts the references in their place: as they are,
 * with characters escaped as URLs, JSON and HTML escape them, and as base64, hex or UTF-16. What a server does to a value
 * beyond that (a cipher, a part of it) is not found.
 */
import { referenceTo } from "./secret-references.ts";

/** A secret and its value. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/** Takes known values out of texts and bytes. */
export interface Redactor {
  text(text: string): string;
  /** The same bytes when nothing was found. */
  bytes(bytes: Uint8Array): Uint8Array;
  /** The names of the secrets whose values stand in the text. */
  foundIn(text: string): string[];
}

/** A character of the longest escaped form (`\u00e9` of a byte) has so many times the bytes of the value. */
export const LONGEST_FORM = 6;
/** Of a value in base64, so many characters stand for nothing else. Fewer stand in any text. */
const MIN_BASE64 = 4;
/**
 * Comparisons for all secrets in one text. Where it repeats what values begin with they can be many, and a server knows the
 * values that were sent to it; beyond so many nothing of the text is shown.
 */
const MAX_STEPS = 4_000_000;
const BASE64_CHARACTER = /[A-Za-z0-9+/_-]/;

/** A stretch of the text, to its end without it. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** A text, and the same in small letters. */
interface Haystack {
  readonly text: string;
  readonly folded: string;
}

/** Comparisons that may still be made. */
interface Steps {
  left: number;
}

/** The spellings of one character of a value, in small letters: the case of letters means nothing. */
type Unit = readonly string[];

/** What is looked for of one secret. Everything is a string of bytes: a character is a byte. */
interface Wanted {
  readonly name: string;
  readonly units: readonly Unit[];
  /** What the value can begin with. */
  readonly starts: ReadonlySet<string>;
  readonly base64: readonly string[];
  readonly plain: readonly string[];
  readonly hex: string;
}

/** Makes one for these secrets. An empty list takes out nothing. */
export function makeRedactor(secrets: readonly KnownSecret[]): Redactor {
  // A value that holds another one comes first.
  const wanted = secrets.toSorted((a, b) => b.value.length - a.value.length).map(wantedOf);

  function redact(haystack: string): string {
    const steps: Steps = { left: MAX_STEPS };
    return wanted.reduce((rest, one) => replaceSpans(rest, spansOf(rest, one, steps)), foldedOf(haystack)).text;
  }

  return {
    text(text) {
      const haystack = asBytes(text);
      const redacted = redact(haystack);
      if (redacted === haystack) return text;
      return haystack === text ? redacted : fromUtf8(redacted);
    },
    bytes(bytes) {
      if (wanted.length === 0) return bytes;
      const haystack = toBinary(bytes);
      const redacted = redact(haystack);
      return redacted === haystack ? bytes : fromBinary(redacted);
    },
    foundIn(text) {
      const haystack = foldedOf(asBytes(text));
      const steps: Steps = { left: MAX_STEPS };
      return wanted.filter((one) => spansOf(haystack, one, steps).length > 0).map(({ name }) => name);
    },
  };
}

function wantedOf({ name, value }: KnownSecret): Wanted {
  const units = Array.from(value, unitOf);
  const first = units[0];
  const utf8 = utf8Of(value);
  return {
    name,
    units,
    starts: new Set((first ?? []).map((spelling) => spelling.charAt(0))),
    base64: [0, 1, 2].flatMap((offset) => base64Cores(utf8, offset)),
    plain: [utf16Of(value, "little"), utf16Of(value, "big")],
    hex: Array.from(utf8, (byte) => hexOf(byte.charCodeAt(0))).join(""),
  };
}

/** The spellings of one code point. */
function unitOf(character: string): Unit {
  const utf8 = utf8Of(character);
  const code = character.codePointAt(0) ?? 0;
  const percent = Array.from(utf8, (byte) => `%${hexOf(byte.charCodeAt(0))}`).join("");
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const spellings = [
    utf8,
    percent,
    percent.replaceAll("%", "%25"),
    units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join(""),
    `&#${code};`,
    `&#x${code.toString(16)};`,
    ...(HTML_NAMES[character] ?? []),
  ];
  if (code <= 0xff) spellings.push(`\\x${hexOf(code)}`);
  if (code > 0x7f && code <= 0xff) spellings.push(character);
  if (character === " ") spellings.push("+");
  if (`"\\/'`.includes(character)) spellings.push(`\\${character}`);
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) spellings.push(short);
  return [...new Set(spellings.map((spelling) => spelling.toLowerCase()))];
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const HTML_NAMES: Readonly<Record<string, readonly string[]>> = {
  "&": ["&amp;"],
  "<": ["&lt;"],
  ">": ["&gt;"],
  '"': ["&quot;"],
  "'": ["&apos;", "&#039;"],
};

/** Where one secret stands, in no order; stretches may overlap. */
function spansOf({ text, folded }: Haystack, wanted: Wanted, steps: Steps): Span[] {
  const { name } = wanted;
  const spans = spelledSpans(folded, wanted, steps);
  for (const core of wanted.base64) for (const run of base64Runs(text, core)) spans.push({ ...run, name });
  for (const needle of wanted.plain) {
    for (const at of placesOf(text, needle)) spans.push({ start: at, end: at + needle.length, name });
  }
  for (const at of placesOf(folded, wanted.hex)) spans.push({ start: at, end: at + wanted.hex.length, name });
  return spans;
}

/** Each stretch of base64 that the core is in, once: it can stand in one of a megabyte thousands of times. */
function* base64Runs(text: string, core: string): Generator<Omit<Span, "name">> {
  for (let at = text.indexOf(core); at !== -1; ) {
    const run = base64Run(text, at, at + core.length);
    yield run;
    at = text.indexOf(core, run.end);
  }
}

/** The value, each of its characters in any spelling. */
function spelledSpans(folded: string, { name, units, starts }: Wanted, budget: Steps): Span[] {
  const spans: Span[] = [];
  for (const start of starts) {
    for (const at of placesOf(folded, start)) {
      if (!mayBegin(folded, at, units)) continue;
      const { end, steps } = endOfValue(folded, at, units);
      if (end !== null) spans.push({ start: at, end, name });
      budget.left -= steps;
      if (budget.left < 0) return [{ start: 0, end: folded.length, name }];
    }
  }
  return spans;
}

/** Whether the first two characters are there. Nearly every place fails by it, and it makes no sets. */
function mayBegin(folded: string, start: number, [first, second]: readonly Unit[]): boolean {
  const after = first === undefined ? [] : spellingsAt(folded, start, first);
  if (second === undefined) return after.length > 0;
  return after.some((spelling) => spellingsAt(folded, start + spelling.length, second).length > 0);
}

/** Where the value that begins at `start` ends; null: none does. A spelling can begin another, so there can be several ways. */
function endOfValue(folded: string, start: number, units: readonly Unit[]): { end: number | null; steps: number } {
  let ends = new Set([start]);
  let steps = 0;
  for (const unit of units) {
    const next = new Set<number>();
    for (const at of ends) for (const spelling of spellingsAt(folded, at, unit)) next.add(at + spelling.length);
    steps += ends.size;
    if (next.size === 0) return { end: null, steps };
    ends = next;
  }
  return { end: Math.max(...ends), steps };
}

function spellingsAt(folded: string, at: number, unit: Unit): readonly string[] {
  return unit.filter((spelling) => folded.startsWith(spelling, at));
}

/** The base64 of the bytes when `offset` others stand before them, without the characters that others share. */
function base64Cores(bytes: string, offset: number): string[] {
  const whole = btoa("\0".repeat(offset) + bytes).replace(/=+$/, "");
  const head = [0, 2, 3][offset] ?? 0;
  const tail = (offset + bytes.length) % 3 === 0 ? 0 : 1;
  const core = whole.slice(head, whole.length - tail);
  if (core.length < MIN_BASE64) return [];
  return [...new Set([core, core.replaceAll("+", "-").replaceAll("/", "_")])];
}

/** The whole of the base64 text that the stretch is in: its ends hold bits of the value too. */
function base64Run(haystack: string, from: number, to: number): { start: number; end: number } {
  let [start, end] = [from, to];
  while (start > 0 && BASE64_CHARACTER.test(haystack.charAt(start - 1))) start -= 1;
  while (BASE64_CHARACTER.test(haystack.charAt(end))) end += 1;
  while (haystack.charAt(end) === "=") end += 1;
  return { start, end };
}

function* placesOf(haystack: string, needle: string): Generator<number> {
  for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + 1)) yield at;
}

function replaceSpans(haystack: Haystack, spans: readonly Span[]): Haystack {
  if (spans.length === 0) return haystack;
  const { text } = haystack;
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, name } of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= done) continue;
    if (start >= done) parts.push(text.slice(done, start), referenceTo(name));
    done = end;
  }
  return foldedOf(parts.join("") + text.slice(done));
}

function foldedOf(text: string): Haystack {
  return { text, folded: text.toLowerCase() };
}

/** The text as a string of bytes: itself when its characters are bytes, else its UTF-8. */
function asBytes(text: string): string {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0xff) return utf8Of(text);
  return text;
}

function utf8Of(text: string): string {
  return toBinary(new TextEncoder().encode(text));
}

function fromUtf8(binary: string): string {
  return new TextDecoder().decode(fromBinary(binary));
}

function utf16Of(text: string, order: "little" | "big"): string {
  return Array.from({ length: text.length }, (_, at) => {
    const unit = text.charCodeAt(at);
    const [high, low] = [String.fromCharCode(unit >> 8), String.fromCharCode(unit & 0xff)];
    return order === "little" ? low + high : high + low;
  }).join("");
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

function toBinary(bytes: Uint8Array): string {
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at += 8_192) chunks.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)));
  return chunks.join("");
}

function fromBinary(binary: string): Uint8Array {
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
