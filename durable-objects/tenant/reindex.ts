/**
 * Rebuilds a tenant's rows in Postgres from its objects, one batch per alarm: the tenant's row and keys, the task
 * index, the schedules. Every batch is idempotent; after a crash it continues at the stored cursor. Tasks run
 * meanwhile: their reports are sent as usual, and only a higher version replaces a row.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { schedulesFromEnv } from "../../adapters/env/schedules.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type AuditEntry, BY_OTTO } from "../../core/ports/audit.ts";
import { OttoError, type Result, toFailure } from "../../core/base/errors.ts";
import { unwrap } from "../../core/base/unwrap.ts";
import { readIdTime, makeId } from "../../core/base/ids.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import { addLost, addLostProjects, mayPrune, type Reindex, type ReindexPhase } from "../../core/tenant/recovery.ts";
import { computeRetryAt } from "../../core/tenant/index-outbox.ts";
import type { TenantOutbox } from "./outbox.ts";
import type { TenantSlots } from "./slots.ts";
import type { TenantRecoveryStore } from "./recovery-store.ts";
import type { TenantTables } from "./tables.ts";

/** Tasks, rows or schedules per batch, and concurrent calls of objects. */
const BATCH = 100;
const AT_ONCE = 25;
/** Attempts of a batch, over half a minute, before objects without a reply are skipped. */
const MAX_TRIES = 6;
/** A batch that a crash interrupted restarts after this. */
const GUARD_MS = 2000;

interface Parts {
  readonly tables: TenantTables;
  readonly outbox: TenantOutbox;
  readonly slots: TenantSlots;
  readonly store: TenantRecoveryStore;
  readonly storeReport: (report: TaskReport) => void;
  /** Makes the keys read their persons again. */
  readonly forgetPersons: () => void;
  /** Sends the outbox. False if Postgres is unavailable. */
  readonly sendAll: () => Promise<boolean>;
  /** Called when the rebuild ends, and again if a crash follows. */
  readonly onEnded: () => void;
}

export class TenantReindex {
  private readonly env: Env;
  private readonly parts: Parts;
  private running: Promise<void> | null = null;
  private failures = 0;
  private failedAt = 0;
  /** Attempts of the present batch in which an object did not reply. */
  private unanswered = 0;

  constructor(env: Env, parts: Parts) {
    this.env = env;
    this.parts = parts;
  }

  /**
   * Returns when the next batch is due; null when no rebuild runs. During a batch, that is when a crash would be
   * recovered.
   */
  nextAt(now: number): number | null {
    if (!this.isRunning()) return null;
    if (this.running !== null) return now + GUARD_MS;
    return computeRetryAt(this.failures, this.failedAt, now);
  }

  isRunning(): boolean {
    const reindex = this.parts.store.readReindex();
    return reindex !== null && reindex.endedAt === null && !this.parts.tables.isErased();
  }

  /** Runs one batch. Never throws: the alarm retries a failure. */
  async run(): Promise<void> {
    this.running ??= this.runBatch().finally(() => {
      this.running = null;
    });
    await this.running;
  }

  private async runBatch(): Promise<void> {
    const [tenant, before] = [this.parts.tables.getTenant(), this.parts.store.readReindex()];
    if (tenant === null || before === null || before.endedAt !== null) return;
    try {
      const after = await this.runPhase(tenant, before);
      this.failures = 0;
      this.unanswered = 0;
      // Another rebuild may have started meanwhile: the database was lost again.
      const stored = this.parts.store.readReindex();
      if (this.parts.tables.isErased() || stored?.startedAt !== before.startedAt) return;
      this.parts.store.storeReindex(after);
    } catch (thrown) {
      this.failures += 1;
      this.failedAt = Date.now();
      console.error("the rebuild of the task index failed and is retried", tenant, thrown);
    }
  }

