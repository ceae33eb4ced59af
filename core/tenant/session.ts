/**
 * How a person is signed in: a session, whose token a browser keeps in a cookie, and a link, whose token begins one, once.
 * Both act as the key that they were made with. Tokens are kept as their SHA-256 only.
 */
import type { Page, PageRequest } from "../base/page-cursor.ts";
import { makeText, OPERATOR, type TextForm, textOwner } from "./checksummed-text.ts";

/** 43 characters of base62 hold 256 bits. */
const SESSION: TextForm = { prefix: "ottos_", secretCharacters: 43 };
const LINK: TextForm = { prefix: "ottol_", secretCharacters: 43 };

/** Random bytes for either token: more than it needs, because some are passed over. */
export const TOKEN_BYTES = 96;

/** How long a session lasts, whatever is done in it: a working day. */
const SESSION_LIFE_MS = 12 * 3_600_000;
/** How long a link can be opened when nothing else is said, and at most. */
export const LINK_LIFE_S = 900;
export const MAX_LINK_LIFE_S = 86_400;
/** Sessions, and links that were not opened, of one key at once; its oldest go. */
export const MAX_SESSIONS = 1000;
export const MAX_LINKS = 1000;

/** How often it is written down that a session is in use. */
const SEEN_EVERY_MS = 60_000;
/** Characters that are kept of how a browser names itself; common ones take 70 to 200. */
const MAX_USER_AGENT = 300;

/** A session as its tenant's object keeps it. Moments in milliseconds since the epoch. */
export interface Session {
  readonly id: string;
  readonly hash: string;
  /** The key that it acts as, by the key's own hash. */
  readonly keyHash: string;
  /** As it was when the session began. */
  readonly tenantName: string;
  readonly begunAt: number;
  readonly expiresAt: number;
}

/** A session as a list shows it: nothing of its token. */
export interface SessionLine extends Pick<Session, "id" | "begunAt" | "expiresAt"> {
  readonly key: { readonly id: string; readonly name: string };
  /** Whatever the browser said, cut; empty: nothing, or the session is of a release that did not ask. */
  readonly userAgent: string;
  /** When it was last in use, to the minute; now, while it follows the live feed. */
  readonly seenAt: number;
}

/** Whose sessions are meant: those of one key; null: all of the tenant. */
export interface SessionsOf {
  readonly keyId: string | null;
}

export type SessionQuery = SessionsOf & { readonly page: PageRequest };
export type SessionPage = Page<SessionLine>;

/** What is to be ended: the session of a token; one by its id, if it is one of those; all of those but one. */
export type SessionsToEnd =
  | { readonly hash: string }
  | (SessionsOf & { readonly id: string })
  | (SessionsOf & { readonly allBut: string | null });

/** A session that was ended, and the key that it acted as. */
export interface EndedSession {
  readonly id: string;
  readonly keyId: string;
}

/** A link that was not opened yet. */
export interface SignInLink {
  readonly id: string;
  readonly hash: string;
  readonly keyHash: string;
  /** The session that made it, by its hash; null: a key did. It dies with that session. */
  readonly maker: string | null;
  readonly madeAt: number;
  readonly expiresAt: number;
  /** No session that it begins lasts longer; null: the key's end alone counts. */
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

export function makeSessionToken(tenant: string, random: Uint8Array): string {
  return makeText(SESSION, tenant, random);
}

export function makeLinkToken(tenant: string, random: Uint8Array): string {
  return makeText(LINK, tenant, random);
}

/** The tenant that a session's token names; null when the text is none. */
export function sessionTenant(token: string): string | null {
  return tenantIn(SESSION, token);
}

/** The tenant that a link's token names; null when the text is none. */
export function linkTenant(token: string): string | null {
  return tenantIn(LINK, token);
}

/** When a session that begins now ends: it outlives neither its key nor what its link allows. */
export function sessionEnd(now: number, key: { readonly expiresAt: number | null }, until: number | null): number {
  return Math.min(now + SESSION_LIFE_MS, key.expiresAt ?? Infinity, until ?? Infinity);
}

/** Whether a session that is in use at `now` is to be written down as that; `seenAt` is what was written last. */
export function isSeenAnew(seenAt: number, now: number): boolean {
  return now - seenAt >= SEEN_EVERY_MS;
}

/** How a browser names itself, as it is kept. */
export function cutUserAgent(text: string): string {
  return Array.from(text.slice(0, 2 * MAX_USER_AGENT).toWellFormed())
    .slice(0, MAX_USER_AGENT)
    .join("");
}

function tenantIn(form: TextForm, token: string): string | null {
  const owner = textOwner(form, token);
  return owner === OPERATOR ? null : owner;
}
