/**
 * Rebuilds what Postgres holds of a tenant from its objects, a batch with each alarm: the tenant's row and keys, the index of
 * tasks, the schedules. Every part can be done again; a crash continues at the stored cursor. Tasks run meanwhile: their rows
 * go the usual way, and a row gives way only to a higher version.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { schedulesFromEnv } from "../../adapters/env/schedules.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type AuditEntry, BY_OTTO } from "../../core/ports/audit.ts";
import { OttoError, type Result, toFailure } from "../../core/base/errors.ts";
import { readIdTime, makeId } from "../../core/base/ids.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import { addLost, addLostProjects, mayPrune, type Reindex, type ReindexPhase } from "../../core/tenant/recovery.ts";
import { computeRetryAt } from "../../core/tenant/index-outbox.ts";
import type { TenantOutbox } from "./outbox.ts";
import type { TenantPlaces } from "./slots.ts";
import type { TenantRecoveryStore } from "./recovery-store.ts";
import type { TenantTables } from "./tables.ts";

/** Tasks, rows or schedules of one batch, and objects that are requested at the same time. */
const BATCH = 100;
const AT_ONCE = 25;
/** Tries of a batch, over half a minute, after which objects that do not answer are passed over. */
const MAX_TRIES = 6;
/** A batch that was cut off by a crash begins again after this. */
const GUARD_MS = 2000;

interface Parts {
  readonly tables: TenantTables;
  readonly outbox: TenantOutbox;
  readonly places: TenantPlaces;
  readonly store: TenantRecoveryStore;
  /** Sends the outbox. False: Postgres is away. */
  readonly sendAll: () => Promise<boolean>;
  /** Called when the rebuilding ends, and again when a crash follows. */
  readonly onEnded: () => void;
}

export class TenantReindex {
  private readonly env: Env;
  private readonly parts: Parts;
  private running: Promise<void> | null = null;
  private failures = 0;
  private failedAt = 0;
  /** Tries of the present batch at which an object did not answer. */
  private unanswered = 0;

  constructor(env: Env, parts: Parts) {
    this.env = env;
    this.parts = parts;
  }

  /** When the next batch is due; null: nothing is being rebuilt. While one runs, that is when a crash is made good. */
  nextAt(now: number): number | null {
    if (!this.isRunning()) return null;
    if (this.running !== null) return now + GUARD_MS;
    return computeRetryAt(this.failures, this.failedAt, now);
  }

  isRunning(): boolean {
    const reindex = this.parts.store.reindex();
    return reindex !== null && reindex.endedAt === null && !this.parts.tables.isErased();
  }

  /** Does one batch. Never throws: what fails is done again by the alarm. */
  async run(): Promise<void> {
    this.running ??= this.runBatch().finally(() => {
      this.running = null;
    });
    await this.running;
  }

  private async runBatch(): Promise<void> {
    const [tenant, before] = [this.parts.tables.tenant(), this.parts.store.reindex()];
    if (tenant === null || before === null || before.endedAt !== null) return;
    try {
      const after = await this.work(tenant, before);
      this.failures = 0;
      this.unanswered = 0;
      // Another one may have begun meanwhile: the database was lost again.
      const stored = this.parts.store.reindex();
      if (this.parts.tables.isErased() || stored?.startedAt !== before.startedAt) return;
      this.parts.store.keepReindex(after);
    } catch (thrown) {
      this.failures += 1;
      this.failedAt = Date.now();
      console.error("the rebuilding of the task index waits", tenant, thrown);
    }
  }

  private async work(tenant: string, reindex: Reindex): Promise<Reindex> {
    switch (reindex.phase) {
      case "tenant":
        return await this.restoreTenant(tenant, reindex);
      case "tasks":
        return await this.restoreTasks(tenant, reindex);
      case "prune":
        return await this.prune(tenant, reindex);
      case "schedules":
        return await this.restoreSchedules(tenant, reindex);
      case "done":
        return await this.end(tenant, reindex);
    }
  }

