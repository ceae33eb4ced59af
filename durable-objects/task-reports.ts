/** When a task tells its tenant and its parent how it stands: what matters at once, the rest soon, and what failed again. */
import type { TaskRelations } from "./task-relations.ts";
import type { TaskStore } from "./task-store.ts";

/** What can wait is told after this long, with whatever came since. */
const SOON_MS = 100;
/** After a report failed: doubled each time, up to the longest. */
const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

/** What has come of telling. `erased`: the tenant is gone, and the task has to go too. */
export type Told = "told" | "failed" | "erased";

export class TaskReports {
  private readonly store: TaskStore;
  private readonly relations: TaskRelations;
  private telling: Promise<Told> | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private failures = 0;

  constructor(store: TaskStore, relations: TaskRelations) {
    this.store = store;
    this.relations = relations;
  }

  /** Calls back once it is time to tell. For a task that runs: one that waits keeps no timer. */
  soon(tell: () => void): void {
    this.timer ??= setTimeout(tell, SOON_MS);
  }

  /** Tells what has not been told. */
  async tell(): Promise<Told> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.telling ??= this.tellAll().finally(() => {
      this.telling = null;
    });
    return await this.telling;
  }

  /** When to try again; null: everything was told. */
  retryAt(now: number): number | null {
    if (this.store.load()?.unreported !== true) return null;
    return now + Math.min(RETRY_MS * 2 ** this.failures, LONGEST_RETRY_MS);
  }

  private async tellAll(): Promise<Told> {
    try {
      for (let stored = this.store.load(); stored?.unreported === true; stored = this.store.load()) {
        if (await this.relations.report(stored, this.store.view(stored.state))) return "erased";
        this.store.markReported(stored.version);
      }
      this.failures = 0;
      return "told";
    } catch (thrown) {
      this.failures += 1;
      console.error("report to the tenant failed", thrown);
      return "failed";
    }
  }
}
