/** An outbox on SQLite with a test clock, a scripted sender, and crashes. */
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { Delivery, DeliveryState } from "../../../../core/channels/outbox/delivery.ts";
import { type StartedAttempt, OutboxQueue } from "../../../../core/channels/outbox/queue.ts";
import type { Outcome } from "../../../../core/channels/outbox/rules.ts";
import { OutboxRetention } from "../../../../durable-objects/outbox/retention.ts";
import { DeliveryStore } from "../../../../durable-objects/outbox/store.ts";
import { type OutboxStorage, OutboxTables } from "../../../../durable-objects/outbox/tables.ts";

export const START = 1_800_000_000_000;

/** SQLite as an object's storage gives it. */
function storageOn(database: DatabaseSync): OutboxStorage {
  return {
    sql: {
      exec(query, ...values) {
        if (values.length === 0 && query.includes(";")) {
          database.exec(query);
          return { toArray: () => [] };
        }
        const rows = database.prepare(query).all(...(values as SQLInputValue[]));
        return { toArray: () => rows as never[] };
      },
    },
    transactionSync(work) {
      database.exec("BEGIN");
      try {
        const done = work();
        database.exec("COMMIT");
        return done;
      } catch (thrown) {
        database.exec("ROLLBACK");
        throw thrown;
      }
    },
  };
}

let made = 0;

export function deliveryOf(more: Partial<Delivery> = {}): Delivery {
  made += 1;
  return {
    id: `dlv_${made}`,
    tenant: "ten_a",
    channel: "slack",
    to: "T1/C1",
    kind: "result",
    task: null,
    about: null,
    content: { text: "Done." },
    lane: `lane ${made}`,
    slot: null,
    keepAs: null,
    refs: [],
    notBefore: 0,
    otherwise: [],
    createdAt: START,
    ...more,
  };
}

export class OutboxWorld {
  now = START;
  /** Running attempts, in the order of their start. */
  underWay: StartedAttempt[] = [];
  /** All attempts that ever started. */
  readonly attempts: (StartedAttempt & { readonly at: number })[] = [];
  readonly tables = new OutboxTables(storageOn(new DatabaseSync(":memory:")));
  readonly store = new DeliveryStore(this.tables, () => this.now);
  readonly forgetting = new OutboxRetention(this.tables);
  queue = new OutboxQueue(this.store);

  put(...deliveries: readonly Delivery[]): void {
    this.tables.change(() => {
      for (const delivery of deliveries) this.queue.put(delivery, this.now);
    });
    this.work();
  }

  callOff(about: string): void {
    this.queue.cancel(about, this.now);
    this.work();
  }

  replay(id: string): boolean {
    const isReplayed = this.queue.replay(id, this.now);
    this.work();
    return isReplayed;
  }

  /** Ends a running attempt. */
  settle(leaving: StartedAttempt, outcome: Outcome): void {
    this.underWay = this.underWay.filter((one) => one !== leaving);
    this.queue.settle(leaving.delivery.id, leaving.attempt.number, outcome, this.now);
    this.work();
  }

  /** Loses everything in memory; the alarm wakes the stored outbox. */
  crash(): void {
    this.underWay = [];
    this.queue = new OutboxQueue(this.store);
    this.work();
  }

  /** What the object does after every event. */
  work(): void {
    this.queue.recover((id) => this.underWay.some(({ delivery }) => delivery.id === id), this.now);
    for (let next = this.queue.begin(this.now); next !== null; next = this.queue.begin(this.now)) {
      this.underWay.push(next);
      this.attempts.push({ ...next, at: this.now });
    }
  }

  /** Moves the clock to the next alarm; false without one. */
  sleep(): boolean {
    const at = this.queue.nextAt(this.now);
    if (at === null) return false;
    this.now = Math.max(this.now, at);
    this.work();
    return true;
  }

  /** Answers the attempts and waits in between until nothing is left. */
  run(answer: (leaving: StartedAttempt) => Outcome): void {
    for (let turns = 0; turns < 5000; turns += 1) {
      const [next] = this.underWay;
      if (next !== undefined) this.settle(next, answer(next));
      else if (!this.sleep()) return;
    }
    throw new Error("it never comes to rest");
  }

  state(id: string): DeliveryState | null {
    return this.store.row(id)?.state ?? null;
  }

  ids(): string[] {
    return this.attempts.map(({ delivery }) => delivery.id);
  }
}

export const SENT: Outcome = { kind: "sent", ref: null };
export const LATER: Outcome = { kind: "later", why: "busy", afterMs: null };
export const CUT_OFF: Outcome = { kind: "cut_off", why: "broken", byCrash: false };
