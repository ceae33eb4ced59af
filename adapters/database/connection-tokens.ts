/**
 * The tokens of connections. A refresh has two guards, which are one statement each: the lease, which one caller gets
 * per version, and the compare-and-set of the version when the new tokens are stored. The database's clock decides.
 */
import { and, isNotNull, type SQL, sql } from "drizzle-orm";
import {
  findTokensProblem,
  getRevocationDelay,
  GIVEN_UP_TRIES,
  MAX_LEASE_MS,
  MAX_REVOCATION_TRIES,
  USED_EVERY_MS,
} from "../../core/connections/rules.ts";
import { type Failed, failed, notSent, ok, type Result } from "../../core/base/errors.ts";
import { isoOrNull } from "../../core/base/iso.ts";
import type { TokenSet } from "../../core/connections/tokens.ts";
import type { ConnectionTable, DueRevocation } from "../../core/ports/connection-table.ts";
import { asTenant } from "./connection.ts";
import {
  CLOCK,
  type ConnectionStore,
  deleteOrphan,
  isChangedBy,
  isThis,
  NO_CONNECTION,
  withRevoking,
} from "./connection-rows.ts";
import { endOverdueFlow, findFlowAccount, FLOW_ENDED_TOO } from "./flow-accounts.ts";
import { entityConnections as rows } from "./schema.ts";

const NOT_OPENED = failed("not_available", "The stored tokens can no longer be decrypted. Connect the account again.");

type Tokens = Pick<
  ConnectionTable,
  "tokens" | "lease" | "storeTokens" | "enqueueRevocation" | "takeRevocation" | "endRevocation" | "touchUsed"
>;

