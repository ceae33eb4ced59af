/**
 * Sign-in of a person: a session, whose token is in a browser's cookie, and a link, whose token begins one session.
 * Both act as the key that created them. Only the SHA-256 of a token is stored.
 */
import type { Page, PageRequest } from "../base/page-cursor.ts";
import { createToken, OPERATOR, type TokenForm, findTokenOwner } from "./checksummed-text.ts";

/** 43 characters of base62 hold 256 bits. */
const SESSION: TokenForm = { prefix: "ottos_", secretCharacters: 43 };
const LINK: TokenForm = { prefix: "ottol_", secretCharacters: 43 };

/** Random bytes for a token. Some are skipped. */
export const TOKEN_BYTES = 96;

/** Lifetime of a session, also while it is in use: a working day. */
const SESSION_LIFETIME_MS = 12 * 3_600_000;
/** Default and maximum lifetime of a link. */
export const LINK_LIFETIME_S = 900;
export const MAX_LINK_LIFETIME_S = 86_400;
/** The most sessions, and unopened links, of one key. The oldest are deleted. */
export const MAX_SESSIONS = 1000;
export const MAX_LINKS = 1000;

/** How often the use of a session is stored. */
const SEEN_INTERVAL_MS = 60_000;
/** Stored characters of a user agent; common ones have 70 to 200. */
const MAX_USER_AGENT = 300;

/** A session as its tenant's object stores it. Times are milliseconds since the epoch. */
export interface Session {
  readonly id: string;
  readonly hash: string;
  /** The key that it acts as, by the key's own hash. */
  readonly keyHash: string;
  /** The name when the session began. */
  readonly tenantName: string;
  readonly begunAt: number;
  readonly expiresAt: number;
}

/** A session in a list, without its token. */
export interface SessionLine extends Pick<Session, "id" | "begunAt" | "expiresAt"> {
  readonly key: { readonly id: string; readonly name: string };
  /** The browser's user agent, cut. Empty if it sent none, or for a session of an earlier release. */
  readonly userAgent: string;
  /** The time of last use, to the minute; now, while it follows the live feed. */
  readonly seenAt: number;
}

/** Selects the sessions of one key; null selects all of the tenant. */
export interface SessionFilter {
  readonly keyId: string | null;
}

export type SessionQuery = SessionFilter & { readonly page: PageRequest };
export type SessionPage = Page<SessionLine>;

/** The sessions to end: that of a token; one by its id, if it matches the filter; or all that match but one. */
export type SessionsToEnd =
  | { readonly hash: string }
  | (SessionFilter & { readonly id: string })
  | (SessionFilter & { readonly allBut: string | null });

/** An ended session, and the key that it acted as. */
export interface EndedSession {
  readonly id: string;
  readonly keyId: string;
}

/** A link that is not opened yet. */
export interface SignInLink {
  readonly id: string;
  readonly hash: string;
  readonly keyHash: string;
  /** The hash of the session that created it, with which it ends; null if a key did. */
  readonly maker: string | null;
  readonly madeAt: number;
  readonly expiresAt: number;
  /** The latest end of its session; null if only the key's expiry counts. */
  readonly sessionUntil: number | null;
}

/** A session that begins. `userAgent` is absent where a Worker of an earlier release asks. */
export interface NewSession extends Pick<Session, "id" | "hash" | "tenantName"> {
  readonly userAgent?: string;
}

/** What a session is begun by: a key, or a link, which is used up by it. */
export type SessionMaker = { readonly keyHash: string } | { readonly linkHash: string };

export type NewSignInLink = Pick<SignInLink, "id" | "hash" | "expiresAt">;

/** What makes a link. */
export type LinkMaker = { readonly keyHash: string } | { readonly sessionHash: string };

export function createSessionToken(tenant: string, random: Uint8Array): string {
  return createToken(SESSION, tenant, random);
}

export function createLinkToken(tenant: string, random: Uint8Array): string {
  return createToken(LINK, tenant, random);
}

/** Returns the tenant of a session's token; null for another text. */
export function findSessionTenant(token: string): string | null {
  return findTenant(SESSION, token);
}

/** Returns the tenant of a link's token; null for another text. */
export function findLinkTenant(token: string): string | null {
  return findTenant(LINK, token);
}

/** Computes when a session that begins now ends: not after its key, nor after its link allows. */
export function computeSessionEnd(
  now: number,
  key: { readonly expiresAt: number | null },
  until: number | null,
): number {
  return Math.min(now + SESSION_LIFETIME_MS, key.expiresAt ?? Infinity, until ?? Infinity);
}

/** Whether the use of a session at `now` has to be stored; `seenAt` is the stored time. */
export function shouldUpdateSeen(seenAt: number, now: number): boolean {
  return now - seenAt >= SEEN_INTERVAL_MS;
}

/** Cuts a user agent to its stored length. */
export function cutUserAgent(text: string): string {
  return Array.from(text.slice(0, 2 * MAX_USER_AGENT).toWellFormed())
    .slice(0, MAX_USER_AGENT)
    .join("");
}

function findTenant(form: TokenForm, token: string): string | null {
  const owner = findTokenOwner(form, token);
  return owner === OPERATOR ? null : owner;
}