  /** The row and the keys first: nothing else can be stored without them. Then what is not there any more is known. */
  private async restoreTenant(tenant: string, reindex: Reindex): Promise<Reindex> {
    const { store } = this.parts;
    const { recovery } = databaseFromEnv(this.env);
    const known = store.row();
    const row = { id: tenant, name: store.name() ?? tenant, createdAt: readIdTime(tenant) ?? reindex.startedAt };
    value(await recovery.restoreTenant(row, known.counter));
    const { created, refused } = await this.restoreKeys(tenant);
    const now = value(await recovery.read(tenant));
    if (now === null || now.isErased) return { ...reindex, phase: "done" };
    const lost = addLost(reindex.lost, known.inventory, now.inventory, refused);
    const projectsBefore = known.inventory?.projects ?? 0;
    const begun = next({ ...reindex, lost, projectsBefore, rebuilt: { ...reindex.rebuilt, keys: created } }, "tasks");
    value(await recovery.note(tenant, begun));
    this.refuseErased();
    // What was lost is stored with the counts that no longer tell it.
    this.parts.tables.storage.transactionSync(() => {
      // A batch may have gone meanwhile, under the row's counter or the object's: both have the later one.
      store.setCounter(Math.max(store.row().counter, now.counter));
      store.keepRow(now, Date.now());
      store.keepReindex(begun);
    });
    return begun;
  }

  /** A live key whose hash is another's, which a start may have given to another tenant, stays out and is counted. */
  private async restoreKeys(tenant: string): Promise<{ created: number; refused: number }> {
    const { recovery } = databaseFromEnv(this.env);
    const all = this.parts.store.keys();
    let created = 0;
    const refused = new Set<string>();
    for (let at = 0; at < all.length; at += BATCH) {
      const restored = value(await recovery.restoreKeys(tenant, all.slice(at, at + BATCH)));
      created += restored.created;
      for (const id of restored.refused) refused.add(id);
    }
    value(await recovery.restoreRevoked(tenant, this.parts.store.revokedKeys()));
    if (refused.size > 0) console.warn("keys could not be restored: others have their hashes", tenant, [...refused]);
    return { created, refused: all.filter(({ key }) => refused.has(key.id) && key.revokedAt === null).length };
  }

  private async restoreTasks(tenant: string, reindex: Reindex): Promise<Reindex> {
    const tasks = this.parts.store.tasksBefore(reindex.cursor, BATCH);
    const rows = await this.askAll(tasks, (task) => tasksFromEnv(this.env)(tenant, task).indexRow());
    for (const row of rows) if (row.ok) this.put(row.value);
    await this.send();
    const found = rows.filter(({ ok }) => ok).length;
    const after = {
      ...reindex,
      cursor: tasks.at(-1) ?? reindex.cursor,
      done: reindex.done + tasks.length,
      missing: reindex.missing + tasks.length - found,
      rebuilt: { ...reindex.rebuilt, tasks: reindex.rebuilt.tasks + found },
    };
    return tasks.length < BATCH ? next(after, "prune") : after;
  }

  /**
   * Rows whose task the tenant's object does not know: of an object that was lost, or of tasks that were erased since the
   * database was saved. Of those that were erased within a day the tenant's object knows that; of others the task's own says it.
   */
  private async prune(tenant: string, reindex: Reindex): Promise<Reindex> {
    const { store, outbox, places } = this.parts;
    const isUnknown = (task: string): boolean => !store.hasTask(task) && !outbox.isForgotten(task);
    const ids = value(await databaseFromEnv(this.env).tasks.ids(tenant, reindex.cursor, BATCH));
    const [erased, unknown] = [ids.filter((task) => outbox.isForgotten(task)), ids.filter(isUnknown)];
    const rows = await this.askAll(unknown, (task) => tasksFromEnv(this.env)(tenant, task).indexRow());
    const mayRemove = mayPrune(reindex, store.row().counter);
    const gone = mayRemove ? unknown.filter((_, index) => isGone(rows[index])) : [];
    for (const row of rows) {
      if (!row.ok) continue;
      places.adopt(row.value);
      this.put(row.value);
    }
    for (const task of [...erased, ...gone]) outbox.putForgotten(task, outbox.keepsMemory(task));
    await this.send();
    const found = rows.filter(({ ok }) => ok).length;
    const after = {
      ...reindex,
      cursor: ids.at(-1) ?? reindex.cursor,
      removed: reindex.removed + erased.length + gone.length,
      missing: reindex.missing + unknown.length - found - gone.length,
      rebuilt: { ...reindex.rebuilt, tasks: reindex.rebuilt.tasks + found },
    };
    return ids.length < BATCH ? next(after, "schedules") : after;
  }

