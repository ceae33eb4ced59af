/** Ends what a consent gave and nobody stores. */
import { waitUntil } from "cloudflare:workers";
import { appProviderFromEnv } from "../../adapters/env/apps.ts";
import { authorizationsFromEnv, connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import { toEntity } from "../../core/connections/catalogue-app.ts";
import type { Flow } from "../../core/connections/flow.ts";
import type { TokenSet } from "../../core/connections/tokens.ts";
import type { AppContext } from "../http/context.ts";
import { writeConnectionChange } from "./changes.ts";
import type { ConnectState } from "./consent.ts";
import { revokeConnection } from "./revocations.ts";

interface DroppedConsent {
  readonly state: ConnectState;
  readonly client: AppClient;
}

/**
 * Revokes the account that the provider made for this consent. It was pending when the consent began, so it is no account
 * that worked before.
 */
export async function dropAccount(c: AppContext, dropped: DroppedConsent, { account }: Flow): Promise<void> {
  if (account !== undefined) await revokeGiven(c, dropped, { kind: "account", providerId: account.providerId });
}

/** An account of the catalogue is revoked by the outbox, which repeats it; tokens at once, because they are stored nowhere. */
export async function revokeGiven(
  c: AppContext,
  { state: { tenant, connection }, client }: DroppedConsent,
  tokens: TokenSet,
): Promise<void> {
  const enqueue = async () => await connectionTableFromEnv(c.env, tenant).enqueueRevocation(connection, tokens);
  const isEnqueued = tokens.kind === "account" && (await writeConnectionChange(c.env, tenant, enqueue)).ok;
  // The sweep repeats what fails.
  if (isEnqueued) waitUntil(revokeConnection(c.env, { tenant, connection }).catch(() => undefined));
  else await authorizationsFromEnv(c.env, tenant).revoke(client, tokens);
}

/**
 * Revokes the account with which a browser returns after its person was deleted: what Otto knew of the consent was deleted
 * too. The provider says whose account it is, and no account of a deleted person is used any more.
 */
export async function dropAccountOfMissing(c: AppContext, { tenant, person }: ConnectState): Promise<void> {
  const [links, id] = [appProviderFromEnv(c.env)?.links, c.req.query("connected_account_id")];
  if (links === undefined || id === undefined || person === null) return;
  const found = await databaseFromEnv(c.env).people.get(tenant, person);
  if (found.ok || found.error.code !== "not_found") return;
  const account = await links.account(id);
  if (account.ok && account.value.entity === toEntity(tenant, person)) await links.revoke(id);
}
