/**
 * Removes what is past the tenant's retention: of the trees that ended, the earliest first, at most 1,000 a minute, at a stored
 * cursor. The task's own object says whether its whole tree has ended, and when; the index only says where to look.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type AuditEntry, BY_OTTO } from "../../core/ports/audit.ts";
import { OttoError, type Result } from "../../core/base/errors.ts";
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

/** Trees of one batch, after which the cursor is stored, and objects that are requested at the same time. */
const BATCH = 50;
const AT_ONCE = 10;
/** A sweep that was cut off by a crash continues after this. */
const GUARD_MS = 60_000;

/** What a sweep removes, of trees that ended before the cutoff. */
interface Sweep {
  readonly tenant: string;
  readonly part: RetentionPart;
  readonly cutoff: number;
}

/**
 * Whether a tree loses the part. `lost`: its root's state is lost, and these are the tasks below it. `unchanged`: it lost the part
 * earlier. `passed`: it lives, ended too late, or could not be judged or removed now.
 */
type Verdict = "due" | "unchanged" | "passed" | { readonly lost: readonly string[] };

interface Parts {
  readonly tables: TenantTables;
  /** Takes a task out of the index whose object holds nothing. Its summary stays. */
  readonly forget: (task: string) => void;
  /** Sends what tasks reported to the index. False: Postgres is away. */
  readonly sendAll: () => Promise<boolean>;
  /** Saves the summaries of these tasks that are due. False: one could not be saved. */
  readonly saveSummaries: (tasks: readonly string[]) => Promise<boolean>;
  /** True while the index is rebuilt, and lacks trees. */
  readonly isRebuilding: () => boolean;
}

interface Stored {
  readonly retention: Retention;
  readonly progress: RetentionProgress | null;
}

export class TenantRetention {
  private readonly env: Env;
  private readonly parts: Parts;
  private known: Stored | undefined;
  private running: Promise<void> | null = null;
  private failures = 0;
  private failedAt = 0;

  constructor(env: Env, parts: Parts) {
    this.env = env;
    this.parts = parts;
  }

  standing(): Stored {
    this.known ??= this.read();
    return this.known;
  }

  /** The sweep begins again at the earliest tree. */
  set(retention: Retention, now: number): void {
    const progress = isUnlimited(retention) ? null : createProgress(this.standing().progress, now);
    this.keep({ retention, progress });
  }

  /** The index was rebuilt, and may have trees before the cursor that it lacked: the sweep begins again at the earliest. */
  restart(now: number): void {
    const { retention, progress } = this.standing();
    if (progress !== null) this.keep({ retention, progress: createProgress(progress, now) });
  }

  /** When the sweep continues; null: everything is kept, or the index is rebuilt first. While it runs, that is when a crash is made good. */
  nextAt(now: number): number | null {
    const { progress } = this.standing();
    if (progress === null || this.parts.tables.isErased() || this.parts.isRebuilding()) return null;
    if (this.running !== null) return now + GUARD_MS;
    return Math.max(progress.nextAt, computeRetryAt(this.failures, this.failedAt, now));
  }

  /** Sweeps as much as the minute allows. Never throws: what fails is tried again by the alarm. */
  async run(): Promise<void> {
    this.running ??= this.sweep().finally(() => {
      this.running = null;
    });
    await this.running;
  }

  erase(): void {
    this.parts.tables.empty("retention");
    this.known = undefined;
  }

  private async sweep(): Promise<void> {
    const tenant = this.parts.tables.tenant();
    if (tenant === null) return;
    try {
      // The cursor passes no tree whose end the index does not have yet.
      if (!(await this.parts.sendAll())) throw new Error("the database did not take the rows");
      let hasMore = false;
      for (const part of RETENTION_PARTS) hasMore = (await this.sweepPart(tenant, part)) || hasMore;
      this.failures = 0;
      const { retention, progress } = this.standing();
      if (progress === null || this.parts.tables.isErased()) return;
      const nextAt = computeNextSweep(retention, progress, hasMore, Date.now());
      this.keep({ retention, progress: { ...progress, nextAt } });
    } catch (thrown) {
      this.failures += 1;
      this.failedAt = Date.now();
      console.error("the retention of a tenant waits", tenant, thrown);
    }
  }

