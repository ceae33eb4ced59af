/**
 * Deletes what is past the tenant's retention, the earliest ended trees first, at most 1,000 trees a minute, from a
 * stored cursor. The index lists candidates; the root's object decides whether and when its whole tree ended.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type AuditEntry, BY_OTTO } from "../../core/ports/audit.ts";
import { unwrap } from "../../core/base/unwrap.ts";
import { makeId } from "../../core/base/ids.ts";
import { isWithoutState } from "../../core/task/lost.ts";
import type { PagePosition } from "../../core/base/page-cursor.ts";
import { computeRetryAt } from "../../core/tenant/index-outbox.ts";
import {
  applyBatch,
  recordExamined,
  computeCutoff,
  UNLIMITED_RETENTION,
  isUnlimited,
  getSweepAllowance,
  createProgress,
  computeNextSweep,
  startDay,
  type Retention,
  RETENTION_PARTS,
  type RetentionPart,
  type RetentionProgress,
} from "../../core/tenant/retention.ts";
import { eraseLostTree, findLostTree } from "./lost-tree.ts";
import type { TenantTables } from "./tables.ts";

/** Trees per batch, after which the cursor is stored, and concurrent calls of objects. */
const BATCH = 50;
const AT_ONCE = 10;
/** A sweep that a crash interrupted continues after this. */
const GUARD_MS = 60_000;

/** What a sweep deletes, of trees that ended before the cutoff. */
interface Sweep {
  readonly tenant: string;
  readonly part: RetentionPart;
  readonly cutoff: number;
}

/**
 * What happens to a tree. `lost`: its root lost its state, and these are the tasks below it. `unchanged`: the part was
 * already deleted. `passed`: it is active, ended too late, or failed.
 */
type Verdict = "due" | "unchanged" | "passed" | { readonly lost: readonly string[] };

interface Parts {
  readonly tables: TenantTables;
  /** Removes a task with an empty object from the index. Its summary stays. */
  readonly forget: (task: string) => void;
  /** Sends pending reports to the index. False if Postgres is unavailable. */
  readonly sendAll: () => Promise<boolean>;
  /** Writes the pending summaries of these tasks. False if one failed. */
  readonly saveSummaries: (tasks: readonly string[]) => Promise<boolean>;
  /** True during a rebuild, when the index is incomplete. */
  readonly isRebuilding: () => boolean;
  /** Called after the retention was replaced. */
  readonly onSet: () => void;
}

interface RetentionRow {
  readonly retention: Retention;
  readonly progress: RetentionProgress | null;
}

export class TenantRetention {
  private readonly env: Env;
  private readonly parts: Parts;
  private knownRow: RetentionRow | undefined;
  private running: Promise<void> | null = null;
  private failures = 0;
  private failedAt = 0;

  constructor(env: Env, parts: Parts) {
    this.env = env;
    this.parts = parts;
  }

  getState(): RetentionRow {
    this.knownRow ??= this.read();
    return this.knownRow;
  }

  /** Replaces the retention. The sweep restarts at the earliest tree. */
  set(retention: Retention, now: number): void {
    if (this.parts.tables.isErased()) return;
    const progress = isUnlimited(retention) ? null : createProgress(this.getState().progress, now);
    this.store({ retention, progress });
    this.parts.onSet();
  }

  /** Restarts the sweep after a rebuild: the index may have regained trees before the cursor. */
  restart(now: number): void {
    const { retention, progress } = this.getState();
    if (progress !== null) this.store({ retention, progress: createProgress(progress, now) });
  }

  /**
   * Returns when the sweep continues; null when nothing expires or a rebuild runs. During a sweep, that is when a crash
   * would be recovered.
   */
  nextAt(now: number): number | null {
    const { progress } = this.getState();
    if (progress === null || this.parts.tables.isErased() || this.parts.isRebuilding()) return null;
    if (this.running !== null) return now + GUARD_MS;
    return Math.max(progress.nextAt, computeRetryAt(this.failures, this.failedAt, now));
  }

  /** Sweeps as much as the minute allows. Never throws: the alarm retries a failure. */
  async run(): Promise<void> {
    this.running ??= this.sweep().finally(() => {
      this.running = null;
    });
    await this.running;
  }

  erase(): void {
    this.parts.tables.clear("retention");
    this.knownRow = undefined;
  }

  private async sweep(): Promise<void> {
    const tenant = this.parts.tables.getTenant();
    if (tenant === null) return;
    try {
      // The cursor must not pass a tree whose end is not in the index yet.
      if (!(await this.parts.sendAll())) throw new Error("the database did not accept the rows");
      let hasMore = false;
      for (const part of RETENTION_PARTS) hasMore = (await this.sweepPart(tenant, part)) || hasMore;
      this.failures = 0;
      const { retention, progress } = this.getState();
      if (progress === null || this.parts.tables.isErased()) return;
      const nextAt = computeNextSweep(retention, progress, hasMore, Date.now());
      this.store({ retention, progress: { ...progress, nextAt } });
    } catch (thrown) {
      this.failures += 1;
      this.failedAt = Date.now();
      console.error("the retention sweep of a tenant failed and is retried", tenant, thrown);
    }
  }

