/**
 * One tenant. It admits requests (key, rate, repeats) in one hop, lets its tasks run (places, budgets, the kill switch),
 * and carries their index rows to Postgres. Postgres has the truth about keys; the object keeps every key that it was
 * shown, so that requests go on while Postgres is away.
 */
import { DurableObject } from "cloudflare:workers";
import { databaseFromEnv, settingsFromEnv, type Env } from "../adapters/from-env.ts";
import type { BudgetAccount, BudgetLimit, TenantStop } from "../core/tenant/budget-tree.ts";
import type { Result } from "../core/errors.ts";
import type { StoredReply } from "../core/tenant/idempotency.ts";
import type { Admission, EnterReply, EnterRequest, KeyRecord, TaskReport, TenantRpc } from "../core/objects.ts";
import { countRequest, type RateDecision, type RateWindow } from "../core/tenant/rate-limit.ts";
import { STOPPED_ASK_AGAIN_MS, stopMessage } from "../core/tenant/stop-message.ts";
import { Gather } from "./gather.ts";
import { TenantIndex } from "./tenant-index.ts";
import { TenantOutbox } from "./tenant-outbox.ts";
import { TenantPlaces } from "./tenant-places.ts";
import { TenantRepeats } from "./tenant-repeats.ts";
import { TenantStorage } from "./tenant-storage.ts";
import { TenantSources } from "./tenant-sources.ts";
import { TenantStore } from "./tenant-store.ts";
import { TenantSummaries } from "./tenant-summaries.ts";
import { TenantSwitch } from "./tenant-switch.ts";
import { TenantTables } from "./tenant-tables.ts";

/** Keys whose requests are counted at once; the one that was counted first gives way. */
const MAX_WINDOWS = 10_000;
/** Forgetting waits for the end of the minute, so that one alarm forgets all that a minute brought. */
const FORGET_EVERY_MS = 60_000;
/** How long a report waits for others. */
const REPORTS_WAIT_MS = 2;
/** After the alarm handler itself failed. */
const FAILED_RETRY_MS = 1000;
/** Tasks that one call of `erase` gives. */
const MAX_TO_ERASE = 100;

/** What a task hears that is still heard of after it, or its tenant, was erased. */
const GONE: EnterReply = {
  kind: "stopped",
  message: "This task was erased.",
  askAgainAfterMs: STOPPED_ASK_AGAIN_MS,
};

/** A task that asks for leave, with its news. */
interface Asked {
  readonly request: EnterRequest;
  readonly report: TaskReport | null;
}

export class TenantObject extends DurableObject<Env> implements TenantRpc {
  private readonly tables = new TenantTables(this.ctx.storage, this.ctx.id.name);
  private readonly store = new TenantStore(this.tables);
  private readonly repeats = new TenantRepeats(this.tables, this.store, () => this.arm());
  private readonly outbox = new TenantOutbox(this.tables);
  private readonly index = new TenantIndex(this.env, this.tables, this.outbox);
  private readonly summaries = new TenantSummaries(this.env, this.tables, this.outbox);
  private readonly places = new TenantPlaces(this.env, this.tables);
  private readonly switch = new TenantSwitch(this.env, this.tables);
  private readonly storage = new TenantStorage(this.env, this.tables);
  private readonly sources = new TenantSources(this.tables);
  private readonly windows = new Map<string, RateWindow>();
  private agentsStamp: string = crypto.randomUUID();
  private armedFor: number | null = null;
  /** A task that asks for leave waits for the answer; one that tells how it stands waits for nothing. */
  private readonly entering = new Gather(0, (asked: readonly Asked[]) =>
    this.sendSoon(asked.map((one) => this.letIn(one))),
  );
  private readonly reporting = new Gather(REPORTS_WAIT_MS, (rows: readonly TaskReport[]) =>
    this.sendSoon(rows.map((row) => this.hear(row))),
  );

