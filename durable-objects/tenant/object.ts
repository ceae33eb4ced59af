/**
 * One tenant. It admits requests (key, rate, repeats) in one hop, lets its tasks run (places, budgets, the kill switch),
 * and carries their index rows to Postgres. Postgres has the truth about keys; the object keeps every key that it was
 * shown, so that requests go on while Postgres is away.
 */
import { DurableObject } from "cloudflare:workers";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { BudgetAccount, BudgetLimit, TenantStop } from "../../core/tenant/budget-tree.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { StoredReply } from "../../core/tenant/idempotency.ts";
import type { Reindex } from "../../core/tenant/recovery.ts";
import type { Retention } from "../../core/tenant/retention.ts";
import type {
  Admission,
  PermitReply,
  PermitRequest,
  TenantRpc,
  TenantFacts,
  BegunSession,
  KeyAdmissionRequest,
  ReportReply,
  SessionAdmissionRequest,
} from "../../core/tenant/rpc.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import { Gather } from "../base/batcher.ts";
import { TenantParts } from "./parts.ts";
import type { Asked } from "./reports.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import type { NoticeType } from "../../core/task/notice.ts";
import type {
  EndedSession,
  LinkMaker,
  NewSession,
  NewSignInLink,
  SessionMaker,
  SessionPage,
  SessionQuery,
  SessionsToEnd,
} from "../../core/tenant/session.ts";
import type { PublishedSource } from "../../core/tool/source.ts";

/** How long a report waits for others. */
const REPORTS_WAIT_MS = 2;
/** How long the alarm waits for Postgres to take the index. */
const ALARM_SEND_MS = 500;
/** After the alarm handler itself failed. */
const FAILED_RETRY_MS = 1000;
/** Tasks that one call of `erase` gives. */
const MAX_TO_ERASE = 100;

export class TenantObject extends DurableObject<Env> implements TenantRpc {
  private readonly parts = new TenantParts(this.ctx, this.env);
  /** A task that asks for leave waits for the answer; one that tells how it stands waits for nothing. */
  private readonly entering = new Gather(0, (asked: readonly Asked[]) =>
    this.sendSoon(asked.map((one) => this.parts.reports.letIn(one))),
  );
  private readonly reporting = new Gather(REPORTS_WAIT_MS, (rows: readonly TaskReport[]) =>
    this.sendSoon(rows.map((row) => this.parts.reports.hear(row))),
  );

  async admit(request: KeyAdmissionRequest): Promise<Admission> {
    return this.compared(await this.parts.door.admit(request));
  }

  async admitSession(request: SessionAdmissionRequest): Promise<Admission> {
    return this.compared(await this.parts.door.admitSession(request));
  }

  async beginSession(session: NewSession, by: SessionMaker): Promise<Result<BegunSession>> {
    const begun = this.parts.sessions.begin(session, by, Date.now());
    if (begun.ok) this.parts.feed.review();
    return begun;
  }

  async listSessions(query: SessionQuery): Promise<SessionPage> {
    return this.parts.sessions.page(query, Date.now(), (session) => this.parts.feed.isFollowedBy(session));
  }

  async endSessions(which: SessionsToEnd): Promise<readonly EndedSession[]> {
    const ended = this.parts.sessions.end(which, Date.now());
    if (ended.length > 0) this.parts.feed.review();
    return ended;
  }

  async keepLink(link: NewSignInLink, by: LinkMaker): Promise<Result<void>> {
    return this.parts.sessions.keepLink(link, by, Date.now());
  }

  async settle(ticket: string, reply: StoredReply | null): Promise<StoredReply | null> {
    return this.parts.repeats.settle(ticket, reply);
  }

  async revoke(keyId: string): Promise<void> {
    if (this.parts.tables.isErased()) return;
    this.parts.store.revoke(keyId, Date.now());
    this.parts.feed.review();
    const tenant = this.parts.tables.tenant();
    if (tenant === null || this.parts.store.hasKey(keyId)) return;
    const found = await databaseFromEnv(this.env).keys.get(tenant, keyId);
    if (!found.ok && found.error.code === "not_found") this.parts.store.forgetRevoked(keyId);
  }

  async stampAgents(): Promise<void> {
    this.parts.agentsStamp = crypto.randomUUID();
  }

  async takeSource(source: PublishedSource): Promise<void> {
    if (!this.parts.tables.isErased()) this.parts.sources.take(source);
  }

  async isRevoked(keyId: string, sessionHash: string | null = null): Promise<boolean> {
    return this.parts.isDead(keyId, sessionHash);
  }

  async enter(request: PermitRequest, report: TaskReport | null): Promise<PermitReply> {
    return await this.entering.take({ request, report });
  }

  async report(row: TaskReport): Promise<ReportReply> {
    return await this.reporting.take(row);
  }

  async forget(task: string, keepsMemory = false): Promise<void> {
    if (this.parts.tables.isErased()) {
      this.parts.outbox.markErased(task);
      return;
    }
    this.parts.reports.forget(task, keepsMemory);
    this.parts.alarms.arm();
    await this.send();
  }

  async stop(stop: TenantStop): Promise<TenantStop> {
    if (this.parts.tables.isErased()) return stop;
    const holds = this.parts.switch.stop(stop);
    this.parts.alarms.arm();
    this.parts.errands.tell();
    return holds;
  }

