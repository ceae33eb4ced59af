/**
 * One tenant: authenticates requests, admits tasks (slots, budgets, kill switch), and sends their index rows to Postgres.
 * Postgres is authoritative for keys. The object stores every key that it has seen, so that requests are served while
 * Postgres is unavailable. Each job is a module; `parts.ts` connects them.
 */
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../adapters/env/bindings.ts";
import type { BudgetAccount, BudgetLimit, TenantStop } from "../../core/tenant/budget-tree.ts";
import type { Result } from "../../core/base/errors.ts";
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
  PersonChange,
  ReportReply,
  SessionAdmissionRequest,
} from "../../core/tenant/rpc.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import type { ShortPermit } from "../../core/task/short-permit.ts";
import { TenantParts, type TenantJobs } from "./parts.ts";
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

/** The names of these methods cross a release; the jobs behind them have the present names. */
export class TenantObject extends DurableObject<Env> implements TenantRpc {
  private readonly jobs: TenantJobs = new TenantParts(this.ctx, this.env);

  async admit(request: KeyAdmissionRequest): Promise<Admission> {
    return await this.jobs.auth.admit(request);
  }

  async admitSession(request: SessionAdmissionRequest): Promise<Admission> {
    return await this.jobs.auth.admitSession(request);
  }

  async settle(ticket: string, reply: StoredReply | null): Promise<StoredReply | null> {
    return this.jobs.auth.settle(ticket, reply);
  }

  async revoke(keyId: string): Promise<void> {
    await this.jobs.auth.revoke(keyId);
  }

  async isRevoked(keyId: string, sessionHash: string | null = null): Promise<boolean> {
    return this.jobs.auth.isRevoked(keyId, sessionHash);
  }

  async personChanged(change: PersonChange): Promise<void> {
    this.jobs.persons.change(change, Date.now());
  }

  async beginSession(session: NewSession, by: SessionMaker): Promise<Result<BegunSession>> {
    const begun = this.jobs.sessions.begin(session, by, Date.now());
    if (!begun.ok) return begun;
    const { keyHash, key, expiresAt } = begun.value;
    return { ok: true, value: { key: await this.jobs.persons.complete(keyHash, key), expiresAt } };
  }

  async listSessions(query: SessionQuery): Promise<SessionPage> {
    return this.jobs.sessions.listPage(query, Date.now());
  }

  async endSessions(which: SessionsToEnd): Promise<readonly EndedSession[]> {
    return this.jobs.sessions.end(which, Date.now());
  }

  async keepLink(link: NewSignInLink, by: LinkMaker): Promise<Result<void>> {
    return this.jobs.sessions.storeLink(link, by, Date.now());
  }

  async standing(): Promise<TenantFacts | null> {
    return this.jobs.facts.readUnlessErased();
  }

  async stampAgents(): Promise<void> {
    this.jobs.facts.stampAgents();
  }

  async appsChanged(): Promise<void> {
    this.jobs.facts.stampApps();
  }

  async connectionReady(app: string, owner: string | null, changedAt?: number): Promise<void> {
    this.jobs.waits.markReady(app, owner, changedAt ?? null, Date.now());
  }

  async appRemoved(app: string): Promise<void> {
    this.jobs.waits.markRemoved(app, Date.now());
  }

  async countConnectionWaits(app: string, owner: string | null): Promise<number> {
    return this.jobs.waits.count(app, owner);
  }

  async takeSource(source: PublishedSource): Promise<void> {
    this.jobs.facts.recordSource(source);
  }

  async enter(request: PermitRequest, report: TaskReport | null): Promise<PermitReply> {
    return await this.jobs.reports.requestPermit(request, report);
  }

  async permitSubtasks(key: string | null, count: number): Promise<ShortPermit | null> {
    return this.jobs.reports.permitSubtasks(key, count);
  }

  async report(row: TaskReport): Promise<ReportReply> {
    return await this.jobs.reports.report(row);
  }

  async forget(task: string, retainsSummary = false): Promise<void> {
    this.jobs.reports.forget(task, retainsSummary);
    await this.jobs.housekeeping.send();
  }

  async stop(stop: TenantStop): Promise<TenantStop> {
    return this.jobs.killSwitch.stop(stop);
  }

  async release(byOperator: boolean): Promise<Result<TenantStop | null>> {
    return this.jobs.killSwitch.release(byOperator);
  }

  async stopped(): Promise<TenantStop | null> {
    return this.jobs.killSwitch.getStop();
  }

  async addInterests(types: readonly NoticeType[]): Promise<string> {
    return this.jobs.notices.addInterests(types);
  }

  async setInterests(types: readonly NoticeType[], stamp: string): Promise<void> {
    this.jobs.notices.setInterests(types, stamp);
  }

  async budgets(): Promise<readonly BudgetAccount[]> {
    return this.jobs.slots.listAccounts();
  }

  async setBudget(account: string, limit: BudgetLimit | null): Promise<BudgetAccount> {
    return this.jobs.slots.setLimit(account, limit);
  }

  async holdStorage(sandbox: string, bytes: number): Promise<Result<void>> {
    return this.jobs.storage.reserve(sandbox, bytes);
  }

  async storedBytes(): Promise<number> {
    return this.jobs.storage.countBytes();
  }

  async retention(): ReturnType<TenantRpc["retention"]> {
    return this.jobs.retention.getState();
  }

  async setRetention(retention: Retention): Promise<void> {
    this.jobs.retention.set(retention, Date.now());
  }

  async startReindex(): Promise<Result<Reindex>> {
    return await this.jobs.recovery.startReindex();
  }

  async reindex(): Promise<Reindex | null> {
    return this.jobs.recovery.getReindex();
  }

  async confirmRow(): Promise<Result<void>> {
    return await this.jobs.recovery.confirmRow();
  }

  async noteSchedule(schedule: string): Promise<void> {
    this.jobs.recovery.addSchedule(schedule);
  }

  async flush(): Promise<boolean> {
    return await this.jobs.housekeeping.flush();
  }

  async summarise(): Promise<boolean> {
    return await this.jobs.housekeeping.writeSummaries();
  }

  async erase(): Promise<readonly string[]> {
    return this.jobs.erasure.erase();
  }

  /** Accepts a watcher of the tenant's tasks (`GET https://tenant/watch`). */
  override async fetch(request: Request): Promise<Response> {
    return this.jobs.feed.accept(request);
  }

  override async alarm(): Promise<void> {
    await this.jobs.housekeeping.runAlarm(`tenant ${this.ctx.id.name ?? this.ctx.id.toString()}`);
  }
}
