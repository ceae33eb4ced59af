/** The tokens of connections in memory, and those that wait to be revoked. */
import {
  findTokensProblem,
  getRevocationDelay,
  GIVEN_UP_TRIES,
  MAX_LEASE_MS,
  MAX_REVOCATION_TRIES,
  USED_EVERY_MS,
} from "../../core/connections/rules.ts";
import { changeStatus } from "../../core/connections/states.ts";
import { notSent, ok } from "../../core/base/errors.ts";
import type { ConnectionTable } from "../../core/ports/connection-table.ts";
import { type ConnectionRows, edit } from "./connection-rows.ts";

type Tokens = Pick<
  ConnectionTable,
  "tokens" | "lease" | "storeTokens" | "enqueueRevocation" | "takeRevocation" | "endRevocation" | "touchUsed"
>;

export function fakeTokens(on: ConnectionRows): Tokens {
  return {
    tokens: (id) =>
      on.withRow(id, ({ tokens, version, connection: { status } }) =>
        status !== "active" || tokens === null
          ? notSent("permission_denied", "The access has ended.", {
              cause: { kind: "connection_ended", connection: id },
            })
          : ok({ tokens, version }),
      ),

    async lease(id, version, ms) {
      const row = on.rows.get(id);
      const isFree = row?.connection.status === "active" && row.version === version && row.leasedUntil <= on.now();
      if (row !== undefined && isFree) row.leasedUntil = on.now() + Math.min(ms, MAX_LEASE_MS);
      return Promise.resolve(ok(isFree));
    },

    async storeTokens(id, version, tokens) {
      const problem = findTokensProblem(JSON.stringify(tokens));
      if (problem !== null) return problem;
      const row = on.rows.get(id);
      if (row === undefined || row.version !== version) return Promise.resolve(ok(false));
      const { status } = row.connection;
      if (status === "revoked") {
        row.version += 1;
        on.enqueue(row, tokens);
        return ok(false);
      }
      if (changeStatus(status, "renew") !== "active" || row.tokens === null) return ok(false);
      Object.assign(row, { tokens, version: version + 1, leasedUntil: 0 });
      const expiresAt = tokens.kind === "oauth" ? tokens.expiresAt : null;
      edit(row, { status: "active", expiresAt, why: null, notifiedAt: null, lastCheckedAt: on.now() });
      return ok(true);
    },

    enqueueRevocation: (id, providerId) =>
      on.withRow(id, (row) => {
        if (row.flowAccount?.tokens.providerId === providerId) on.endFlow(row);
        return ok(undefined);
      }),

    async takeRevocation(id) {
      const row = on.rows.get(id);
      if (row === undefined) return Promise.resolve(ok(null));
      if (row.flowAccount !== null && row.flowAccount.until <= on.now()) on.endFlow(row);
      const { revocation, app, provider } = row.connection;
      const [tokens] = row.revoking;
      if (tokens === undefined || revocation === null || revocation.nextAt > on.now()) return ok(null);
      if (revocation.tries >= MAX_REVOCATION_TRIES) {
        row.revoking = row.revoking.slice(1);
        row.hasGivenUp = true;
        edit(row, { revocation: { nextAt: on.now(), tries: row.revoking.length === 0 ? GIVEN_UP_TRIES : 0 } });
        on.removeOrphan(row);
        return ok(null);
      }
      const attempt = revocation.tries + 1;
      edit(row, { revocation: { nextAt: on.now() + getRevocationDelay(attempt), tries: attempt } });
      return ok({ app, provider, tokens, attempt, receipt: JSON.stringify(tokens) });
    },

    async endRevocation(id, { receipt }) {
      const row = on.rows.get(id);
      if (row?.revoking.some((tokens) => JSON.stringify(tokens) === receipt) !== true) return ok(undefined);
      row.revoking = row.revoking.filter((tokens) => JSON.stringify(tokens) !== receipt);
      const isLast = row.revoking.length === 0;
      const tries = isLast && row.hasGivenUp ? GIVEN_UP_TRIES : 0;
      edit(row, { revocation: isLast && !row.hasGivenUp ? null : { nextAt: on.now(), tries } });
      on.removeOrphan(row);
      return Promise.resolve(ok(undefined));
    },

    touchUsed(id) {
      const row = on.rows.get(id);
      const at = row?.connection.lastUsedAt ?? null;
      if (row !== undefined && (at === null || at < on.now() - USED_EVERY_MS)) edit(row, { lastUsedAt: on.now() });
      return Promise.resolve();
    },
  };
}
