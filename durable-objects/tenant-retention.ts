/**
 * Removes what is past the tenant's retention: of the trees that ended, the earliest first, at most 1,000 a minute, at a stored
 * cursor. The task's own object says whether its whole tree has ended, and when; the index only says where to look.
 */
import { databaseFromEnv, tasksFromEnv, type Env } from "../adapters/from-env.ts";
import { type AuditEntry, BY_OTTO } from "../core/audit-entry.ts";
import { OttoError, type Result } from "../core/errors.ts";
import { makeId } from "../core/ids.ts";
import type { Place } from "../core/page-cursor.ts";
import { computeRetryAt } from "../core/tenant/index-outbox.ts";
import {
  afterBatch,
  countLooked,
  cutoffOf,
  KEEP_EVERYTHING,
  keepsEverything,
  mayLook,
  newProgress,
  nextSweepAt,
  onDay,
  type Retention,
  RETENTION_PARTS,
  type RetentionPart,
  type RetentionProgress,
} from "../core/tenant/retention.ts";
import type { TenantTables } from "./tenant-tables.ts";

/** Trees of one batch, after which the cursor is stored, and objects that are requested at the same time. */
const BATCH = 50;
const AT_ONCE = 10;
/** A sweep that was cut off by a crash goes on after this. */
const GUARD_MS = 60_000;

/** What became of a tree. `passed`: it lives, ended too late, or could not be removed now. */
type Swept = "removed" | "passed";

interface Parts {
  readonly tables: TenantTables;
  /** Takes a task out of the index whose object holds nothing. */
  readonly forget: (task: string) => void;
  /** Sends what tasks reported to the index. False: Postgres is away. */
  readonly sendAll: () => Promise<boolean>;
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
    const progress = keepsEverything(retention) ? null : newProgress(this.standing().progress, now);
    this.keep({ retention, progress });
  }

  /** The index was rebuilt, and may have trees before the cursor that it lacked: the sweep begins again at the earliest. */
  restart(now: number): void {
    const { retention, progress } = this.standing();
    if (progress !== null) this.keep({ retention, progress: newProgress(progress, now) });
  }

  /** When the sweep goes on; null: everything is kept, or the index is rebuilt first. While it runs, that is when a crash is made good. */
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
      const nextAt = nextSweepAt(retention, progress, hasMore, Date.now());
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
      const cutoff = cutoffOf(retention, part, now);
      if (cutoff === null || progress === null || this.isStopped()) return false;
      const today = onDay(progress, now);
      const { after } = today.parts[part];
      const limit = Math.min(BATCH, mayLook(today, now));
      const { tasks, audit } = databaseFromEnv(this.env);
      const trees = value(await tasks.ended(tenant, cutoff, { after, limit: Math.max(limit, 1) }));
      if (trees.length === 0) return false;
      if (limit === 0) return true;
      // The audit log says it before the first tree of the day goes.
      if (isUntouched(today)) value(await audit.add(tenant, await actOf(tenant, today.day)));
      // It was set meanwhile, and begins again.
      if (this.standing().progress !== progress || this.isStopped()) return false;
      const counted = countLooked(today, trees.length, now);
      this.keep({ retention, progress: counted });
      const swept = await this.sweepTrees(tenant, part, trees, cutoff);
      if (this.standing().progress !== counted || this.isStopped()) return false;
      const removed = swept.filter((one) => one === "removed").length;
      const outcome = { removed, last: trees.at(-1) ?? null, hasPassed: removed < trees.length };
      this.keep({ retention, progress: afterBatch(counted, part, outcome) });
    }
  }

  private isStopped(): boolean {
    return this.parts.tables.isErased() || this.parts.isRebuilding();
  }

  private async sweepTrees(
    tenant: string,
    part: RetentionPart,
    trees: readonly Place[],
    cutoff: number,
  ): Promise<Swept[]> {
    const swept: Swept[] = [];
    for (let at = 0; at < trees.length; at += AT_ONCE) {
      const some = trees.slice(at, at + AT_ONCE).map(async ({ id }) => await this.sweepTree(tenant, part, id, cutoff));
      swept.push(...(await Promise.all(some)));
    }
    return swept;
  }

  private async sweepTree(tenant: string, part: RetentionPart, task: string, cutoff: number): Promise<Swept> {
    try {
      const tree = tasksFromEnv(this.env)(tenant, task);
      const ended = await tree.treeEndedAt();
      if (!ended.ok && ended.error.code !== "not_found") return "passed";
      if (!ended.ok) {
        // Its object holds nothing: its row goes where the task would, and there is nothing else to remove.
        if (part === "tasks") this.parts.forget(task);
        return "removed";
      }
      if (ended.value === null || ended.value > cutoff) return "passed";
      const removed = part === "tasks" ? await tree.erase(true) : await tree.trim(part);
      return removed.ok ? "removed" : "passed";
    } catch (thrown) {
      console.error("a tree past its retention was passed over", tenant, task, thrown);
      return "passed";
    }
  }

  private read(): Stored {
    const query = "SELECT retention, progress FROM retention";
    const [row] = this.parts.tables.read<{ retention: string; progress: string | null }>(query);
    if (row === undefined) return { retention: KEEP_EVERYTHING, progress: null };
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
