/**
 * An index as bytes, so that it is stored once and read without building it: a head of JSON with the terms, then the
 * numbers in the byte order of the platform, which is little-endian wherever Otto runs.
 */
import type { Segment } from "./segment.ts";

/** The index of a list of tools, with their names by number. */
export interface NamedSegment {
  readonly names: readonly string[];
  readonly segment: Segment;
}

/**
 * Raise it when the terms of a text or their weights change: an index of another form is not read, and is built again.
 * `test/unit/lib/segment-file.test.ts` fails until then.
 */
export const SEGMENT_FORM = 1;

const ARRAYS = [
  ["starts", Uint32Array],
  ["text", Uint32Array],
  ["textStarts", Uint32Array],
  ["nameEnds", Uint32Array],
  ["tools", Uint16Array],
  ["groups", Uint16Array],
  ["weights", Uint8Array],
] as const;
type ArrayName = (typeof ARRAYS)[number][0];

interface Head {
  readonly form: number;
  readonly names: readonly string[];
  readonly terms: readonly string[];
  readonly groupTerms: readonly (readonly string[])[];
  /** Of each array, in their order. */
  readonly lengths: readonly number[];
  readonly bytes: number;
}

/** Bytes of the head's length. */
const PREFIX = 4;

/** Formats an index. */
export function formatSegment({ names, segment }: NamedSegment): Uint8Array {
  const { groupTerms, bytes } = segment;
  const lengths = ARRAYS.map(([name]) => segment[name].length);
  const head: Head = { form: SEGMENT_FORM, names, terms: [...segment.terms.keys()], groupTerms, lengths, bytes };
  const headBytes = new TextEncoder().encode(JSON.stringify(head));
  const inArrays = ARRAYS.reduce((sum, [name]) => sum + segment[name].byteLength, 0);
  const file = new Uint8Array(PREFIX + headBytes.length + inArrays);
  new DataView(file.buffer).setUint32(0, headBytes.length, true);
  file.set(headBytes, PREFIX);
  let at = PREFIX + headBytes.length;
  for (const [name] of ARRAYS) {
    const { buffer, byteOffset, byteLength } = segment[name];
    file.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return file;
}

/** Reads an index. Null for one of another form, and for bytes that are cut or damaged. */
export function parseSegment(file: Uint8Array): NamedSegment | null {
  const head = readHead(file);
  if (head === null || head.value.form !== SEGMENT_FORM) return null;
  const { names, terms, groupTerms, lengths, bytes } = head.value;
  const arrays: Partial<Record<ArrayName, Uint8Array | Uint16Array | Uint32Array>> = {};
  let at = head.end;
  for (const [index, [name, Numbers]] of ARRAYS.entries()) {
    const end = at + (lengths[index] ?? 0) * Numbers.BYTES_PER_ELEMENT;
    if (end > file.length) return null;
    arrays[name] = new Numbers(file.slice(at, end).buffer);
    at = end;
  }
  if (at !== file.length) return null;
  const numbers = new Map(terms.map((term, number) => [term, number]));
  const made = { ...(arrays as Pick<Segment, ArrayName>), size: names.length, terms: numbers, groupTerms, bytes };
  return { names, segment: made };
}

function readHead(file: Uint8Array): { readonly value: Head; readonly end: number } | null {
  if (file.length < PREFIX) return null;
  const end = PREFIX + new DataView(file.buffer, file.byteOffset).getUint32(0, true);
  if (end > file.length) return null;
  try {
    return { value: JSON.parse(new TextDecoder().decode(file.subarray(PREFIX, end))) as Head, end };
  } catch {
    return null;
  }
}