  private async restoreSchedules(tenant: string, reindex: Reindex): Promise<Reindex> {
    const { store } = this.parts;
    const schedules = store.schedulesAfter(reindex.cursor, BATCH);
    const restored = await this.askAll(schedules, (schedule) => schedulesFromEnv(this.env)(tenant, schedule).restore());
    for (const [index, schedule] of schedules.entries()) {
      if (restored[index]?.ok === true) store.addSchedule(schedule);
      else if (isGone(restored[index])) store.dropSchedule(schedule);
    }
    const failures = restored.filter((answer) => !answer.ok && !isGone(answer)).length;
    const after = {
      ...reindex,
      cursor: schedules.at(-1) ?? reindex.cursor,
      missingSchedules: (reindex.missingSchedules ?? 0) + failures,
      rebuilt: {
        ...reindex.rebuilt,
        schedules: reindex.rebuilt.schedules + restored.filter(({ ok }) => ok).length,
      },
    };
    return schedules.length < BATCH ? next(after, "done") : after;
  }

  private async end(tenant: string, reindex: Reindex): Promise<Reindex> {
    const { recovery, audit } = databaseFromEnv(this.env);
    // Absent where the tenant turned out to be erased.
    if (reindex.projectsBefore !== undefined)
      value(await recovery.restoreProjects(tenant, this.parts.store.projects(), reindex.startedAt));
    const projects = value(await recovery.read(tenant))?.inventory.projects ?? 0;
    const lost = addLostProjects(reindex, projects);
    value(await recovery.note(tenant, { ...reindex, lost }));
    // What an operator requested, the route told the audit log.
    if (reindex.reason !== "requested") value(await audit.add(tenant, await actOf(tenant, reindex)));
    this.parts.onEnded();
    return { ...reindex, lost, endedAt: Date.now(), rebuilt: { ...reindex.rebuilt, projects } };
  }

  private put(report: TaskReport): void {
    if (!this.parts.outbox.isForgotten(report.task)) this.parts.outbox.putReport(report);
  }

  private async send(): Promise<void> {
    if (!(await this.parts.sendAll())) throw new Error("the database did not take the rows");
  }

  /** Called after others were waited for: nothing of a tenant that was erased meanwhile is stored again. */
  private refuseErased(): void {
    if (this.parts.tables.isErased()) throw new Error("the tenant was erased");
  }

  /**
   * One answer for each: `not_found` where the object holds nothing. Any other failure fails the batch; at its last try, one
   * that is the object's own is given too, so that no object stops the others. While Postgres is away the batch waits.
   */
  private async askAll<T>(ids: readonly string[], ask: (id: string) => Promise<Result<T>>): Promise<Result<T>[]> {
    const answers: Result<T>[] = [];
    for (let at = 0; at < ids.length; at += AT_ONCE)
      answers.push(...(await Promise.all(ids.slice(at, at + AT_ONCE).map(async (id) => await answerOf(ask(id))))));
    this.refuseErased();
    const failures = answers.flatMap((answer) => (answer.ok || isGone(answer) ? [] : [answer.error]));
    const [failure] = failures;
    if (failure === undefined) return answers;
    const away = failures.find(({ code }) => code === "upstream_failed");
    if (away !== undefined) throw new OttoError(away);
    this.unanswered += 1;
    if (this.unanswered < MAX_TRIES) throw new OttoError(failure);
    console.error("objects that did not answer are passed over", this.parts.tables.tenant(), failures.length, failure);
    return answers;
  }
}

async function answerOf<T>(asked: Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await asked;
  } catch (thrown) {
    return { ok: false, error: toFailure(thrown) };
  }
}

/** The object holds nothing. */
function isGone(answer: Result<unknown> | undefined): boolean {
  return answer?.ok === false && answer.error.code === "not_found";
}

/** The same entry however often the end is reached. */
async function actOf(tenant: string, { startedAt, reason }: Reindex): Promise<AuditEntry> {
  const name = new TextEncoder().encode(`reindex ${tenant} ${startedAt}`);
  const id = makeId("audit", startedAt, new Uint8Array(await crypto.subtle.digest("SHA-256", name)));
  return { id, at: startedAt, actor: BY_OTTO, action: "tenant.reindex", target: tenant, requestId: reason };
}

function next(reindex: Reindex, phase: ReindexPhase): Reindex {
  return { ...reindex, phase, cursor: null };
}

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new OttoError(result.error);
  return result.value;
}