  async admit(request: Parameters<TenantRpc["admit"]>[0]): Promise<Admission> {
    const { keyHash, keyRecord, idempotency } = request;
    const now = Date.now();
    if (this.tables.isErased()) return { kind: "dead_key" };
    const key = this.store.key(keyHash) ?? keyRecord;
    if (key === null) return { kind: "unknown_key" };
    if (this.store.isRevoked(key.id) || (key.expiresAt !== null && key.expiresAt <= now)) return { kind: "dead_key" };
    if (keyRecord !== null) this.store.keepKey(keyHash, keyRecord);
    const { rate, retryAfterMs } = this.count(key, now);
    if (retryAfterMs !== null) return { kind: "limited", rate, retryAfterMs };
    const repeat = idempotency === null ? null : await this.repeats.judge(`${key.id} ${idempotency.key}`, idempotency);
    const { agentsStamp } = this;
    const [stopped, sources] = [this.switch.stopped(), this.sources.present()];
    return { kind: "admitted", key, rate, stopped, agentsStamp, sources, idempotency: repeat };
  }

  async settle(ticket: string, reply: StoredReply | null): Promise<StoredReply | null> {
    return this.repeats.settle(ticket, reply);
  }

  async revoke(keyId: string): Promise<void> {
    if (this.tables.isErased()) return;
    this.store.revoke(keyId, Date.now());
    const tenant = this.tables.tenant();
    if (tenant === null || this.store.hasKey(keyId)) return;
    const found = await databaseFromEnv(this.env).keys.get(tenant, keyId);
    if (!found.ok && found.error.code === "not_found") this.store.forgetRevoked(keyId);
  }

  async stampAgents(): Promise<void> {
    this.agentsStamp = crypto.randomUUID();
  }

  async takeSource(source: Parameters<TenantRpc["takeSource"]>[0]): Promise<void> {
    if (!this.tables.isErased()) this.sources.take(source);
  }

  async isRevoked(keyId: string): Promise<boolean> {
    return this.tables.isErased() || this.store.isRevoked(keyId);
  }

  async enter(request: EnterRequest, report: TaskReport | null): Promise<EnterReply> {
    return await this.entering.take({ request, report });
  }

  async report(row: TaskReport): Promise<{ readonly erased: boolean }> {
    return await this.reporting.take(row);
  }

  async forget(task: string): Promise<void> {
    if (this.tables.isErased()) {
      this.outbox.markErased(task);
      return;
    }
    this.outbox.putForgotten(task);
    this.summaries.forget(task);
    this.places.forget(task);
    this.arm();
    await this.flush();
  }

  async stop(stop: TenantStop): Promise<TenantStop> {
    if (this.tables.isErased()) return stop;
    const holds = this.switch.stop(stop);
    this.arm();
    this.tell();
    return holds;
  }

  async release(byOperator: boolean): Promise<Result<TenantStop | null>> {
    const released = this.switch.release(byOperator);
    this.arm();
    this.tell();
    return released;
  }

  async stopped(): Promise<TenantStop | null> {
    return this.switch.stopped();
  }

  async budgets(): Promise<readonly BudgetAccount[]> {
    return this.places.accounts();
  }

  async setBudget(account: string, limit: BudgetLimit | null): Promise<BudgetAccount> {
    if (this.tables.isErased()) throw new Error("an erased tenant has no budgets");
    return this.places.setLimit(account, limit);
  }

  async holdStorage(sandbox: string, bytes: number): Promise<Result<void>> {
    return this.storage.hold(sandbox, bytes);
  }

  async flush(): Promise<boolean> {
    await this.reporting.settled();
    return await this.index.flush();
  }

  async summarise(): Promise<boolean> {
    await this.reporting.settled();
    return this.tables.isErased() || (await this.summaries.writeAll());
  }

  async erase(): Promise<readonly string[]> {
    const tenant = this.tables.tenant();
    if (tenant === null) throw new Error("a tenant's object is asked by its name");
    if (!this.tables.isErased()) {
      this.ctx.storage.transactionSync(() => {
        this.tables.markErased(tenant, Date.now());
        this.store.erase();
        this.outbox.erase();
        this.summaries.erase();
        this.places.erase();
        this.switch.erase();
        this.storage.erase();
        this.sources.erase();
      });
      this.windows.clear();
      this.armedFor = null;
      void this.ctx.storage.deleteAlarm();
      this.repeats.wakeAll();
    }
    return this.outbox.toErase(MAX_TO_ERASE);
  }

