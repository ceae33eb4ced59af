/**
 * Counts what a tenant's tasks cost while a test works: rows of objects, alarms, calls between objects and to the runner,
 * requests, Postgres statements and bytes. Only what belongs to the tenant counts, because other tests share the isolate.
 *
 * 1. Every figure is taken where the platform bills it: at the storage, the stubs, the runner's entry point and `fetch`.
 * 2. No figure depends on time. A model request is held until nothing else happens, as a slow model would; the tenant's
 *    alarm never fires by a clock, and runs when all else is quiet and it is due before a model of 7 s would reply.
 *    The guard of a task's run, which only a crash needs, never fires.
 */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { inject, vi } from "vitest";
import type { TaskFacts } from "../../../core/task/state.ts";
import { TaskObject, TenantObject } from "../../../workers/index.ts";
import { StepRunner } from "../../../workers/steps.ts";
import { findOwner, type Owner } from "../storage-owners.ts";
import { tenantStub } from "../tenant/client.ts";
import { type Counts, MEASURES, type Measure } from "./expected.ts";

/** The longest reply of a model that the counts assume. An alarm of the tenant that is due later does not run. */
const MODEL_MS = 7_000;
/** Longer than any timer of an object: a report of a running task waits 100 ms. */
const QUIET_MS = 250;
/** A task's alarm within this time starts a run. A later one is a guard, which no run here outlasts. */
const DUE_MS = 500;
/** Added to the alarms that must not fire by the clock. */
const NEVER_MS = 3_600_000;

/** Counts what happens to the tenant's tasks during `work`, and after it until nothing is left to happen. */
export async function countCosts(tenant: string, work: () => Promise<unknown>): Promise<Counts> {
  const counter = new Counter(tenant);
  const unwatch = await counter.watch();
  try {
    await work();
    await counter.settle();
    return counter.read();
  } finally {
    unwatch();
  }
}

type Cursor = SqlStorageCursor<Record<string, SqlStorageValue>>;

class Counter {
  private readonly tenant: string;
  private readonly stub: ReturnType<typeof tenantStub>;
  private readonly counts = new Map<Measure, number>();
  private readonly cursors: { readonly kind: Owner["kind"]; readonly cursor: Cursor }[] = [];
  /** When the alarms are due, by the name of the object. */
  private readonly alarms = new Map<string, number>();
  private readonly heldModelRequests: (() => void)[] = [];
  /** Calls without a reply, among them the phases whose model request is held. */
  private open = 0;
  /** Grows with everything that happens. */
  private activity = 0;

  constructor(tenant: string) {
    this.tenant = tenant;
    this.stub = tenantStub(tenant);
  }

  /** Starts counting. Returns what ends it. */
  async watch(): Promise<() => void> {
    const [storage, sql] = await runInDurableObject(this.stub, (_, state) => [
      Object.getPrototypeOf(state.storage) as DurableObjectStorage,
      Object.getPrototypeOf(state.storage.sql) as SqlStorage,
    ]);
    const spies = [
      this.watchSql(sql),
      ...this.watchAlarms(storage),
      this.watchObjects(),
      ...this.watchRunner(),
      ...this.watchFiles(),
      this.watchFetch(),
    ];
    return () => {
      for (const spy of spies) spy.mockRestore();
    };
  }

  /** Lets the model reply, and runs the tenant's alarm, until nothing is left to happen. */
  async settle(): Promise<void> {
    for (;;) {
      await this.waitUntilQuiet();
      if (this.isDue(this.tenant)) {
        this.alarms.delete(this.tenant);
        await runDurableObjectAlarm(this.stub);
        continue;
      }
      const release = this.heldModelRequests.shift();
      if (release === undefined) return;
      release();
    }
  }

