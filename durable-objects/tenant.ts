/**
 * One tenant. It admits requests (key, rate, repeats) in one hop, lets its tasks run (places, budgets, the kill switch),
 * and carries their index rows to Postgres. Postgres has the truth about keys; the object keeps every key that it was
 * shown, so that requests go on while Postgres is away.
 */
import { DurableObject } from "cloudflare:workers";
import { databaseFromEnv, type Env } from "../adapters/from-env.ts";
import type { BudgetAccount, BudgetLimit, TenantStop } from "../core/tenant/budget-tree.ts";
import type { Result } from "../core/errors.ts";
import type { StoredReply } from "../core/tenant/idempotency.ts";
import type { Admission, EnterReply, EnterRequest, TaskReport, TenantRpc, TenantStanding } from "../core/objects.ts";
import { Gather } from "./gather.ts";
import { TenantDoor } from "./tenant-door.ts";
import { TenantErrands } from "./tenant-errands.ts";
import { TenantFeed } from "./tenant-feed.ts";
import { TenantIndex } from "./tenant-index.ts";
import { TenantNotices } from "./tenant-notices.ts";
import { TenantOutbox } from "./tenant-outbox.ts";
import { TenantPlaces } from "./tenant-places.ts";
import { TenantRates } from "./tenant-rates.ts";
import { TenantRepeats } from "./tenant-repeats.ts";
import { type Asked, TenantReports } from "./tenant-reports.ts";
import { TenantSessions } from "./tenant-sessions.ts";
import { TenantStorage } from "./tenant-storage.ts";
import { TenantSources } from "./tenant-sources.ts";
import { TenantStore } from "./tenant-store.ts";
import { TenantSummaries } from "./tenant-summaries.ts";
import { TenantSwitch } from "./tenant-switch.ts";
import { TenantTables } from "./tenant-tables.ts";

