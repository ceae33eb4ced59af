/**
 * Removes the values of secrets from replies of outside servers, and puts the references in their place: as they are, with
 * characters escaped as URLs, JSON and HTML escape them, and as base64, hex or UTF-16. Other forms of a value (a cipher, a
 * part of it, its characters in another order or with others between them) are not found.
 *
 * Making a redactor takes time by the values' lengths, and using it by the text's (`find-secrets.ts`).
 */
import { joinBytes } from "../base/join-bytes.ts";
import { SecretFinder } from "./find-secrets.ts";
import type { FoundValue } from "./found-values.ts";
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
  /**
   * Redacts the beginning of a longer stream. `out` can be sent; `rest` waits for the following bytes. The rest is `margin`
   * bytes long, longer if a value crosses its beginning.
   */
  cut(bytes: Uint8Array, margin: number): { readonly out: Uint8Array; readonly rest: Uint8Array };
  /** The names of the secrets whose values the text contains, those of long values first. */
  foundIn(text: string): string[];
}

/** Bytes of the longest spelling, for each byte of a value: `&#x00000041;`. */
export const LONGEST_FORM = 12;

const NOTHING: Redactor = {
  text: (text) => text,
  bytes: (bytes) => bytes,
  cut: (bytes) => ({ out: bytes, rest: bytes.subarray(bytes.length) }),
  foundIn: () => [],
};

/** Makes one for these secrets. An empty list, and an empty value, take out nothing. */
export function makeRedactor(secrets: readonly KnownSecret[]): Redactor {
  // Where two values overlap, the longer one is named.
  const wanted = secrets.filter(({ value }) => value !== "").toSorted((a, b) => b.value.length - a.value.length);
  if (wanted.length === 0) return NOTHING;
  const finder = new SecretFinder(wanted.map(({ value }) => value));
  const references = wanted.map(({ name }) => referenceTo(name));
  const parts = (text: Uint8Array) => partsWithout(finder.find(text), text.length, references);
  return {
    text(text) {
      const bytes = toBytes(text);
      const kept = parts(bytes);
      if (kept === null) return text;
      const isPlain = bytes.length === text.length;
      return isPlain
        ? kept.map((part) => (typeof part === "string" ? part : text.slice(part.start, part.end))).join("")
        : new TextDecoder().decode(assembleParts(bytes, kept));
    },
    bytes(bytes) {
      const kept = parts(bytes);
      return kept === null ? bytes : assembleParts(bytes, kept);
    },
    cut(bytes, margin) {
      const found = finder.find(bytes);
      const end = endOfSlice(found, bytes.length, margin);
      const before = found.filter(({ start }) => start < end);
      const kept = partsWithout(before, end, references);
      const slice = bytes.subarray(0, end);
      return { out: kept === null ? slice : assembleParts(slice, kept), rest: bytes.subarray(end) };
    },
    foundIn(text) {
      const present = finder.present(toBytes(text));
      return wanted.flatMap(({ name }, index) => (present.has(index) ? [name] : []));
    },
  };
}

/** Where a slice ends that no value goes over; where one fills all of it, at the end of that. */
function endOfSlice(found: readonly FoundValue[], length: number, margin: number): number {
  const wanted = Math.max(0, length - margin);
  let end = wanted;
  for (const { start, end: after } of found.toSorted((a, b) => b.end - a.end)) {
    if (after <= end) break;
    if (start < end) end = start;
  }
  const covering = found.reduce((most, span) => (span.start < wanted ? Math.max(most, span.end) : most), wanted);
  return end === 0 ? covering : end;
}

/** What is left of a text: a stretch of it, or what was put in the place of one. */
type Part = string | { readonly start: number; readonly end: number };

/** The parts that make the text without the values; null when nothing was found. Values with small numbers win. */
function partsWithout(found: readonly FoundValue[], length: number, references: readonly string[]): Part[] | null {
  if (found.length === 0) return null;
  const spans = joinSpans(found);
  const owners = ownersOf(spans, length);
  const parts: Part[] = [];
  for (let start = 0, end = 0; start < length; start = end) {
    const owner = owners[start] ?? 0;
    for (end = start + 1; end < length && owners[end] === owner; ) end += 1;
    const span = spans[owner - 1];
    parts.push(span === undefined ? { start, end } : (references[span.value] ?? ""));
  }
  return parts;
}

/** By number of value and then by place; the overlapping stretches of one value as one. */
function joinSpans(found: readonly FoundValue[]): FoundValue[] {
  const spans: FoundValue[] = [];
  for (const span of found.toSorted((a, b) => a.value - b.value || a.start - b.start)) {
    const last = spans.at(-1);
    if (last !== undefined && last.value === span.value && span.start < last.end)
      last.end = Math.max(last.end, span.end);
    else spans.push({ ...span });
  }
  return spans;
}

/** For every place of the text the number of its span, counted from 1; 0 for none. The first span that covers it has it. */
function ownersOf(spans: readonly FoundValue[], length: number): Int32Array {
  const owners = new Int32Array(length);
  // Where the next place without an owner may be: what is taken is passed over at once.
  const nextFree = new Int32Array(length + 1);
  for (let at = 0; at <= length; at += 1) nextFree[at] = at;
  const freeFrom = (from: number) => {
    let at = from;
    while ((nextFree[at] ?? at) !== at) at = nextFree[at] ?? at;
    for (let passed = from; passed !== at; ) {
      const next = nextFree[passed] ?? at;
      nextFree[passed] = at;
      passed = next;
    }
    return at;
  };
  spans.forEach(({ start, end }, index) => {
    for (let at = freeFrom(start); at < end; at = freeFrom(at)) {
      owners[at] = index + 1;
      nextFree[at] = at + 1;
    }
  });
  return owners;
}

function assembleParts(bytes: Uint8Array, parts: readonly Part[]): Uint8Array {
  const encoder = new TextEncoder();
  return joinBytes(
    parts.map((part) => (typeof part === "string" ? encoder.encode(part) : bytes.subarray(part.start, part.end))),
  );
}

/** The text as bytes: one a character where each fits, else its UTF-8. */
function toBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0xff) return new TextEncoder().encode(text);
    bytes[at] = unit;
  }
  return bytes;
}
