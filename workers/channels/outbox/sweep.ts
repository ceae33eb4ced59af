/** The sweep's work for outboxes: wakes those whose alarm may be lost, and erases those of erased tenants. */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { outboxesFromEnv } from "../../../adapters/env/channels.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import type { Page, PagePosition } from "../../../core/base/page-cursor.ts";
import { wakeEach } from "../../../core/sweep/wake-overdue.ts";
import { unwrap } from "../../http/unwrap.ts";

/**
 * The alarm of a delivery that is overdue this long may be lost. It may also wait for an earlier one, which is
 * harmless.
 */
const OVERDUE_MS = 60_000;
/** Rows that one run reads, and reads at once. Several deliveries of one outbox need one wake-up. */
const MAX_ROWS = 20_000;
const BATCH = 2000;
/** Outboxes of one erased tenant that are read at once. */
const OUTBOXES = 50;

/** Wakes outboxes with deliveries that are overdue. */
export async function wakeOutboxes(env: Env, now: number, poke: (outbox: string) => Promise<void>): Promise<void> {
  const outboxes = new Set<string>();
  let after: PagePosition | null = null;
  for (let looked = 0; looked < MAX_ROWS; looked += BATCH) {
    const page: Page<{ readonly outbox: string }> = unwrap(
      await databaseFromEnv(env).deliveries.overdue(now - OVERDUE_MS, { after, limit: BATCH }),
    );
    for (const { outbox } of page.items) outboxes.add(outbox);
    after = page.next;
    if (after === null) break;
  }
  await wakeEach([...outboxes], poke, { now: () => Date.now(), after: async (ms) => await scheduler.wait(ms) });
}

/** Erases the outboxes of an erased tenant. False if some are left for the next run. */
export async function eraseOutboxes(env: Env, tenant: string): Promise<boolean> {
  const { deliveries } = databaseFromEnv(env);
  const outboxes = unwrap(await deliveries.outboxes(tenant, OUTBOXES));
  for (const outbox of outboxes) {
    await outboxesFromEnv(env)(outbox).erase();
    unwrap(await deliveries.removeOutbox(tenant, outbox));
  }
  return outboxes.length < OUTBOXES;
}
