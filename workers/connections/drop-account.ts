/** Ends what a consent gave and nobody stores. */
import { waitUntil } from "cloudflare:workers";
import { authorizationsFromEnv, connectionTableFromEnv } from "../../adapters/env/connections.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import type { Flow } from "../../core/connections/flow.ts";
import type { TokenSet } from "../../core/connections/tokens.ts";
import type { DueConnection } from "../../core/ports/connection-jobs.ts";
import { writeConnectionChange } from "./changes.ts";
import { revokeConnection } from "./revocations.ts";

/**
 * Revokes the account that the provider made for a taken flow. It was pending when the consent began, so it is no account
 * that worked before. What fails here is repeated by the sweep.
 */
export async function dropAccount(env: Env, at: DueConnection, { account }: Flow): Promise<void> {
  if (account !== undefined) await enqueueAccount(env, at, account.providerId);
}

/** Revokes tokens that could not be stored: an account by the outbox of its row, others at once, because no row has them. */
export async function dropTokens(env: Env, at: DueConnection, client: AppClient, tokens: TokenSet): Promise<void> {
  if (tokens.kind === "account") await enqueueAccount(env, at, tokens.providerId);
  else await authorizationsFromEnv(env, at.tenant).revoke(client, tokens);
}

/** Begins to revoke what waits for it in a row. The sweep repeats what fails. */
export function revokeSoon(env: Env, at: DueConnection): void {
  waitUntil(revokeConnection(env, at).catch(() => undefined));
}

async function enqueueAccount(env: Env, at: DueConnection, providerId: string): Promise<void> {
  const { tenant, connection } = at;
  const enqueue = async () => await connectionTableFromEnv(env, tenant).enqueueRevocation(connection, providerId);
  await writeConnectionChange(env, tenant, enqueue);
  revokeSoon(env, at);
}
