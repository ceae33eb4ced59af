/** Deletes what an outbox no longer needs: ended deliveries, replies of channels, bodies of received events. */
import {
  DELIVERY_RETENTION_MS,
  PROGRESS_RETENTION_MS,
  EVENT_BODY_RETENTION_MS,
} from "../../core/channels/outbox/rules.ts";
import type { OutboxTables } from "./tables.ts";

/** Rows deleted per turn. */
const BATCH = 500;
/** Received events that still have their body, in the words of their index. */
const WITH_TAKEN_BODY = `kind = 'event' AND state = 'sent' AND instr(delivery, '"content":{}') = 0`;

/** Every method is synchronous. */
export class OutboxRetention {
  private readonly tables: OutboxTables;

  constructor(tables: OutboxTables) {
    this.tables = tables;
  }

  /** Lists expired deliveries, at most one batch. */
  listExpired(now: number): readonly string[] {
    const some = (rest: string, before: number) =>
      this.tables
        .read<{ id: string }>(`SELECT id FROM deliveries WHERE ended_at <= ? ${rest} LIMIT ?`, before, BATCH)
        .map(({ id }) => id);
    const all = some("ORDER BY ended_at", now - DELIVERY_RETENTION_MS);
    return all.length > 0 ? all : some("AND kind = 'progress' ORDER BY ended_at", now - PROGRESS_RETENTION_MS);
  }

  deleteExpired(ids: readonly string[], now: number): void {
    const gone = JSON.stringify(ids);
    this.tables.change(() => {
      for (const [table, column] of [
        ["deliveries", "id"],
        ["attempts", "delivery"],
        ["stand_ins", "owner"],
      ])
        this.tables.write(`DELETE FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?))`, gone);
      for (const table of ["refs", "called_off"])
        this.tables.write(`DELETE FROM ${table} WHERE at <= ?`, now - DELIVERY_RETENTION_MS);
    });
  }

  /** Empties expired bodies, at most one batch. False if there were none. */
  emptyBodies(now: number): boolean {
    const emptied = this.tables.write(
      `UPDATE deliveries SET delivery = json_set(delivery, '$.content', json('{}')) WHERE id IN (
        SELECT id FROM deliveries WHERE ${WITH_TAKEN_BODY} AND ended_at <= ?1 LIMIT ?2) RETURNING id`,
      now - EVENT_BODY_RETENTION_MS,
      BATCH,
    );
    return emptied.length > 0;
  }

  /** Returns when the next delivery or body expires; null if none does. */
  nextExpiryAt(): number | null {
    const first = (which: string) => {
      const query = `SELECT MIN(ended_at) AS at FROM deliveries WHERE ended_at IS NOT NULL AND ${which}`;
      return this.tables.read<{ at: number | null }>(query)[0]?.at ?? Infinity;
    };
    const at = Math.min(
      first("TRUE") + DELIVERY_RETENTION_MS,
      first("kind = 'progress'") + PROGRESS_RETENTION_MS,
      first(WITH_TAKEN_BODY) + EVENT_BODY_RETENTION_MS,
    );
    return at === Infinity ? null : at;
  }
}
