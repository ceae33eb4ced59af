/** Ends what a consent gave and nobody stores. */
import { waitUntil } from "cloudflare:workers";
import { authorizationsFromEnv, connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tenantLinksFromEnv } from "../../adapters/env/tenant-provider.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import { toEntity } from "../../core/connections/catalogue-app.ts";
import { type Flow, toAccountTokens } from "../../core/connections/flow.ts";
import type { TokenSet } from "../../core/connections/tokens.ts";
import type { DueConnection } from "../../core/ports/connection-jobs.ts";
import { writeConnectionChange } from "./changes.ts";
import { revokeConnection } from "./revocations.ts";

/**
 * Revokes the account that the provider made for a taken flow. It was pending when the consent began, so it is no account
 * that worked before. What fails here is repeated by the sweep.
 */
export async function dropAccount(c: AppContext, dropped: DroppedConsent, { account }: Flow): Promise<void> {
  if (account !== undefined) await revokeGiven(c, dropped, toAccountTokens(account));
}

/** Revokes tokens that could not be stored: an account by the outbox of its row, others at once, because no row has them. */
export async function dropTokens(env: Env, at: DueConnection, client: AppClient, tokens: TokenSet): Promise<void> {
  if (tokens.kind === "account") await enqueueAccount(env, at, tokens.providerId);
  else await authorizationsFromEnv(env, at.tenant).revoke(client, tokens);
}

/**
 * Revokes the account with which a browser returns after its person was deleted: what Otto knew of the consent was deleted
 * too. The provider says whose account it is, and no account of a deleted person is used any more.
 */
export async function dropAccountOfMissing(c: AppContext, { tenant, person }: ConnectState): Promise<void> {
  const id = c.req.query("connected_account_id");
  if (id === undefined || person === null) return;
  const found = await databaseFromEnv(c.env).people.get(tenant, person);
  if (found.ok || found.error.code !== "not_found") return;
  const present = await tenantLinksFromEnv(c.env, tenant).present();
  if (!present.ok || present.value === null) return;
  const { links } = present.value;
  const account = await links.account(id);
  if (account.ok && account.value.entity === toEntity(tenant, person)) await links.revoke(id);
}
