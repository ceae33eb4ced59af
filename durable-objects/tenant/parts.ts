/** Connects the parts of a tenant's object. The object sees only its jobs, each by the methods that it calls. */
import type { Env } from "../../adapters/env/bindings.ts";
import { TenantAlarm } from "./alarm.ts";
import { TenantAuth } from "./auth.ts";
import { TenantBackgroundJobs } from "./background-jobs.ts";
import { TenantConnectionWaits } from "./connection-waits.ts";
import { TenantErasure } from "./erasure.ts";
import { TenantFactsReader } from "./facts.ts";
import { TenantFeed } from "./feed.ts";
import { TenantKeyPersons } from "./key-persons.ts";
import { TenantHousekeeping } from "./housekeeping.ts";
import { TenantTaskIndex } from "./task-index.ts";
import { TenantNotices } from "./notices.ts";
import { TenantOutbox } from "./outbox.ts";
import { TenantSlots } from "./slots.ts";
import { TenantRates } from "./rates.ts";
import { TenantRecovery } from "./recovery.ts";
import { TenantRecoveryStore } from "./recovery-store.ts";
import { TenantReindex } from "./reindex.ts";
import { TenantRepeats } from "./repeats.ts";
import { TenantReports } from "./reports.ts";
import { TenantRetention } from "./retention.ts";
import { TenantRowCheck } from "./row.ts";
import { TenantSessions } from "./sessions.ts";
import { TenantSources } from "./sources.ts";
import { TenantStorage } from "./storage.ts";
import { TenantStore } from "./store.ts";
import { TenantSummaries } from "./summaries.ts";
import { TenantKillSwitch } from "./kill-switch.ts";
import { TenantTables } from "./tables.ts";

/** The jobs of a tenant's object. */
export interface TenantJobs {
  readonly auth: Pick<TenantAuth, "admit" | "admitSession" | "settle" | "revoke" | "isRevoked">;
  readonly persons: Pick<TenantKeyPersons, "change" | "complete">;
  readonly sessions: Pick<TenantSessions, "begin" | "listPage" | "end" | "storeLink">;
  readonly facts: Pick<TenantFactsReader, "readUnlessErased" | "stampAgents" | "stampApps" | "recordSource">;
  readonly reports: Pick<TenantReports, "requestPermit" | "permitSubtasks" | "report" | "forget">;
  readonly killSwitch: Pick<TenantKillSwitch, "stop" | "release" | "getStop">;
  readonly notices: Pick<TenantNotices, "addInterests" | "setInterests">;
  readonly waits: Pick<TenantConnectionWaits, "markReady" | "markRemoved" | "count">;
  readonly slots: Pick<TenantSlots, "listAccounts" | "setLimit">;
  readonly storage: Pick<TenantStorage, "reserve" | "countBytes">;
  readonly retention: Pick<TenantRetention, "getState" | "set">;
  readonly recovery: Pick<TenantRecovery, "startReindex" | "getReindex" | "confirmRow" | "addSchedule">;
  readonly housekeeping: Pick<TenantHousekeeping, "runAlarm" | "send" | "flush" | "writeSummaries">;
  readonly erasure: Pick<TenantErasure, "erase">;
  readonly feed: Pick<TenantFeed, "accept">;
}

class TenantContext {
  protected readonly ctx: DurableObjectState;
  protected readonly env: Env;

  constructor(ctx: DurableObjectState, env: Env) {
    this.ctx = ctx;
    this.env = env;
  }
}