/** Forgetting waits for the end of the minute, so that one alarm forgets all that a minute brought. */
const FORGET_EVERY_MS = 60_000;
/** How long a report waits for others. */
const REPORTS_WAIT_MS = 2;
/** After the alarm handler itself failed. */
const FAILED_RETRY_MS = 1000;
/** Tasks that one call of `erase` gives. */
const MAX_TO_ERASE = 100;

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
  private readonly notices = new TenantNotices(this.env, this.tables);
  private readonly rates = new TenantRates(this.env);
  private readonly errands = new TenantErrands(
    this.tables,
    { switch: this.switch, summaries: this.summaries, notices: this.notices },
    () => this.arm(),
  );
  private readonly sessions = new TenantSessions(this.tables, this.store);
  private readonly feed = new TenantFeed(this.ctx, (key, session) => this.isDead(key, session));
  private readonly reports = new TenantReports({
    tables: this.tables,
    outbox: this.outbox,
    notices: this.notices,
    places: this.places,
    summaries: this.summaries,
    switch: this.switch,
    errands: this.errands,
    feed: this.feed,
  });
  private readonly door = new TenantDoor(
    { tables: this.tables, store: this.store, repeats: this.repeats, rates: this.rates, sessions: this.sessions },
    () => this.standingNow(),
  );
  /** What forgets its rows with the tenant. */
  private readonly parts = [
    this.store,
    this.sessions,
    this.outbox,
    this.summaries,
    this.places,
    this.switch,
    this.storage,
    this.sources,
    this.notices,
  ];
  private agentsStamp: string = crypto.randomUUID();
  private armedFor: number | null = null;
  /** A task that asks for leave waits for the answer; one that tells how it stands waits for nothing. */
  private readonly entering = new Gather(0, (asked: readonly Asked[]) =>
    this.sendSoon(asked.map((one) => this.reports.letIn(one))),
  );
  private readonly reporting = new Gather(REPORTS_WAIT_MS, (rows: readonly TaskReport[]) =>
    this.sendSoon(rows.map((row) => this.reports.hear(row))),
  );

  async admit(request: Parameters<TenantRpc["admit"]>[0]): Promise<Admission> {
    return await this.door.admit(request);
  }

  async admitSession(request: Parameters<TenantRpc["admitSession"]>[0]): Promise<Admission> {
    return await this.door.admitSession(request);
  }

  async beginSession(...[session, by]: Parameters<TenantRpc["beginSession"]>): ReturnType<TenantRpc["beginSession"]> {
    const begun = this.sessions.begin(session, by, Date.now());
    if (begun.ok) this.feed.review();
    return begun;
  }

  async listSessions(query: Parameters<TenantRpc["listSessions"]>[0]): ReturnType<TenantRpc["listSessions"]> {
    return this.sessions.page(query, Date.now(), (session) => this.feed.isFollowedBy(session));
  }

  async endSessions(which: Parameters<TenantRpc["endSessions"]>[0]): ReturnType<TenantRpc["endSessions"]> {
    const ended = this.sessions.end(which, Date.now());
    if (ended.length > 0) this.feed.review();
    return ended;
  }

  async keepLink(...[link, by]: Parameters<TenantRpc["keepLink"]>): Promise<Result<void>> {
    return this.sessions.keepLink(link, by, Date.now());
  }

  async settle(ticket: string, reply: StoredReply | null): Promise<StoredReply | null> {
    return this.repeats.settle(ticket, reply);
  }

  async revoke(keyId: string): Promise<void> {
    if (this.tables.isErased()) return;
    this.store.revoke(keyId, Date.now());
    this.feed.review();
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

  async isRevoked(keyId: string, sessionHash: string | null = null): Promise<boolean> {
    return this.isDead(keyId, sessionHash);
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
    this.reports.forget(task);
    this.arm();
    await this.flush();
  }

  async stop(stop: TenantStop): Promise<TenantStop> {
    if (this.tables.isErased()) return stop;
    const holds = this.switch.stop(stop);
    this.arm();
    this.errands.tell();
    return holds;
  }

  async release(byOperator: boolean): Promise<Result<TenantStop | null>> {
    const released = this.switch.release(byOperator);
    this.arm();
    this.errands.tell();
    return released;
  }

  async stopped(): Promise<TenantStop | null> {
    return this.switch.stopped();
  }

  async standing(): Promise<TenantStanding | null> {
    return this.tables.isErased() ? null : this.standingNow();
  }

  async addInterests(types: Parameters<TenantRpc["addInterests"]>[0]): Promise<string> {
    return this.tables.isErased() ? "" : this.notices.addInterests(types);
  }

  async setInterests(...interests: Parameters<TenantRpc["setInterests"]>): Promise<void> {
    if (!this.tables.isErased()) this.notices.setInterests(...interests);
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
        for (const part of this.parts) part.erase();
      });
      this.rates.erase();
      this.feed.review();
      this.armedFor = null;
      void this.ctx.storage.deleteAlarm();
      this.repeats.wakeAll();
    }
    return this.outbox.toErase(MAX_TO_ERASE);
  }

  /** Takes in a watcher of the tenant's tasks (`GET https://tenant/watch`). */
  override async fetch(request: Request): Promise<Response> {
    return this.feed.accept(request);
  }

  override async alarm(): Promise<void> {
    this.armedFor = null;
    let notBefore = 0;
    try {
      this.errands.tell();
      const now = Date.now();
      this.store.forgetOld(now);
      this.outbox.forgetOld(now);
      this.places.forgetOld(now);
      this.errands.summarise();
      this.errands.spread();
      await this.flush();
    } catch (thrown) {
      notBefore = Date.now() + FAILED_RETRY_MS;
      console.error("tenant alarm failed", this.tables.tenant(), thrown);
    } finally {
      this.arm(notBefore);
    }
  }

  private isDead(key: string, session: string | null): boolean {
    if (this.tables.isErased() || this.store.isRevoked(key)) return true;
    return session !== null && this.sessions.find(session, Date.now()) === null;
  }

  private standingNow(): TenantStanding {
    return { stopped: this.switch.stopped(), agentsStamp: this.agentsStamp, sources: this.sources.present() };
  }

  /** Spreads what was just kept, and sees that the alarm comes soon enough for that and for the outbox. */
  private sendSoon<T>(taken: T): T {
    const spreads = this.errands.spread();
    if (spreads || this.armedFor === null || this.armedFor > this.index.sendAt(Date.now())) this.arm();
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
      this.errands.nextAt(now),
      Math.ceil(oldAt / FORGET_EVERY_MS) * FORGET_EVERY_MS,
    );
    if (at === Infinity || (this.armedFor !== null && this.armedFor <= at)) return;
    this.armedFor = Math.max(at, notBefore);
    void this.ctx.storage.setAlarm(this.armedFor);
  }
}
