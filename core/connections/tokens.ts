/** The credentials of a connection. */

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
    }
  | { readonly kind: "key"; readonly value: string };

/** Stored tokens with the version that a compare-and-set names. It grows with each stored token set. */
export interface SealedTokens {
  readonly tokens: TokenSet;
  readonly version: number;
}
