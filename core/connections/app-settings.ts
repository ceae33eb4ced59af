/** The stored form of an app that people connect to, and the part of it that a consent covers. */
import { z } from "zod";
import { toCanonicalJson } from "../base/canonical-json.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { Provider } from "./account.ts";
import type { AppClient, ProviderSettings, RegisteredClient } from "./app-client.ts";

const addressSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("issuer"), issuer: z.string() }),
  z.object({
    kind: z.literal("endpoints"),
    authorization: z.string(),
    token: z.string(),
    revocation: z.string().nullable(),
  }),
]);

/** What may be shown. Fields that a later release adds are ignored. */
export const appSettingsSchema = z.object({
  title: z.string(),
  per: z.enum(["person", "shared", "either"]),
  kind: z.enum(["oauth2", "api_key", "bearer", "basic", "mcp", "composio"]),
  scopes: z.array(z.string()),
  fields: z.array(z.object({ name: z.string(), label: z.string(), hint: z.string().optional() })),
  hosts: z.array(z.string()),
  /** The header, or `?name` in the query, that holds the credential. */
  header: z.string(),
  at: addressSchema.nullable(),
  /** The tenant's own client; null: Otto registers. */
  clientId: z.string().nullable(),
  params: z.record(z.string(), z.string()),
  /** What the tokens are for (RFC 8707), where the app itself names it. */
  resource: z.string().optional(),
  /** How an MCP server with one grant authorizes Otto. */
  grant: z.object({ kind: z.string(), scope: z.string().nullable() }).optional(),
  /** True: nobody can connect any more, and what was connected is still being revoked. */
  isRemoved: z.literal(true).optional(),
});

export type AppSettings = Readonly<z.infer<typeof appSettingsSchema>>;

/** Fields of the authorization request that an app's `params` cannot replace. */
export const PROTOCOL_FIELDS: ReadonlySet<string> = new Set([
  "response_type",
  "response_mode",
  "client_id",
  "client_secret",
  "redirect_uri",
  "scope",
  "state",
  "nonce",
  "code_challenge",
  "code_challenge_method",
  "resource",
  "request",
  "request_uri",
]);

/** What is sealed. */
export interface AppSecrets {
  readonly clientSecret?: string;
  readonly registered?: RegisteredClient;
}

/**
 * The hash of what a consent covers: where the provider is, which client it knows, and where the credential is sent. A
 * consent that was given to others does not count, so that tokens never follow an app to another host.
 */
export async function hashAppSettings(settings: AppSettings): Promise<string> {
  const { kind, at, clientId, hosts, header, resource, grant } = settings;
  const covered = [kind, at, clientId, [...new Set(hosts)].toSorted(), header, resource ?? null];
  return await sha256Hex(toCanonicalJson(grant === undefined ? covered : [...covered, grant]));
}

interface StoredIdentity {
  readonly app: string;
  readonly provider: Provider;
  readonly settingsHash: string;
}

/** The app as anyone may know it. */
export function toAppClient({ app, provider, settingsHash }: StoredIdentity, settings: AppSettings): AppClient {
  const { title, per, kind, scopes, hosts } = settings;
  const fields = settings.fields.map(({ name, label, hint }) => ({
    name,
    label,
    ...(hint === undefined ? {} : { hint }),
  }));
  return { app, provider, title, per, kind, scopes, fields, hosts, settingsHash };
}

/** The app as its provider's protocol needs it. */
export function toProviderSettings(
  { at, clientId, params, header, resource }: AppSettings,
  { clientSecret, registered }: AppSecrets,
): ProviderSettings {
  const client = clientId === null ? null : { id: clientId, secret: clientSecret ?? null };
  return {
    at,
    client,
    registered: registered ?? null,
    params,
    header,
    ...(resource === undefined ? {} : { resource }),
  };
}