  override async alarm(): Promise<void> {
    this.armedFor = null;
    let notBefore = 0;
    try {
      this.tell();
      const now = Date.now();
      this.store.forgetOld(now);
      this.outbox.forgetOld(now);
      this.places.forgetOld(now);
      this.summariseDue();
      await this.flush();
    } catch (thrown) {
      notBefore = Date.now() + FAILED_RETRY_MS;
      console.error("tenant alarm failed", this.tables.tenant(), thrown);
    } finally {
      this.arm(notBefore);
    }
  }

  private letIn({ request, report }: Asked): EnterReply {
    if (this.tables.isErased()) {
      this.outbox.putForgotten(request.task);
      return GONE;
    }
    if (this.outbox.isForgotten(request.task)) return GONE;
    if (report !== null) this.outbox.putReport(report);
    const stop = this.switch.stopped();
    return this.places.enter(request, stop === null ? null : stopMessage(stop));
  }

  private hear(row: TaskReport): { readonly erased: boolean } {
    if (this.tables.isErased()) {
      this.outbox.putForgotten(row.task);
      return { erased: true };
    }
    if (!this.outbox.isForgotten(row.task)) {
      this.outbox.putReport(row);
      this.summaries.hear(row);
      this.places.report(row);
      if (row.view.status === "running" && this.switch.stopped() !== null) {
        this.switch.halt(row.task);
        this.tell();
      }
    }
    return { erased: false };
  }

  private count(key: KeyRecord, now: number): RateDecision {
    const counted = countRequest(this.windows.get(key.id) ?? null, settingsFromEnv(this.env).requestsPerMinute, now);
    const [first] = this.windows.keys();
    if (this.windows.size >= MAX_WINDOWS && first !== undefined && !this.windows.has(key.id))
      this.windows.delete(first);
    this.windows.set(key.id, counted.window);
    return counted;
  }

  /** Tells tasks that the tenant was stopped or released, in the background; the alarm makes good what a crash cuts off. */
  private tell(): void {
    if (this.tables.isErased() || this.switch.nextTellAt(0) === null) return;
    this.switch
      .tell()
      .catch((thrown: unknown) => console.error("the telling of tasks failed", this.tables.tenant(), thrown))
      .finally(() => this.arm());
  }

  /** Keeps summaries that are due, in the background: an embedding server that is slow holds up nothing else. */
  private summariseDue(): void {
    if (this.tables.isErased() || this.summaries.nextAt(0) === null) return;
    void this.summaries.write().then(() => this.arm());
  }

  /** Sees that the alarm comes soon enough for what was just put into the outbox. */
  private sendSoon<T>(taken: T): T {
    if (this.armedFor === null || this.armedFor > this.index.sendAt(Date.now())) this.arm();
    return taken;
  }

  /**
   * Sets the one alarm: for the next sending, for tasks that are still to be told of a stop or a release, for the next
   * summary, or for the next thing to forget. An erased tenant needs none.
   */
  private arm(notBefore = 0): void {
    if (this.tables.isErased()) return;
    const now = Date.now();
    const oldAt = Math.min(this.store.nextForgottenAt() ?? Infinity, this.outbox.nextForgottenAt() ?? Infinity);
    const at = Math.min(
      this.index.nextSendAt(now) ?? Infinity,
      this.switch.nextTellAt(now) ?? Infinity,
      this.summaries.nextAt(now) ?? Infinity,
      Math.ceil(oldAt / FORGET_EVERY_MS) * FORGET_EVERY_MS,
    );
    if (at === Infinity || (this.armedFor !== null && this.armedFor <= at)) return;
    this.armedFor = Math.max(at, notBefore);
    void this.ctx.storage.setAlarm(this.armedFor);
  }
}
