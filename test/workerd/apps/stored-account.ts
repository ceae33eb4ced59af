/** Accounts of catalogue apps, stored as a consent at the provider leaves them. */
import { env } from "cloudflare:workers";
import { appClientsFromEnv, connectionTableFromEnv } from "../../../adapters/env/connections.ts";
import { hashCatalogueApp, toEntity } from "../../../core/connections/catalogue-app.ts";
import { writeConnectionChange } from "../../../workers/connections/changes.ts";
import { act } from "../../contracts/database/rows.ts";
import { valueOf } from "../../contracts/value-of.ts";

/** Stores the app too, so that no catalogue has to list it. `person` null: a shared account. */
export async function storeAccount(
  tenant: string,
  app: string,
  { person, providerId = "ca_test" }: { readonly person: string | null; readonly providerId?: string },
): Promise<string> {
  const settingsHash = await storeApp(tenant, app);
  const table = connectionTableFromEnv(env, tenant);
  const owned = { app, person, alias: null };
  const { id } = valueOf(await table.ensure(owned, "composio"));
  const by = { person, name: "Ana" };
  const nonce = crypto.randomUUID();
  const flow = { nonce, verifier: "", issuer: null, redirectUrl: "", unattended: true, settingsHash, by };
  const begun = { ...flow, until: Date.now() + 60_000, account: { providerId, entity: toEntity(tenant, person) } };
  valueOf(await table.beginFlow(owned, { createdAt: Date.now(), nonce }, begun));
  valueOf(await table.takeFlow(id, nonce));
  const given = { tokens: { kind: "account", providerId }, label: null, scopes: null, unattended: true } as const;
  const consent = { ...given, settingsHash, by };
  const complete = async () => await table.complete(id, consent, act("connection.connect", id));
  valueOf(await writeConnectionChange(env, tenant, complete));
  return id;
}

/** Stores an app as the catalogue's provider has it. Returns the hash of its settings. */
export async function storeApp(tenant: string, app: string): Promise<string> {
  const settingsHash = await hashCatalogueApp(app);
  const settings = { title: app, kind: "composio", per: "either", scopes: [], fields: [], hosts: [] } as const;
  const none = { header: "authorization", at: null, clientId: null, params: {} };
  const stored = {
    app,
    provider: "composio",
    settings: { ...settings, ...none },
    settingsHash,
    secrets: null,
  } as const;
  valueOf(await appClientsFromEnv(env, tenant).put(stored));
  return settingsHash;
}
