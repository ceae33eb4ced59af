/** When a task tells its tenant and its parent how it stands: what matters at once, the rest soon, and what failed again. */
import type { TaskRelations } from "./relations.ts";
import type { TaskStore } from "./store.ts";
import { computeBackoffMs } from "../../core/base/backoff.ts";

/** What can wait is told after this long, with whatever came since. */
const SOON_MS = 100;
const MAX_BACKOFF_MS = 60_000;

export class TaskReports {
  private readonly store: TaskStore;
  private readonly relations: TaskRelations;
  private readonly leave: () => Promise<void>;
  private telling: Promise<void> | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private failures = 0;

  /** `leave`: the tenant is gone, and the task has to go too. It is tried again like the telling itself. */
  constructor(store: TaskStore, relations: TaskRelations, leave: () => Promise<void>) {
    this.store = store;
    this.relations = relations;
    this.leave = leave;
  }

  /** Calls back once it is time to tell. For a task that runs: one that waits keeps no timer. */
  soon(tell: () => void): void {
    this.timer ??= setTimeout(tell, SOON_MS);
  }

  /** Tells what has not been told. Never throws: what fails is to be tried again. */
  async tell(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.telling ??= this.tellAll().finally(() => {
      this.telling = null;
    });
    await this.telling;
  }

  /** When to try again; null: everything was told. */
  retryAt(now: number): number | null {
    if (!this.store.hasNews()) return null;
    return now + computeBackoffMs(this.failures + 1, MAX_BACKOFF_MS);
  }

  private async tellAll(): Promise<void> {
    try {
      for (let stored = this.store.load(); stored !== null && this.store.hasNews(); stored = this.store.load()) {
        const untold = this.store.untold(stored);
        if (await this.relations.report(stored, this.store.view(stored.state), untold.notices))
          return await this.leave();
        this.store.markTold(stored.version, untold);
      }
      this.failures = 0;
    } catch (thrown) {
      this.failures += 1;
      console.error("report to the tenant failed", thrown);
    }
  }
}