  async release(byOperator: boolean): Promise<Result<TenantStop | null>> {
    const released = this.parts.switch.release(byOperator);
    this.parts.alarms.arm();
    this.parts.errands.tell();
    return released;
  }

  async stopped(): Promise<TenantStop | null> {
    return this.parts.switch.stopped();
  }

  async standing(): Promise<TenantFacts | null> {
    return this.parts.tables.isErased() ? null : this.parts.standing();
  }

  async addInterests(types: readonly NoticeType[]): Promise<string> {
    return this.parts.tables.isErased() ? "" : this.parts.notices.addInterests(types);
  }

  async setInterests(types: readonly NoticeType[], stamp: string): Promise<void> {
    if (!this.parts.tables.isErased()) this.parts.notices.setInterests(types, stamp);
  }

  async budgets(): Promise<readonly BudgetAccount[]> {
    return this.parts.places.accounts();
  }

  async setBudget(account: string, limit: BudgetLimit | null): Promise<BudgetAccount> {
    if (this.parts.tables.isErased()) throw new Error("an erased tenant has no budgets");
    return this.parts.places.setLimit(account, limit);
  }

  async holdStorage(sandbox: string, bytes: number): Promise<Result<void>> {
    return this.parts.storage.hold(sandbox, bytes);
  }

  async startReindex(): Promise<Result<Reindex>> {
    return await this.parts.row.request();
  }

  async reindex(): Promise<Reindex | null> {
    return this.parts.recovery.reindex();
  }

  async retention(): ReturnType<TenantRpc["retention"]> {
    return this.parts.retention.standing();
  }

  async setRetention(retention: Retention): Promise<void> {
    if (!this.parts.tables.isErased()) this.parts.retention.set(retention, Date.now());
    this.parts.alarms.arm();
  }

  async storedBytes(): Promise<number> {
    return this.parts.storage.total();
  }

  async confirmRow(): Promise<Result<void>> {
    const confirmed = await this.parts.row.confirm();
    // The row is what a rebuilding restores first.
    if (confirmed.ok && confirmed.value === "apart") await this.parts.rebuilding.run();
    return confirmed.ok ? ok(undefined) : confirmed;
  }

  async noteSchedule(schedule: string): Promise<void> {
    if (!this.parts.tables.isErased()) this.parts.recovery.addSchedule(schedule);
  }

  async flush(): Promise<boolean> {
    const isSent = await this.send();
    await this.parts.row.compareForIndex();
    return isSent;
  }

  async summarise(): Promise<boolean> {
    await this.reporting.settled();
    return this.parts.tables.isErased() || (await this.parts.summaries.writeAll());
  }

  async erase(): Promise<readonly string[]> {
    const tenant = this.parts.tables.tenant();
    if (tenant === null) throw new Error("a tenant's object is asked by its name");
    if (!this.parts.tables.isErased()) {
      this.ctx.storage.transactionSync(() => {
        this.parts.tables.markErased(tenant, Date.now());
        for (const part of this.parts.erasable) part.erase();
      });
      this.parts.rates.erase();
      this.parts.feed.review();
      this.parts.alarms.remove();
      this.parts.repeats.wakeAll();
    }
    return this.parts.outbox.toErase(MAX_TO_ERASE);
  }

  /** Takes in a watcher of the tenant's tasks (`GET https://tenant/watch`). */
  override async fetch(request: Request): Promise<Response> {
    return this.parts.feed.accept(request);
  }

  override async alarm(): Promise<void> {
    this.parts.alarms.cleared();
    let notBefore = 0;
    try {
      this.parts.errands.tell();
      const now = Date.now();
      this.parts.store.forgetOld(now);
      this.parts.outbox.forgetOld(now);
      this.parts.places.forgetOld(now);
      this.parts.errands.summarise();
      this.parts.errands.spread();
      this.parts.errands.rebuild();
      this.parts.errands.sweep();
      await this.sendWithin(ALARM_SEND_MS);
    } catch (thrown) {
      notBefore = Date.now() + FAILED_RETRY_MS;
      console.error("tenant alarm failed", this.parts.tables.tenant(), thrown);
    } finally {
      this.parts.alarms.arm(notBefore);
    }
  }

  /** Sends in the background when it takes longer: no alarm fires beside a running handler, and notices wait for the next. */
  private async sendWithin(ms: number): Promise<void> {
    const sent = this.send();
    void sent.catch(() => undefined).then(() => this.parts.alarms.arm());
    await awaitWithin(globalThis, ms, sent, null);
  }

  private async send(): Promise<boolean> {
    await this.reporting.settled();
    return await this.parts.index.flush();
  }

  /** A request that came in compares the object with its row when it is time for that. */
  private compared(admission: Admission): Admission {
    if (admission.kind === "admitted") this.parts.row.compareSometimes();
    return admission;
  }

  /** Arms the alarm for what was just stored: notices, which it spreads at once, and rows of the index. */
  private sendSoon<T>(taken: T): T {
    if (this.parts.errands.hasNotices()) this.parts.alarms.arm();
    this.parts.alarms.armForIndex();
    return taken;
  }
}
