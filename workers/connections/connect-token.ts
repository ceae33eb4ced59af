/**
 * The link with which a person connects an account: `/connect/{token}`. Everything about it is sealed in the token, so
 * nothing is stored when it is created. It begins one consent, within 15 minutes.
 */
import type { Env } from "../../adapters/env/bindings.ts";
import { publicUrlFromEnv } from "../../adapters/env/deployment.ts";
import { toBase64Url } from "../../core/base/base64.ts";
import type { Actor } from "../../core/connections/actors.ts";
import type { OwnedApp } from "../../core/ports/connection-table.ts";
import type { Scope } from "../../core/tenant/keys.ts";
import { openState, sealState } from "../http/consent-state.ts";

const CONNECT_PATH = "/connect";
/** Where an app's sign-in page sends the browser back. */
export const CALLBACK_PATH = "/connect/callback";
/** The same for the provider of the catalogue. */
export const PROVIDER_CALLBACK_PATH = "/api/composio/callback";
/** From its creation. */
export const LINK_LIFE_MS = 15 * 60_000;
const NONCE_BYTES = 16;
const CONTEXT = "connect-link";

export interface ConnectLink extends OwnedApp {
  readonly tenant: string;
  /** The wait of a task that needs the account, if any. */
  readonly wait: { readonly task: string; readonly id: string } | null;
  /** True: the page proposes that tasks use the account while its owner is away. */
  readonly unattended?: boolean;
  /** Where the browser goes once the account is connected: an address of this system. Absent: it stays on the page. */
  readonly returnTo?: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly nonce: string;
  /** Who asked for the link. */
  readonly by: Actor;
  /** The key that asked, for the audit log of a shared account. */
  readonly key?: string;
}

export type NewConnectLink = Omit<ConnectLink, "createdAt" | "nonce">;

/**
 * Creates a link. `origin` is the address of the request, which counts without OTTO_PUBLIC_URL; without both, the link is
 * a path. Give it to its person only (`canSeeConnectUrl`).
 */
export async function makeConnectUrl(env: Env, link: NewConnectLink, origin = ""): Promise<string> {
  const nonce = toBase64Url(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  const whole: ConnectLink = { ...link, createdAt: Date.now(), nonce };
  return `${publicUrlFromEnv(env) ?? origin}${CONNECT_PATH}/${await sealState(env, CONTEXT, whole)}`;
}

/** Opens a link's token, also after its end; null for another text. */
export async function openConnectLink(env: Env, token: string): Promise<ConnectLink | null> {
  return await openState<ConnectLink>(env, CONTEXT, token);
}

export function isLinkExpired({ createdAt }: Pick<ConnectLink, "createdAt">, now: number): boolean {
  return now >= createdAt + LINK_LIFE_MS;
}

/** The reader of a wait or a connection. */
export interface LinkReader {
  readonly person: string | null;
  readonly scopes: readonly Scope[];
}

/**
 * Whether a reader may have the link of a wait: its person, or a key that acts for people. The link of a shared connection
 * is for administrators.
 */
export function canSeeConnectUrl(reader: LinkReader, { person_id }: { readonly person_id: string | null }): boolean {
  if (person_id === null) return reader.scopes.includes("admin");
  return reader.person === person_id || reader.scopes.includes("people:act");
}