  read(): Counts {
    for (const { kind, cursor } of this.cursors.splice(0)) {
      this.add(`${kind} rows read`, cursor.rowsRead);
      this.add(`${kind} rows written`, cursor.rowsWritten);
    }
    return Object.fromEntries(MEASURES.map((name) => [name, this.counts.get(name) ?? 0])) as Counts;
  }

  private add(measure: Measure, count = 1): void {
    this.activity += 1;
    this.counts.set(measure, (this.counts.get(measure) ?? 0) + count);
  }

  private isDue(name: string): boolean {
    return (this.alarms.get(name) ?? Infinity) < Date.now() + MODEL_MS;
  }

  private hasDueTask(): boolean {
    return [...this.alarms.keys()].some((name) => name !== this.tenant && this.isDue(name));
  }

  /** Waits until no call is open, no alarm is due at once, and no timer is left that starts one. */
  private async waitUntilQuiet(): Promise<void> {
    let seen = -1;
    do {
      while (this.isBusy()) await scheduler.wait(5);
      seen = this.activity;
      await scheduler.wait(QUIET_MS);
    } while (this.isBusy() || seen !== this.activity);
  }

  private isBusy(): boolean {
    return this.open > this.heldModelRequests.length || this.hasDueTask();
  }

  /** The recorded object that `part` belongs to, if it is one of the tenant's. */
  private findOwn(part: object): Owner | null {
    const owner = findOwner(part);
    return owner?.name.startsWith(this.tenant) === true ? owner : null;
  }

  /** Counts a call and holds it open until its reply. */
  private async track<T>(measures: readonly Measure[], call: () => T): Promise<Awaited<T>> {
    for (const measure of measures) this.add(measure);
    this.open += 1;
    try {
      return await call();
    } finally {
      this.open -= 1;
      this.activity += 1;
    }
  }

  private watchSql(prototype: SqlStorage) {
    const { exec } = prototype;
    const { cursors } = this;
    const findOwn = this.findOwn.bind(this);
    return vi.spyOn(prototype, "exec").mockImplementation(function count(this: SqlStorage, ...args) {
      const cursor = exec.apply(this, args);
      const owner = findOwn(this);
      if (owner !== null) cursors.push({ kind: owner.kind, cursor });
      return cursor;
    });
  }

  private watchAlarms(prototype: DurableObjectStorage) {
    const { setAlarm, deleteAlarm } = prototype;
    const noteAlarm = this.noteAlarm.bind(this);
    const set = vi.spyOn(prototype, "setAlarm").mockImplementation(async function count(
      this: DurableObjectStorage,
      at,
      options,
    ) {
      await setAlarm.call(this, noteAlarm(this, Number(at)), options);
    });
    const unset = vi.spyOn(prototype, "deleteAlarm").mockImplementation(async function count(
      this: DurableObjectStorage,
      options,
    ) {
      noteAlarm(this, Infinity);
      await deleteAlarm.call(this, options);
    });
    return [set, unset, ...[TaskObject.prototype, TenantObject.prototype].map((one) => this.watchAlarmRuns(one))];
  }

  private watchAlarmRuns(prototype: Pick<TaskObject, "alarm">) {
    const { alarm } = prototype;
    const countRun = this.countAlarmRun.bind(this);
    return vi.spyOn(prototype, "alarm").mockImplementation(async function count(this: TaskObject) {
      countRun(this);
      await alarm.call(this);
    });
  }

  private countAlarmRun(object: object): void {
    const owner = this.findOwn(object);
    if (owner === null) return;
    this.add("alarm runs");
    this.alarms.delete(owner.name);
  }

  /** Counts a setting, and returns what to set the alarm to. A deleted alarm is a setting to Infinity. */
  private noteAlarm(storage: object, at: number): number {
    const owner = this.findOwn(storage);
    if (owner === null) return at;
    this.add(at === Infinity ? "alarms deleted" : "alarms set");
    const isGuard = owner.kind === "task" && at > Date.now() + DUE_MS;
    this.alarms.set(owner.name, isGuard ? Infinity : at);
    return isGuard || owner.kind === "tenant" ? at + NEVER_MS : at;
  }

