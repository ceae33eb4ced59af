/**
 * Cursors of lists. Lists are ordered by the moment a thing was made, the latest first, and then by id; a cursor is the
 * place after the last thing of a page. It is opaque to callers but holds no secret and opens nothing: what a page shows
 * is decided by who asks.
 */
import { fromBase64Url, toBase64Url } from "./base64.ts";

/** A place in a list: milliseconds since the epoch, and the id that breaks ties. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/** A page of a list. `next` is null at its end. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: Place | null;
}

/** How much of a list is asked for: what comes after `after`, or its start. */
export interface PageRequest {
  readonly after: Place | null;
  readonly limit: number;
}

export const DEFAULT_PAGE_LIMIT = 50;
export const MAX_PAGE_LIMIT = 100;

/** Later than this no date has a form in ISO 8601 (ECMA-262, time values). */
const MAX_TIME_MS = 8.64e15;
const CURSOR_FORM = /^[A-Za-z0-9_-]{1,200}$/;
const ID_FORM = /^[a-z0-9_]{1,100}$/;

/** Writes a place as base64url. */
export function writeCursor(place: Place): string {
  return toBase64Url(new TextEncoder().encode(`${place.at} ${place.id}`));
}

/** Reads a cursor; null when the text is none. */
export function readCursor(text: string): Place | null {
  if (!CURSOR_FORM.test(text)) return null;
  let plain: string;
  try {
    plain = new TextDecoder().decode(fromBase64Url(text));
  } catch {
    return null;
  }
  const space = plain.indexOf(" ");
  const at = Number(plain.slice(0, space));
  const id = plain.slice(space + 1);
  if (space < 1 || !Number.isSafeInteger(at) || Math.abs(at) > MAX_TIME_MS || !ID_FORM.test(id)) return null;
  return { at, id };
}

/** Cuts rows that were read with one more than `limit` into a page. */
export function cutPage<T>(rows: readonly T[], limit: number, placeOf: (row: T) => Place): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? placeOf(last) : null };
}