  /** True: there is more, which the minute has no room for. */
  private async sweepPart(tenant: string, part: RetentionPart): Promise<boolean> {
    for (;;) {
      const now = Date.now();
      const { retention, progress } = this.standing();
      const cutoff = computeCutoff(retention, part, now);
      if (cutoff === null || progress === null || this.isStopped()) return false;
      const today = startDay(progress, now);
      const { after } = today.parts[part];
      const limit = Math.min(BATCH, getSweepAllowance(today, now));
      const { tasks, audit } = databaseFromEnv(this.env);
      const trees = value(await tasks.listEnded(tenant, cutoff, { after, limit: Math.max(limit, 1) }));
      if (trees.length === 0) return false;
      if (limit === 0) return true;
      // It was set meanwhile, and begins again.
      if (this.standing().progress !== progress || this.isStopped()) return false;
      const counted = recordExamined(today, trees.length, now);
      this.keep({ retention, progress: counted });
      const sweep = { tenant, part, cutoff };
      const verdicts = await mapSome(trees, async ({ id }) => await this.judge(sweep, id));
      // The audit log says it before the first tree of the day goes.
      if (verdicts.some(isDue) && isUntouched(today)) value(await audit.add(tenant, await actOf(tenant, today.day)));
      // A summary is made of what the task's object stores.
      if (part === "tasks" && !(await this.parts.saveSummaries(trees.map(({ id }) => id))))
        throw new Error("summaries could not be saved");
      if (this.standing().progress !== counted || this.isStopped()) return false;
      const swept = await mapSome(trees, async ({ id }, at) => await this.remove(sweep, id, verdicts[at] ?? "passed"));
      if (this.standing().progress !== counted || this.isStopped()) return false;
      const removed = swept.filter((one) => one === "removed").length;
      const outcome = { removed, last: trees.at(-1) ?? null, hasPassed: swept.includes("passed") };
      this.keep({ retention, progress: applyBatch(counted, part, outcome) });
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
        // An erasing that was cut off is ended here, if its alarm is not sooner.
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
    console.error("a tree past its retention was passed over", tenant, task, thrown);
    return "passed";
  }

  private read(): Stored {
    const query = "SELECT retention, progress FROM retention";
    const [row] = this.parts.tables.read<{ retention: string; progress: string | null }>(query);
    if (row === undefined) return { retention: UNLIMITED_RETENTION, progress: null };
    const progress = row.progress === null ? null : (JSON.parse(row.progress) as RetentionProgress);
    return { retention: JSON.parse(row.retention) as Retention, progress };
  }

  private keep(stored: Stored): void {
    const { retention, progress } = stored;
    this.parts.tables.write(
      "INSERT OR REPLACE INTO retention VALUES (1, ?, ?)",
      JSON.stringify(retention),
      progress === null ? null : JSON.stringify(progress),
    );
    this.known = stored;
  }
}

/** Does this with each tree, a few at the same time. */
async function mapSome<T>(
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

/** True while nothing was removed on this day. */
function isUntouched({ parts }: RetentionProgress): boolean {
  return RETENTION_PARTS.every((part) => parts[part].today === 0);
}

/** One entry a day, however often it is added. */
async function actOf(tenant: string, day: string): Promise<AuditEntry> {
  const at = Date.parse(`${day}T00:00:00Z`);
  const name = new TextEncoder().encode(`retention ${tenant} ${day}`);
  const id = makeId("audit", at, new Uint8Array(await crypto.subtle.digest("SHA-256", name)));
  return { id, at, actor: BY_OTTO, action: "retention.sweep", target: tenant, requestId: day };
}

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new OttoError(result.error);
  return result.value;
}