  /** Returns true if more trees are due than the minute allows. */
  private async sweepPart(tenant: string, part: RetentionPart): Promise<boolean> {
    for (;;) {
      const now = Date.now();
      const { retention, progress } = this.getState();
      const cutoff = computeCutoff(retention, part, now);
      if (cutoff === null || progress === null || this.isStopped()) return false;
      const today = startDay(progress, now);
      const { after } = today.parts[part];
      const limit = Math.min(BATCH, getSweepAllowance(today, now));
      const { tasks, audit } = databaseFromEnv(this.env);
      const trees = unwrap(await tasks.listEnded(tenant, cutoff, { after, limit: Math.max(limit, 1) }));
      if (trees.length === 0) return false;
      if (limit === 0) return true;
      // The retention was set meanwhile, and the sweep restarts.
      if (this.getState().progress !== progress || this.isStopped()) return false;
      const counted = recordExamined(today, trees.length, now);
      this.store({ retention, progress: counted });
      const sweep = { tenant, part, cutoff };
      const verdicts = await mapInBatches(trees, async ({ id }) => await this.judge(sweep, id));
      // The audit entry is written before the first tree of the day is deleted.
      if (verdicts.some(isDue) && isUntouched(today))
        unwrap(await audit.add(tenant, await toAuditEntry(tenant, today.day)));
      // A summary is made from the state of the task's object.
      if (part === "tasks" && !(await this.parts.saveSummaries(trees.map(({ id }) => id))))
        throw new Error("summaries could not be saved");
      if (this.getState().progress !== counted || this.isStopped()) return false;
      const swept = await mapInBatches(
        trees,
        async ({ id }, at) => await this.remove(sweep, id, verdicts[at] ?? "passed"),
      );
      if (this.getState().progress !== counted || this.isStopped()) return false;
      const removed = swept.filter((one) => one === "removed").length;
      const outcome = { removed, last: trees.at(-1) ?? null, hasPassed: swept.includes("passed") };
      this.store({ retention, progress: applyBatch(counted, part, outcome) });
    }
  }

  private isStopped(): boolean {
    return this.parts.tables.isErased() || this.parts.isRebuilding();
  }

  private async judge({ tenant, part, cutoff }: Sweep, task: string): Promise<Verdict> {
    try {
      const tree = tasksFromEnv(this.env)(tenant, task);
      const ended = await tree.treeEndedAt();
      if (!ended.ok && part === "tasks") {
        // An interrupted deletion is finished here, unless the task's own alarm is earlier.
        if (!isWithoutState(ended.error)) return ended.error.code === "not_found" ? "due" : "passed";
        const below = await findLostTree(this.env, tenant, task, cutoff);
        return below === null ? "passed" : { lost: below };
      }
      if (!ended.ok || ended.value === null || ended.value > cutoff) return "passed";
      if (part === "tasks") return "due";
      const has = await tree.hasPart(part);
      if (!has.ok) return "passed";
      return has.value ? "due" : "unchanged";
    } catch (thrown) {
      return this.passOver(tenant, task, thrown);
    }
  }

  private async remove(
    { tenant, part }: Sweep,
    task: string,
    verdict: Verdict,
  ): Promise<"removed" | "unchanged" | "passed"> {
    if (verdict === "passed" || verdict === "unchanged") return verdict;
    try {
      if (verdict !== "due") {
        const tree = { tenant, root: task, below: verdict.lost };
        return (await eraseLostTree(this.env, tree, this.parts.forget)) ? "removed" : "passed";
      }
      const tree = tasksFromEnv(this.env)(tenant, task);
      const removed = part === "tasks" ? await tree.erase(true) : await tree.trim(part);
      return removed.ok || removed.error.code === "not_found" ? "removed" : "passed";
    } catch (thrown) {
      return this.passOver(tenant, task, thrown);
    }
  }

  private passOver(tenant: string, task: string, thrown: unknown): "passed" {
    console.error("a tree past its retention was skipped", tenant, task, thrown);
    return "passed";
  }

  private read(): RetentionRow {
    const query = "SELECT retention, progress FROM retention";
    const [row] = this.parts.tables.read<{ retention: string; progress: string | null }>(query);
    if (row === undefined) return { retention: UNLIMITED_RETENTION, progress: null };
    const progress = row.progress === null ? null : (JSON.parse(row.progress) as RetentionProgress);
    return { retention: JSON.parse(row.retention) as Retention, progress };
  }

  private store(stored: RetentionRow): void {
    const { retention, progress } = stored;
    this.parts.tables.write(
      "INSERT OR REPLACE INTO retention VALUES (1, ?, ?)",
      JSON.stringify(retention),
      progress === null ? null : JSON.stringify(progress),
    );
    this.knownRow = stored;
  }
}

/** Processes each tree, a few concurrently. */
async function mapInBatches<T>(
  trees: readonly PagePosition[],
  work: (tree: PagePosition, at: number) => Promise<T>,
): Promise<T[]> {
  const done: T[] = [];
  for (let at = 0; at < trees.length; at += AT_ONCE) {
    const some = trees.slice(at, at + AT_ONCE);
    done.push(...(await Promise.all(some.map(async (tree, index) => await work(tree, at + index)))));
  }
  return done;
}

function isDue(verdict: Verdict): boolean {
  return verdict === "due" || typeof verdict === "object";
}

/** True before the first deletion of the day. */
function isUntouched({ parts }: RetentionProgress): boolean {
  return RETENTION_PARTS.every((part) => parts[part].today === 0);
}

/** Returns the same entry all day. */
async function toAuditEntry(tenant: string, day: string): Promise<AuditEntry> {
  const at = Date.parse(`${day}T00:00:00Z`);
  const name = new TextEncoder().encode(`retention ${tenant} ${day}`);
  const id = makeId("audit", at, new Uint8Array(await crypto.subtle.digest("SHA-256", name)));
  return { id, at, actor: BY_OTTO, action: "retention.sweep", target: tenant, requestId: day };
}
