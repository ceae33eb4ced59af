/** What a tenant's object consists of, and how its parts are wired. Each part has a file of its own. */
import type { Env } from "../../adapters/env/bindings.ts";
import type { TenantFacts } from "../../core/tenant/rpc.ts";
import { TenantAlarm } from "./alarm.ts";
import { TenantDoor } from "./auth.ts";
import { TenantErrands } from "./background-jobs.ts";
import { TenantFeed } from "./feed.ts";
import { TenantIndex } from "./task-index.ts";
import { TenantNotices } from "./notices.ts";
import { TenantOutbox } from "./outbox.ts";
import { TenantPlaces } from "./slots.ts";
import { TenantRates } from "./rates.ts";
import { TenantRecoveryStore } from "./recovery-store.ts";
import { TenantReindex } from "./reindex.ts";
import { TenantRepeats } from "./repeats.ts";
import { TenantReports } from "./reports.ts";
import { TenantRetention } from "./retention.ts";
import { TenantRowWatch } from "./row.ts";
import { TenantSessions } from "./sessions.ts";
import { TenantSources } from "./sources.ts";
import { TenantStorage } from "./storage.ts";
import { TenantStore } from "./store.ts";
import { TenantSummaries } from "./summaries.ts";
import { TenantSwitch } from "./kill-switch.ts";
import { TenantTables } from "./tables.ts";

class TenantContext {
  protected readonly ctx: DurableObjectState;
  protected readonly env: Env;

  constructor(ctx: DurableObjectState, env: Env) {
    this.ctx = ctx;
    this.env = env;
  }
}

export class TenantParts extends TenantContext {
  readonly tables = new TenantTables(this.ctx.storage, this.ctx.id.name);
  readonly store = new TenantStore(this.tables);
  readonly repeats = new TenantRepeats(this.tables, this.store, () => this.alarms.arm());
  readonly outbox = new TenantOutbox(this.tables);
  readonly recovery = new TenantRecoveryStore(this.tables);
  readonly row = new TenantRowWatch(this.env, this.tables, this.recovery, () => this.alarms.arm());
  readonly index = new TenantIndex(this.env, this.tables, this.outbox, this.row);
  readonly summaries = new TenantSummaries(this.env, this.tables, this.outbox);
  readonly places = new TenantPlaces(this.env, this.tables);
  readonly switch = new TenantSwitch(this.env, this.tables);
  readonly storage = new TenantStorage(this.env, this.tables);
  readonly sources = new TenantSources(this.tables);
  readonly notices = new TenantNotices(this.env, this.tables);
  readonly rates = new TenantRates(this.env);
  readonly rebuilding: TenantReindex = new TenantReindex(this.env, {
    tables: this.tables,
    outbox: this.outbox,
    places: this.places,
    store: this.recovery,
    sendAll: () => this.index.sendAll(),
    onEnded: () => this.retention.restart(Date.now()),
  });
  readonly retention: TenantRetention = new TenantRetention(this.env, {
    tables: this.tables,
    forget: (task) => this.reports.forget(task, true),
    sendAll: () => this.index.sendAll(),
    saveSummaries: (tasks) => this.summaries.writeOf(tasks),
    isRebuilding: () => this.rebuilding.isRunning(),
  });
  readonly errands = new TenantErrands(
    this.tables,
    {
      switch: this.switch,
      summaries: this.summaries,
      notices: this.notices,
      reindex: this.rebuilding,
      retention: this.retention,
    },
    () => this.alarms.arm(),
  );
  readonly alarms: TenantAlarm = new TenantAlarm({
    tables: this.tables,
    store: this.store,
    outbox: this.outbox,
    index: this.index,
    errands: this.errands,
  });
  readonly sessions = new TenantSessions(this.tables, this.store);
  readonly feed = new TenantFeed(this.ctx, (key, session) => this.isDead(key, session));
  readonly reports = new TenantReports({
    tables: this.tables,
    outbox: this.outbox,
    notices: this.notices,
    places: this.places,
    summaries: this.summaries,
    switch: this.switch,
    errands: this.errands,
    feed: this.feed,
  });
  readonly door = new TenantDoor(
    { tables: this.tables, store: this.store, repeats: this.repeats, rates: this.rates, sessions: this.sessions },
    () => this.standing(),
  );
  /** What forgets its rows with the tenant. */
  readonly erasable = [
    this.store,
    this.sessions,
    this.outbox,
    this.summaries,
    this.places,
    this.switch,
    this.storage,
    this.sources,
    this.notices,
    this.recovery,
    this.retention,
  ];
  /** Another whenever an agent may have changed. */
  agentsStamp: string = crypto.randomUUID();

  /** True for a key that was revoked, a session that has ended, and an erased tenant. */
  isDead(key: string, session: string | null): boolean {
    if (this.tables.isErased() || this.store.isRevoked(key)) return true;
    return session !== null && this.sessions.find(session, Date.now()) === null;
  }

  standing(): TenantFacts {
    return { stopped: this.switch.stopped(), agentsStamp: this.agentsStamp, sources: this.sources.present() };
  }
}
