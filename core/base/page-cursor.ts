/**
 * Cursors of lists. Lists are ordered by creation time, latest first, and then by id; a cursor is the position after
 * the last item of a page. It is opaque to callers, but contains no secret and grants no access: each page checks its
 * caller.
 */
import { fromBase64Url, toBase64Url } from "./base64.ts";

/** A position in a list: milliseconds since the epoch, and the id that breaks ties. */
export interface PagePosition {
  readonly at: number;
  readonly id: string;
}

/** A page of a list. `next` is null at its end. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: PagePosition | null;
}

/** A requested page: the items after `after`, or the start of the list. */
export interface PageRequest {
  readonly after: PagePosition | null;
  readonly limit: number;
}

export const DEFAULT_PAGE_LIMIT = 50;
export const MAX_PAGE_LIMIT = 100;

/** The latest time that ISO 8601 can express (ECMA-262, time values). */
const MAX_TIME_MS = 8.64e15;
const CURSOR_FORM = /^[A-Za-z0-9_-]{1,200}$/;
const ID_FORM = /^[a-z0-9_]{1,100}$/;

/** Formats a position as base64url. */
export function writeCursor(place: PagePosition): string {
  return toBase64Url(new TextEncoder().encode(`${place.at} ${place.id}`));
}

/** Parses a cursor; null for invalid text. */
export function readCursor(text: string): PagePosition | null {
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

/** Creates a page from rows that were read with `limit` + 1. */
export function cutPage<T>(rows: readonly T[], limit: number, getPosition: (row: T) => PagePosition): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? getPosition(last) : null };
}