export class TenantParts extends TenantContext implements TenantJobs {
  private readonly tables = new TenantTables(this.ctx.storage, this.ctx.id.name);
  private readonly store = new TenantStore(this.tables);
  private readonly arm = (): void => this.alarms.arm();
  private readonly repeats = new TenantRepeats(this.tables, this.store, this.arm);
  private readonly outbox = new TenantOutbox(this.tables);
  private readonly recoveryStore = new TenantRecoveryStore(this.tables);
  private readonly row = new TenantRowCheck(this.env, this.tables, this.recoveryStore, this.arm);
  private readonly index = new TenantTaskIndex(this.env, this.tables, this.outbox, this.row);
  private readonly summaries = new TenantSummaries(this.env, this.tables, this.outbox);
  private readonly sources = new TenantSources(this.tables);
  private readonly rates = new TenantRates(this.env);
  readonly slots = new TenantSlots(this.env, this.tables);
  readonly storage = new TenantStorage(this.env, this.tables);
  readonly notices = new TenantNotices(this.env, this.tables);
  readonly killSwitch: TenantKillSwitch = new TenantKillSwitch(this.env, this.tables, () => {
    this.alarms.arm();
    this.jobs.notifyTasks();
  });
  readonly waits: TenantConnectionWaits = new TenantConnectionWaits(this.env, this.tables, () => {
    this.alarms.arm();
    this.jobs.wakeConnected();
  });
  readonly feed: TenantFeed = new TenantFeed(this.ctx, (key, session) => this.auth.isRevoked(key, session));
  readonly persons: TenantKeyPersons = new TenantKeyPersons(this.env, { tables: this.tables, store: this.store });
  readonly sessions = new TenantSessions(this.tables, this.store, this.feed);
  readonly facts = new TenantFactsReader({ tables: this.tables, killSwitch: this.killSwitch, sources: this.sources });
  private readonly reindex: TenantReindex = new TenantReindex(this.env, {
    tables: this.tables,
    outbox: this.outbox,
    slots: this.slots,
    storeReport: (report) => {
      this.outbox.putReport(report);
      this.waits.record(report);
    },
    store: this.recoveryStore,
    forgetPersons: () => this.persons.forgetAll(),
    sendAll: () => this.index.sendAll(),
    onEnded: () => this.retention.restart(Date.now()),
  });
  readonly retention: TenantRetention = new TenantRetention(this.env, {
    tables: this.tables,
    forget: (task) => this.reports.forget(task, true),
    sendAll: () => this.index.sendAll(),
    saveSummaries: (tasks) => this.summaries.writeForTasks(tasks),
    isRebuilding: () => this.reindex.isRunning(),
    onSet: this.arm,
  });
  private readonly jobs: TenantBackgroundJobs = new TenantBackgroundJobs(
    this.tables,
    {
      killSwitch: this.killSwitch,
      summaries: this.summaries,
      notices: this.notices,
      waits: this.waits,
      reindex: this.reindex,
      retention: this.retention,
    },
    this.arm,
  );
  private readonly alarms: TenantAlarm = new TenantAlarm({
    tables: this.tables,
    store: this.store,
    outbox: this.outbox,
    index: this.index,
    jobs: this.jobs,
  });
  readonly auth: TenantAuth = new TenantAuth(this.env, {
    tables: this.tables,
    store: this.store,
    persons: this.persons,
    repeats: this.repeats,
    rates: this.rates,
    sessions: this.sessions,
    feed: this.feed,
    row: this.row,
    facts: this.facts,
    slots: this.slots,
  });
  readonly reports: TenantReports = new TenantReports({
    tables: this.tables,
    outbox: this.outbox,
    index: this.index,
    notices: this.notices,
    waits: this.waits,
    slots: this.slots,
    summaries: this.summaries,
    killSwitch: this.killSwitch,
    feed: this.feed,
    alarms: this.alarms,
  });
  readonly recovery = new TenantRecovery({
    tables: this.tables,
    row: this.row,
    reindex: this.reindex,
    store: this.recoveryStore,
  });
  readonly housekeeping = new TenantHousekeeping({
    tables: this.tables,
    alarms: this.alarms,
    jobs: this.jobs,
    store: this.store,
    outbox: this.outbox,
    slots: this.slots,
    reports: this.reports,
    index: this.index,
    row: this.row,
    summaries: this.summaries,
  });
  readonly erasure = new TenantErasure({
    tables: this.tables,
    outbox: this.outbox,
    rates: this.rates,
    feed: this.feed,
    alarms: this.alarms,
    repeats: this.repeats,
    rows: [
      this.store,
      this.sessions,
      this.outbox,
      this.summaries,
      this.slots,
      this.killSwitch,
      this.storage,
      this.sources,
      this.notices,
      this.waits,
      this.recoveryStore,
      this.retention,
    ],
  });
}
