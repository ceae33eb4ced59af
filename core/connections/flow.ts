/** A consent that a person has begun and not yet finished. */
import type { Actor } from "./actors.ts";
import type { MadeByKey } from "./provider-key.ts";
import type { AccountTokens } from "./tokens.ts";

/** An account that a consent made at the provider of the catalogue, and what the provider knows its owner by. */
export interface FlowAccount extends MadeByKey {
  readonly providerId: string;
  readonly entity: string;
}

/** What is stored of the account once its consent is complete, or until it is revoked. */
export function toAccountTokens({ providerId, key }: FlowAccount): AccountTokens {
  return { kind: "account", providerId, ...(key === undefined ? {} : { key }) };
}

export interface Flow {
  readonly nonce: string;
  /** The secret of PKCE (RFC 7636). */
  readonly verifier: string;
  /** The issuer to which the person was sent; null if the app names endpoints instead. */
  readonly issuer: string | null;
  readonly redirectUrl: string;
  readonly until: number;
  readonly unattended: boolean;
  /** The hash of the app's settings at its begin. A consent counts for these only. */
  readonly settingsHash?: string;
  readonly by: Actor;
  /** For an app whose provider stores the tokens. */
  readonly account?: FlowAccount;
}
