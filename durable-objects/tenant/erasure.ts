/** Erases a tenant: marks its object, deletes its rows, and lists the tasks that are still to be erased. */
import type { TenantAlarm } from "./alarm.ts";
import type { TenantFeed } from "./feed.ts";
import type { TenantOutbox } from "./outbox.ts";
import type { TenantRates } from "./rates.ts";
import type { TenantRepeats } from "./repeats.ts";
import type { TenantTables } from "./tables.ts";

/** Tasks that one call lists. */
const MAX_LISTED = 100;

interface Parts {
  readonly tables: Pick<TenantTables, "getTenant" | "isErased" | "markErased" | "storage">;
  readonly outbox: Pick<TenantOutbox, "listUnerased">;
  readonly rates: Pick<TenantRates, "erase">;
  readonly feed: Pick<TenantFeed, "closeRevoked">;
  readonly alarms: Pick<TenantAlarm, "remove">;
  readonly repeats: Pick<TenantRepeats, "wakeAll">;
  /** Parts whose rows are deleted with the tenant. */
  readonly rows: readonly { erase(): void }[];
}

export class TenantErasure {
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** Idempotent. Returns the tasks that are still to be erased, at most 100. */
  erase(): readonly string[] {
    const { tables, outbox, rates, feed, alarms, repeats, rows } = this.parts;
    const tenant = tables.getTenant();
    if (tenant === null) throw new Error("a tenant's object needs a name");
    if (!tables.isErased()) {
      tables.storage.transactionSync(() => {
        tables.markErased(tenant, Date.now());
        for (const part of rows) part.erase();
      });
      rates.erase();
      feed.closeRevoked();
      alarms.remove();
      repeats.wakeAll();
    }
    return outbox.listUnerased(MAX_LISTED);
  }
}
