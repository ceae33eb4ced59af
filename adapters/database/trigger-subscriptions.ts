/** Subscriptions to the events of a provider. Secrets are sealed before they arrive here. */
import { eq, sql } from "drizzle-orm";
import { ok } from "../../core/base/errors.ts";
import { iso } from "../../core/base/iso.ts";
import { MAX_OLD_SECRETS } from "../../core/channels/webhooks/old-secrets.ts";
import type { SubscriptionTable } from "../../core/ports/subscription-table.ts";
import { asTenant, type Connection } from "./connection.ts";
import { triggerSubscriptions } from "./trigger-schema.ts";

export function subscriptionTable(connection: Connection): SubscriptionTable {
  return {
    async find(owner) {
      const read = await asTenant(connection, owner, (query) => [
        query.select().from(triggerSubscriptions).where(eq(triggerSubscriptions.tenant, owner)),
      ]);
      if (!read.ok) return read;
      const [row] = read.value[0];
      if (row === undefined || row.providerId === null || row.url === null || row.sealed === null) return ok(null);
      const { providerId, url, sealed, oldSealed, oldUntil, claimedUntil } = row;
      const old = oldSealed.map((one, at) => ({ sealed: one, until: oldUntil[at] ?? 0 }));
      return ok({ providerId, url, sealed, old, claimedUntil });
    },

    async claim(owner, now, until) {
      const [at, end] = [iso(now), iso(until)];
      const written = await asTenant(connection, owner, (query) => [
        query.execute(sql`
          insert into trigger_subscriptions (tenant, claimed_until, updated_at)
          values (${owner}::text, ${end}::timestamptz, ${at}::timestamptz)
          on conflict (tenant) do update set claimed_until = excluded.claimed_until
          where trigger_subscriptions.claimed_until is null or trigger_subscriptions.claimed_until <= ${at}::timestamptz`),
      ]);
      return written.ok ? ok(written.value[0].rowCount > 0) : written;
    },

    async release(owner) {
      const written = await asTenant(connection, owner, (query) => [
        query.execute(sql`update trigger_subscriptions set claimed_until = null where tenant = ${owner}::text`),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async store(owner, { providerId, url, sealed, oldUntil }, now) {
      const at = iso(now);
      const most = sql.raw(String(MAX_OLD_SECRETS));
      const written = await asTenant(connection, owner, (query) => [
        query.execute(sql`
          insert into trigger_subscriptions as s (tenant, provider_id, url, sealed, claimed_until, updated_at)
          values (${owner}::text, ${providerId}::text, ${url}::text, ${sealed}::text, null, ${at}::timestamptz)
          on conflict (tenant) do update set provider_id = excluded.provider_id, url = excluded.url,
            sealed = excluded.sealed, claimed_until = null, updated_at = excluded.updated_at,
            old_sealed = case when s.sealed is null then '{}' else (array_prepend(s.sealed, s.old_sealed))[1:${most}] end,
            old_until = case when s.sealed is null then '{}'
              else (array_prepend(${oldUntil}::bigint, s.old_until))[1:${most}] end`),
      ]);
      return written.ok ? ok(undefined) : written;
    },
  };
}