  /** Counts calls of objects at their stubs. */
  private watchObjects() {
    const prototype = Object.getPrototypeOf(env.TENANTS) as DurableObjectNamespace;
    const { get } = prototype;
    const wrap = this.wrapStub.bind(this);
    return vi.spyOn(prototype, "get").mockImplementation(function count(this: DurableObjectNamespace, id, options) {
      return wrap(get.call(this, id, options), id.name);
    });
  }

  private wrapStub(stub: DurableObjectStub, name: string | undefined): DurableObjectStub {
    if (name?.startsWith(this.tenant) !== true) return stub;
    return new Proxy(stub, {
      get: (target, property) => {
        const method: unknown = Reflect.get(target, property, target);
        if (typeof method !== "function" || typeof property !== "string") return method;
        return async (...args: unknown[]) =>
          await this.track(["object calls"], () => Reflect.apply(method, target, args) as Promise<unknown>);
      },
    });
  }

  /** Counts the runner's calls where they arrive, by the tenant of their job. */
  private watchRunner() {
    const runner = StepRunner.prototype;
    return (["runModelPhase", "runToolPhase", "shorten", "reviseCall"] as const).map((name) => {
      const method = runner[name] as (
        this: StepRunner,
        job: { facts: TaskFacts },
        ...rest: unknown[]
      ) => Promise<unknown>;
      const track = this.track.bind(this);
      const { tenant } = this;
      return vi
        .spyOn(runner as unknown as Record<typeof name, typeof method>, name)
        .mockImplementation(async function count(this: StepRunner, job, ...rest) {
          const run = async () => await method.call(this, job, ...rest);
          return job.facts.tenant === tenant ? await track(["runner calls"], run) : await run();
        });
    });
  }

  /** Counts operations on R2 by the tenant of their key. */
  private watchFiles() {
    const bucket = Object.getPrototypeOf(env.FILES) as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const track = this.track.bind(this);
    const { tenant } = this;
    return ["head", "get", "put", "list", "delete"].map((name) => {
      const method = bucket[name];
      if (method === undefined) throw new Error(`R2 has no ${name}`);
      return vi.spyOn(bucket, name).mockImplementation(async function count(this: unknown, ...args) {
        const run = async () => await method.apply(this, args);
        return JSON.stringify(args[0]).includes(tenant) ? await track(["R2 operations"], run) : await run();
      });
    });
  }

  /** Counts requests to the model, of tools, and to Postgres. A request to the model waits until `settle` releases it. */
  private watchFetch() {
    const real = globalThis.fetch.bind(globalThis);
    const { databaseEndpoint, modelUrl } = inject("servers");
    return vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      const body = typeof init?.body === "string" ? init.body : "";
      const send = async () => await real(input, init);
      if (url.startsWith(modelUrl) && body.includes(this.tenant)) {
        this.add("model requests");
        await this.holdModelRequest();
        return await this.track([], send);
      }
      if (url === `${env.SIDECAR_URL}/egress` && body.includes(this.tenant))
        return await this.track(["tool requests"], send);
      if (url !== databaseEndpoint || !body.includes(this.tenant)) return await send();
      return await this.track(["Postgres requests"], async () => await this.countDatabase(body, await send()));
    });
  }

  private async countDatabase(body: string, response: Response): Promise<Response> {
    const sent = JSON.parse(body) as { readonly queries?: readonly unknown[] };
    this.add("Postgres statements", sent.queries?.length ?? 1);
    this.add("Postgres bytes", body.length + (await response.clone().text()).length);
    return response;
  }

  /** Waits inside the request that holds it: a promise of another request's would not be allowed. */
  private async holdModelRequest(): Promise<void> {
    let isHeld = true;
    this.heldModelRequests.push(() => {
      isHeld = false;
    });
    while (isHeld) await scheduler.wait(5);
  }
}