  private async runPhase(tenant: string, reindex: Reindex): Promise<Reindex> {
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

  /** Restores the row and the keys first, because every other row refers to them. Then counts what was lost. */
  private async restoreTenant(tenant: string, reindex: Reindex): Promise<Reindex> {
    const { store } = this.parts;
    const { recovery } = databaseFromEnv(this.env);
    const known = store.readRow();
    const row = { id: tenant, name: store.findName() ?? tenant, createdAt: readIdTime(tenant) ?? reindex.startedAt };
    unwrap(await recovery.restoreTenant(row, known.counter));
    const { created, refused } = await this.restoreKeys(tenant);
    this.parts.forgetPersons();
    const now = unwrap(await recovery.read(tenant));
    if (now === null || now.isErased) return { ...reindex, phase: "done" };
    const lost = addLost(reindex.lost, known.inventory, now.inventory, refused);
    const projectsBefore = known.inventory?.projects ?? 0;
    const begun = startPhase(
      { ...reindex, lost, projectsBefore, rebuilt: { ...reindex.rebuilt, keys: created } },
      "tasks",
    );
    unwrap(await recovery.note(tenant, begun));
    this.refuseErased();
    // Stores the losses together with the counts that no longer show them.
    this.parts.tables.storage.transactionSync(() => {
      // A batch may have been sent meanwhile, under the row's counter or the object's. Both take the later one.
      store.setCounter(Math.max(store.readRow().counter, now.counter));
      store.storeRow(now, Date.now());
      store.storeReindex(begun);
    });
    return begun;
  }

  /** Skips and counts a valid key whose hash belongs to another key: a start may have given it to another tenant. */
  private async restoreKeys(tenant: string): Promise<{ created: number; refused: number }> {
    const { recovery } = databaseFromEnv(this.env);
    const all = this.parts.store.listKeys();
    let created = 0;
    const refused = new Set<string>();
    for (let at = 0; at < all.length; at += BATCH) {
      const restored = unwrap(await recovery.restoreKeys(tenant, all.slice(at, at + BATCH)));
      created += restored.created;
      for (const id of restored.refused) refused.add(id);
    }
    unwrap(await recovery.restoreRevoked(tenant, this.parts.store.listRevokedKeys()));
    if (refused.size > 0)
      console.warn("keys could not be restored: other keys have their hashes", tenant, [...refused]);
    return { created, refused: all.filter(({ key }) => refused.has(key.id) && key.revokedAt === null).length };
  }

  private async restoreTasks(tenant: string, reindex: Reindex): Promise<Reindex> {
    const tasks = this.parts.store.listTasksBefore(reindex.cursor, BATCH);
    const rows = await this.callAll(tasks, (task) => tasksFromEnv(this.env)(tenant, task).indexRow());
    for (const row of rows) if (row.ok) this.putReport(row.value);
    await this.send();
    const found = rows.filter(({ ok }) => ok).length;
    const after = {
      ...reindex,
      cursor: tasks.at(-1) ?? reindex.cursor,
      done: reindex.done + tasks.length,
      missing: reindex.missing + tasks.length - found,
      rebuilt: { ...reindex.rebuilt, tasks: reindex.rebuilt.tasks + found },
    };
    return tasks.length < BATCH ? startPhase(after, "prune") : after;
  }

  /**
   * Checks rows whose task the tenant's object does not know: their object was lost, or they were erased since the
   * database was saved. The tenant's object knows the erasures of the last day; the tasks' objects know the others.
   */
  private async prune(tenant: string, reindex: Reindex): Promise<Reindex> {
    const { store, outbox, slots } = this.parts;
    const isUnknown = (task: string): boolean => !store.hasTask(task) && !outbox.isForgotten(task);
    const ids = unwrap(await databaseFromEnv(this.env).tasks.ids(tenant, reindex.cursor, BATCH));
    const [erased, unknown] = [ids.filter((task) => outbox.isForgotten(task)), ids.filter(isUnknown)];
    const rows = await this.callAll(unknown, (task) => tasksFromEnv(this.env)(tenant, task).indexRow());
    const mayRemove = mayPrune(reindex, store.readRow().counter);
    const gone = mayRemove ? unknown.filter((_, index) => isNotFound(rows[index])) : [];
    for (const row of rows) {
      if (!row.ok) continue;
      slots.adopt(row.value);
      this.putReport(row.value);
    }
    for (const task of [...erased, ...gone]) outbox.putForgotten(task, outbox.retainsSummary(task));
    await this.send();
    const found = rows.filter(({ ok }) => ok).length;
    const after = {
      ...reindex,
      cursor: ids.at(-1) ?? reindex.cursor,
      removed: reindex.removed + erased.length + gone.length,
      missing: reindex.missing + unknown.length - found - gone.length,
      rebuilt: { ...reindex.rebuilt, tasks: reindex.rebuilt.tasks + found },
    };
    return ids.length < BATCH ? startPhase(after, "schedules") : after;
  }

  private async restoreSchedules(tenant: string, reindex: Reindex): Promise<Reindex> {
    const { store } = this.parts;
    const schedules = store.listSchedulesAfter(reindex.cursor, BATCH);
    const restored = await this.callAll(schedules, (schedule) =>
      schedulesFromEnv(this.env)(tenant, schedule).restore(),
    );
    for (const [index, schedule] of schedules.entries()) {
      if (restored[index]?.ok === true) store.addSchedule(schedule);
      else if (isNotFound(restored[index])) store.deleteSchedule(schedule);
    }
    const failures = restored.filter((answer) => !answer.ok && !isNotFound(answer)).length;
    const after = {
      ...reindex,
      cursor: schedules.at(-1) ?? reindex.cursor,
      missingSchedules: (reindex.missingSchedules ?? 0) + failures,
      rebuilt: {
        ...reindex.rebuilt,
        schedules: reindex.rebuilt.schedules + restored.filter(({ ok }) => ok).length,
      },
    };
    return schedules.length < BATCH ? startPhase(after, "done") : after;
  }

  private async end(tenant: string, reindex: Reindex): Promise<Reindex> {
    const { recovery, audit } = databaseFromEnv(this.env);
    // Absent if the tenant turned out to be erased.
    if (reindex.projectsBefore !== undefined)
      unwrap(await recovery.restoreProjects(tenant, this.parts.store.projects(), reindex.startedAt));
    const projects = unwrap(await recovery.read(tenant))?.inventory.projects ?? 0;
    const lost = addLostProjects(reindex, projects);
    unwrap(await recovery.note(tenant, { ...reindex, lost }));
    // The route recorded a rebuild that an operator requested.
    if (reindex.reason !== "requested") unwrap(await audit.add(tenant, await toAuditEntry(tenant, reindex)));
    this.parts.onEnded();
    return { ...reindex, lost, endedAt: Date.now(), rebuilt: { ...reindex.rebuilt, projects } };
  }

  private putReport(report: TaskReport): void {
    if (!this.parts.outbox.isForgotten(report.task)) this.parts.storeReport(report);
  }

  private async send(): Promise<void> {
    if (!(await this.parts.sendAll())) throw new Error("the database did not accept the rows");
  }

  /** Called after an await: no row of a tenant that was erased meanwhile is stored again. */
  private refuseErased(): void {
    if (this.parts.tables.isErased()) throw new Error("the tenant was erased");
  }

  /**
   * Calls every object and returns a result for each; `not_found` where the object is empty. Another failure fails the
   * batch. On the last attempt an object's own failure is returned instead, so that no object stops the others. While
   * Postgres is unavailable the batch waits.
   */
  private async callAll<T>(ids: readonly string[], ask: (id: string) => Promise<Result<T>>): Promise<Result<T>[]> {
    const answers: Result<T>[] = [];
    for (let at = 0; at < ids.length; at += AT_ONCE)
      answers.push(...(await Promise.all(ids.slice(at, at + AT_ONCE).map(async (id) => await catchFailure(ask(id))))));
    this.refuseErased();
    const failures = answers.flatMap((answer) => (answer.ok || isNotFound(answer) ? [] : [answer.error]));
    const [failure] = failures;
    if (failure === undefined) return answers;
    const away = failures.find(({ code }) => code === "upstream_failed");
    if (away !== undefined) throw new OttoError(away);
    this.unanswered += 1;
    if (this.unanswered < MAX_TRIES) throw new OttoError(failure);
    console.error("objects without a reply are skipped", this.parts.tables.getTenant(), failures.length, failure);
    return answers;
  }
}

async function catchFailure<T>(asked: Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await asked;
  } catch (thrown) {
    return { ok: false, error: toFailure(thrown) };
  }
}

/** True when the object is empty. */
function isNotFound(answer: Result<unknown> | undefined): boolean {
  return answer?.ok === false && answer.error.code === "not_found";
}

/** Returns the same entry for each repeat of the end. */
async function toAuditEntry(tenant: string, { startedAt, reason }: Reindex): Promise<AuditEntry> {
  const name = new TextEncoder().encode(`reindex ${tenant} ${startedAt}`);
  const id = makeId("audit", startedAt, new Uint8Array(await crypto.subtle.digest("SHA-256", name)));
  return { id, at: startedAt, actor: BY_OTTO, action: "tenant.reindex", target: tenant, requestId: reason };
}

function startPhase(reindex: Reindex, phase: ReindexPhase): Reindex {
  return { ...reindex, phase, cursor: null };
}
