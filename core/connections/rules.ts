/** Bounds of connections, the text that may be stored in them, and when a revocation is tried again. */
import { failed, type Failed } from "../base/errors.ts";
import { storable } from "../base/storable.ts";
import type { RevocationProgress } from "./connection.ts";

/** Connections of one owner, which is a person or the tenant itself, and of a tenant. */
export const MAX_OF_OWNER = 200;
export const MAX_OF_TENANT = 10_000;
/** UTF-16 units. */
export const MAX_ALIAS = 60;
export const MAX_LABEL = 200;
const MAX_WHY = 500;
/** Scopes of one connection, and the UTF-16 units of one. */
export const MAX_SCOPES = 100;
const MAX_SCOPE = 500;
/** Bytes of a token set as JSON, before it is sealed. */
export const MAX_TOKEN_BYTES = 32_000;
/** The longest lease of a refresh. */
export const MAX_LEASE_MS = 60_000;
/** Token sets of one connection that wait to be revoked. An older one is dropped for a newer one. As in migration 0038. */
export const MAX_REVOKING = 8;
/** Apps of a tenant that people connect to, and UTF-16 units of the settings or the secrets of one, as JSON. */
export const MAX_APP_CLIENTS = 200;
export const MAX_APP_CHARACTERS = 32_000;
/** At most one note of its last use per hour. */
export const USED_EVERY_MS = 3_600_000;

/** From the return of a browser to the stored consent. An account that is not stored by then is revoked. */
export const FLOW_GRACE_MS = 300_000;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** After a revocation: at once, after 1 and 5 and 30 minutes, after 2 hours, then every 12 hours for a week. */
const ATTEMPTS_AT_MS = [0, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS];
const LATER_EVERY_MS = 12 * HOUR_MS;
const GIVEN_UP_AFTER_MS = 7 * 24 * HOUR_MS;

/** The attempts of a revocation. When the next one would be due, it is given up. */
export const MAX_REVOCATION_TRIES =
  ATTEMPTS_AT_MS.length + Math.floor((GIVEN_UP_AFTER_MS - (ATTEMPTS_AT_MS.at(-1) ?? 0)) / LATER_EVERY_MS);

/** Returns the time from the attempt with this number, from 1, to the next one. */
export function getRevocationDelay(attempt: number): number {
  const [at, next] = [ATTEMPTS_AT_MS[attempt - 1], ATTEMPTS_AT_MS[attempt]];
  return at === undefined || next === undefined ? LATER_EVERY_MS : next - at;
}

/** Marks a revocation that was given up. */
export const GIVEN_UP_TRIES = MAX_REVOCATION_TRIES + 1;

/** True while the provider may still confirm; false once the revocation was given up. */
export function isRevocationOpen({ tries }: RevocationProgress): boolean {
  return tries < GIVEN_UP_TRIES;
}

/** Finds what forbids an alias; null if nothing does. */
export function findAliasProblem(alias: string): Failed | null {
  if (alias.trim() === "") return failed("invalid_input", "An alias needs a character.", { field: "alias" });
  if (alias.length > MAX_ALIAS)
    return failed("invalid_input", `An alias has at most ${MAX_ALIAS} characters.`, { field: "alias" });
  return alias === storable(alias)
    ? null
    : failed("invalid_input", "An alias may not contain this character.", { field: "alias" });
}

/** Finds what forbids granted scopes; null if nothing does. */
export function findScopesProblem(scopes: readonly string[] | null): Failed | null {
  if (scopes === null) return null;
  if (scopes.length > MAX_SCOPES)
    return failed("too_large", `A connection has at most ${MAX_SCOPES} scopes. Ask for fewer.`, { field: "scopes" });
  return scopes.every((scope) => scope.length <= MAX_SCOPE)
    ? null
    : failed("too_large", `A scope has at most ${MAX_SCOPE} characters.`, { field: "scopes" });
}

/** Finds whether tokens, as JSON, are too large to store; null if they are not. */
export function findTokensProblem(json: string): Failed | null {
  const bytes = new TextEncoder().encode(json).length;
  return bytes <= MAX_TOKEN_BYTES
    ? null
    : failed("too_large", `The app's tokens have more than ${MAX_TOKEN_BYTES} bytes, so they cannot be stored.`);
}

/** Makes a label from outside storable: cut, and without line breaks and control characters. Null for an empty one. */
export function cleanLabel(label: string | null): string | null {
  return cleanText(label, MAX_LABEL);
}

/** Makes a reason storable, as `cleanLabel`. */
export function cleanReason(why: string): string | null {
  return cleanText(why, MAX_WHY);
}

function cleanText(text: string | null, units: number): string | null {
  const cleaned = (text ?? "")
    .slice(0, 4 * units)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ")
    .trim();
  const cut = storable(cleaned.slice(0, units)).replace(/\uFFFD$/u, "");
  return cut === "" ? null : cut;
}
