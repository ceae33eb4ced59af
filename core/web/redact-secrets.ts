/**
 * Removes the values of secrets from replies of outside servers, and inserts references instead: plain values, values
 * with escapes of URLs, JSON and HTML, and values as base64, hex or UTF-16. Other forms (a cipher, a part, reordered or
 * separated characters) are not found.
 *
 * Creating a redactor takes time by the values' lengths, using it by the text's (`find-secrets.ts`).
 */
import { joinBytes } from "../base/join-bytes.ts";
import { SecretFinder } from "./find-secrets.ts";
import type { FoundValue } from "./found-values.ts";
import { formatReference } from "./secret-references.ts";

/** A secret and its value. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/** Removes known values from texts and bytes. */
export interface Redactor {
  text(text: string): string;
  /** The same bytes when nothing was found. */
  bytes(bytes: Uint8Array): Uint8Array;
  /**
   * Redacts the beginning of a longer stream. `out` can be sent; `rest` waits for the following bytes. It has `margin`
   * bytes, or more if a value crosses its beginning.
   */
  cut(bytes: Uint8Array, margin: number): { readonly out: Uint8Array; readonly rest: Uint8Array };
  /** The names of the secrets whose values the text contains, those of long values first. */
  foundIn(text: string): string[];
}

/** Bytes of the longest escape for a byte of a value: `&#x00000041;`. */
export const MAX_ESCAPE_BYTES = 12;

const NOTHING: Redactor = {
  text: (text) => text,
  bytes: (bytes) => bytes,
  cut: (bytes) => ({ out: bytes, rest: bytes.subarray(bytes.length) }),
  foundIn: () => [],
};

/** Creates a redactor for these secrets. Empty values are ignored. */
export function createRedactor(secrets: readonly KnownSecret[]): Redactor {
  // Of two overlapping values, the longer one is named.
  const wanted = secrets.filter(({ value }) => value !== "").toSorted((a, b) => b.value.length - a.value.length);
  if (wanted.length === 0) return NOTHING;
  const finder = new SecretFinder(wanted.map(({ value }) => value));
  const references = wanted.map(({ name }) => formatReference(name));
  const parts = (text: Uint8Array) => splitAroundValues(finder.find(text), text.length, references);
  return {
    text(text) {
      const bytes = toBytes(text);
      const pieces = parts(bytes);
      if (pieces === null) return text;
      const isPlain = bytes.length === text.length;
      return isPlain
        ? pieces.map((part) => (typeof part === "string" ? part : text.slice(part.start, part.end))).join("")
        : new TextDecoder().decode(assembleParts(bytes, pieces));
    },
    bytes(bytes) {
      const pieces = parts(bytes);
      return pieces === null ? bytes : assembleParts(bytes, pieces);
    },
    cut(bytes, margin) {
      const found = finder.find(bytes);
      const end = findSliceEnd(found, bytes.length, margin);
      const before = found.filter(({ start }) => start < end);
      const pieces = splitAroundValues(before, end, references);
      const slice = bytes.subarray(0, end);
      return { out: pieces === null ? slice : assembleParts(slice, pieces), rest: bytes.subarray(end) };
    },
    foundIn(text) {
      const present = finder.present(toBytes(text));
      return wanted.flatMap(({ name }, index) => (present.has(index) ? [name] : []));
    },
  };
}

/** Where a slice may end without splitting a value; where one value fills the slice, at its end. */
function findSliceEnd(found: readonly FoundValue[], length: number, margin: number): number {
  const wanted = Math.max(0, length - margin);
  let end = wanted;
  for (const { start, end: after } of found.toSorted((a, b) => b.end - a.end)) {
    if (after <= end) break;
    if (start < end) end = start;
  }
  const covering = found.reduce((most, span) => (span.start < wanted ? Math.max(most, span.end) : most), wanted);
  return end === 0 ? covering : end;
}

/** A part of the redacted text: a stretch of the original, or an inserted reference. */
type Part = string | { readonly start: number; readonly end: number };

/** The parts of the text without the values; null when nothing was found. Lower numbers win. */
function splitAroundValues(found: readonly FoundValue[], length: number, references: readonly string[]): Part[] | null {
  if (found.length === 0) return null;
  const spans = joinSpans(found);
  const owners = listOwners(spans, length);
  const parts: Part[] = [];
  for (let start = 0, end = 0; start < length; start = end) {
    const owner = owners[start] ?? 0;
    for (end = start + 1; end < length && owners[end] === owner; ) end += 1;
    const span = spans[owner - 1];
    parts.push(span === undefined ? { start, end } : (references[span.value] ?? ""));
  }
  return parts;
}

/** Sorted by value and position, with the overlapping stretches of one value joined. */
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

/** For each position of the text the number of its span, from 1; 0 without one. The first span wins. */
function listOwners(spans: readonly FoundValue[], length: number): Int32Array {
  const owners = new Int32Array(length);
  // Where the next free position may be, to skip taken ones at once.
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

/** The text as bytes: one per character in Latin-1 where possible, otherwise UTF-8. */
function toBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0xff) return new TextEncoder().encode(text);
    bytes[at] = unit;
  }
  return bytes;
}
