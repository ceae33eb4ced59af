/** The credentials of a connection, and when they have to be renewed. */
import type { MadeByKey } from "./provider-key.ts";

/** What a provider gave. A `key` is also a bearer token, or the base64 of basic authentication. */
export type TokenSet =
  | {
      readonly kind: "oauth";
      readonly access: string;
      readonly refresh: string | null;
      /** Milliseconds since the epoch; null if the provider named no lifetime. */
      readonly expiresAt: number | null;
      /** Who issued them; null if the app names endpoints instead of an issuer. */
      readonly issuer: string | null;
      /** For an app that names endpoints: which ones issued them. They are sent to no others; absent: to none. */
      readonly endpoints?: string;
    }
  | { readonly kind: "key"; readonly value: string }
  /** The provider stores the tokens. This is its own id of the account, which no app receives. */
  | ({ readonly kind: "account"; readonly providerId: string } & MadeByKey);

/** Of an account whose tokens the provider stores. */
export type AccountTokens = Extract<TokenSet, { readonly kind: "account" }>;

/** Stored tokens with the version that a compare-and-set names. */
export interface SealedTokens {
  readonly tokens: TokenSet;
  readonly version: number;
}

/** A credential for the egress module: the only header it may be placed in (`?name`: a query field), and its hosts. */
export interface Bearer {
  readonly header: string;
  readonly value: string;
  readonly hosts: readonly string[];
}

/** Tokens with less time than this are renewed. */
const RENEW_BEFORE_MS = 120_000;

/** The value that an app receives. For an account of a provider it is the provider's id, which `bearer` never gives. */
export function getValue(tokens: TokenSet): string {
  switch (tokens.kind) {
    case "key":
      return tokens.value;
    case "oauth":
      return tokens.access;
    case "account":
      return tokens.providerId;
  }
}

/** True if the app accepts them now, as far as their lifetime says. `refused` is a value that the app refused. */
export function isUsable(tokens: TokenSet, now: number, refused: string | null): boolean {
  if (tokens.kind !== "oauth") return true;
  return tokens.access !== refused && (tokens.expiresAt === null || tokens.expiresAt > now);
}

/** True if they should be renewed before they are used. */
export function needsRenewal(tokens: TokenSet, now: number, refused: string | null): boolean {
  return !isUsable(tokens, now + RENEW_BEFORE_MS, refused);
}
