/** Revokes the tokens of an ended connection at their provider. */
import { appClientsFromEnv, authorizationsFromEnv, connectionTableFromEnv } from "../../adapters/env/connections.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import { appSettingsSchema, toAppClient } from "../../core/connections/app-settings.ts";
import { MAX_REVOKING } from "../../core/connections/rules.ts";

/**
 * Makes the attempts of a connection that are due. A failed one stays due at its next time, for the sweep. Throws
 * nothing that is expected.
 */
export async function revokeAtProvider(env: Env, tenant: string, connection: string): Promise<void> {
  const table = connectionTableFromEnv(env, tenant);
  for (let round = 0; round < MAX_REVOKING; round += 1) {
    const due = await table.takeRevocation(connection);
    if (!due.ok || due.value === null) return;
    const { app, tokens } = due.value;
    const client = await findClient(env, tenant, app);
    if (client === null) return;
    const authorizations = await authorizationsFromEnv(env, tenant);
    const revoked = await authorizations.revoke(client, tokens);
    if (!revoked.ok) return;
    const ended = await table.endRevocation(connection, due.value);
    if (!ended.ok) return;
  }
}

/** Finds an app, also one that was removed: its tokens are still to be revoked. */
async function findClient(env: Env, tenant: string, app: string): Promise<AppClient | null> {
  const stored = await appClientsFromEnv(env, tenant).find(app);
  if (!stored.ok) return null;
  const { data } = appSettingsSchema.safeParse(stored.value.settings);
  return data === undefined ? null : toAppClient(stored.value, data);
}