export function tokenTable(store: ConnectionStore): Tokens {
  const { connection, tenant, seal } = store;
  return {
    async tokens(id) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({ status: rows.status, sealed: rows.sealed, version: rows.sealedVersion })
          .from(rows)
          .where(isThis(tenant, id)),
      ]);
      if (!read.ok) return read;
      const [row] = read.value[0];
      if (row === undefined) return NO_CONNECTION;
      if (row.status !== "active" || row.sealed === null) return failEnded(id);
      const opened = await seal.open({ column: "entity_connections.sealed", id }, row.sealed);
      return opened === null ? NOT_OPENED : ok({ tokens: opened as TokenSet, version: row.version });
    },

    async lease(id, version, ms) {
      const length = Math.min(ms, MAX_LEASE_MS);
      const leased = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update entity_connections set refresh_lease_until = ${CLOCK} + ${length}::float8 * interval '1 millisecond'
          where ${isThis(tenant, id)} and sealed_version = ${version}::int and status = 'active'
            and (refresh_lease_until is null or refresh_lease_until <= ${CLOCK})`),
      ]);
      return leased.ok ? ok(leased.value[0].rowCount > 0) : leased;
    },

    async storeTokens(id, version, tokens) {
      const problem = findTokensProblem(JSON.stringify(tokens));
      if (problem !== null) return problem;
      const sealed = await seal.seal({ column: "entity_connections.sealed", id }, tokens);
      const expiresAt = isoOrNull(tokens.kind === "oauth" ? tokens.expiresAt : null);
      const stored = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update entity_connections set sealed = ${sealed}::text, sealed_version = sealed_version + 1, status = 'active',
            expires_at = ${expiresAt}::timestamptz, refresh_lease_until = null, why = null, notified_at = null,
            last_checked_at = now(),
            updated_at = case when status = 'active' then updated_at else now() end
          where ${isThis(tenant, id)} and sealed_version = ${version}::int and sealed is not null
            and ${isChangedBy("renew")}`),
        // It was revoked while they were requested: they wait to be revoked too.
        query.execute(sql`
          update entity_connections set sealed_version = sealed_version + 1, revoke_at = now(), revoke_tries = 0,
            revoking = ${withRevoking(sealed)}
          where ${isThis(tenant, id)} and sealed_version = ${version}::int and status = 'revoked'`),
      ]);
      return stored.ok ? ok(stored.value[0].rowCount > 0) : stored;
    },

    async enqueueRevocation(id, providerId) {
      const held = await findFlowAccount(store, id, providerId);
      if (!held.ok || held.value === null) return held.ok ? ok(undefined) : held;
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update entity_connections set ${FLOW_ENDED_TOO}, updated_at = now()
          where ${isThis(tenant, id)} and flow_account = ${held.value}::text`),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async takeRevocation(id) {
      const read = await asTenant(connection, tenant, (query) => [
        endOverdueFlow(query, tenant, id),
        query
          .select({
            app: rows.appName,
            provider: rows.provider,
            tries: rows.revokeTries,
            receipt: sql<string | null>`revoking[1]`,
          })
          .from(rows)
          .where(and(isThis(tenant, id), isNotNull(rows.revokeAt), sql`${rows.revokeAt} <= ${CLOCK}`)),
      ]);
      if (!read.ok) return read;
      const [, [row]] = read.value;
      if (row === undefined || row.receipt === null) return ok(null);
      const { app, provider, tries, receipt } = row;
      if (tries >= MAX_REVOCATION_TRIES) return await giveUp(id, tries, receipt);
      const attempt = tries + 1;
      const taken = await take(id, attempt);
      if (!taken.ok) return taken;
      const tokens = await seal.open({ column: "entity_connections.revoking[]", id }, receipt);
      // Tokens that no present key opens: a later attempt may have their key again.
      if (!taken.value || tokens === null) return ok(null);
      const due: DueRevocation = { app, provider, tokens: tokens as TokenSet, attempt, receipt };
      return ok(due);
    },

    async endRevocation(id, { receipt }) {
      const ended = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update entity_connections set revoking = array_remove(revoking, ${receipt}::text),
            revoke_tries = case when ${isLast(receipt)} and revoke_given_up then ${GIVEN_UP_TRIES}::int else 0 end,
            revoke_at = case when ${isLast(receipt)} and not revoke_given_up then null else now() end
          where ${isThis(tenant, id)} and ${receipt}::text = any (revoking)`),
        deleteOrphan(query, tenant, id),
      ]);
      return ended.ok ? ok(undefined) : ended;
    },

    async touchUsed(id) {
      await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update entity_connections set last_used_at = now()
          where ${isThis(tenant, id)} and (last_used_at is null
            or last_used_at < now() - ${USED_EVERY_MS}::float8 * interval '1 millisecond')`),
      ]);
    },
  };

  /** Sets the next attempt before this one is made: a crash costs one attempt, and never repeats at once. */
  async function take(id: string, attempt: number): Promise<Result<boolean>> {
    const taken = await asTenant(connection, tenant, (query) => [
      query.execute(sql`
        update entity_connections set revoke_tries = ${attempt}::int,
          revoke_at = ${CLOCK} + ${getRevocationDelay(attempt)}::float8 * interval '1 millisecond'
        where ${isThis(tenant, id)} and revoke_tries = ${attempt - 1}::int and revoke_at <= ${CLOCK}`),
    ]);
    return taken.ok ? ok(taken.value[0].rowCount > 0) : taken;
  }

  /** Erases one token set whose revocation cannot be confirmed; the next one has attempts of its own. The row says so at the end. */
  async function giveUp(id: string, tries: number, receipt: string): Promise<Result<null>> {
    const given = await asTenant(connection, tenant, (query) => [
      query.execute(sql`
        update entity_connections set revoking = array_remove(revoking, ${receipt}::text), revoke_given_up = true,
          revoke_tries = case when ${isLast(receipt)} then ${GIVEN_UP_TRIES}::int else 0 end, revoke_at = now()
        where ${isThis(tenant, id)} and revoke_tries = ${tries}::int and revoking[1] = ${receipt}::text`),
      deleteOrphan(query, tenant, id),
    ]);
    return given.ok ? ok(null) : given;
  }
}

/** True if nothing but this token set waits to be revoked. */
function isLast(receipt: string): SQL {
  return sql`cardinality(array_remove(revoking, ${receipt}::text)) = 0`;
}

function failEnded(connection: string): Failed {
  const message = "The access of this account has ended. Its owner has to connect it again.";
  return notSent("permission_denied", message, { cause: { kind: "connection_ended", connection } });
}
