/**
 * Counts what a tenant's tasks cost: rows and bytes of objects, alarms, calls between objects and to the runner, requests,
 * Postgres statements. Only what belongs to the tenant counts, because tests of other files left work in the isolate.
 *
 * 1. Every figure is taken where the platform bills it: at the storage, the stubs, the runner's entry point and `fetch`.
 * 2. Alarms and replies of models are events of the virtual time: no alarm of the tenant fires by a clock.
 */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { inject, vi } from "vitest";
import type { TaskFacts } from "../../../core/task/state.ts";
import { StepRunner } from "../../../workers/steps.ts";
import { findOwner, type Owner } from "../storage-owners.ts";
import { tenantStub } from "../tenant/client.ts";
import { CALLS, type Counts, MEASURES } from "./measures.ts";
import type { TimedEvent, VirtualTime } from "./virtual-time.ts";

/** A text of every counted task's input, by which the model's requests are found. */
export const MARK = "A task that is counted.";
/** What a task leaves to do is done within this virtual time after its last model reply. */
const AFTER_MS = 60_000;
/** Added to every alarm, so that none fires by the real clock. */
const NEVER_MS = 30 * 86_400_000;

type Cursor = SqlStorageCursor<Record<string, SqlStorageValue>>;

interface Statement {
  readonly kind: Owner["kind"];
  readonly cursor: Cursor;
  readonly bytes: number;
}

export class Counter {
  private readonly tenant: string;
  private readonly modelMs: number;
  private readonly time: VirtualTime;
  private counts = new Map<string, number>();
  private statements: Statement[] = [];
  /** The size of the database of each task that ran a statement, after its last one. */
  private readonly sizes = new Map<string, number>();
  private readonly alarms = new Map<string, TimedEvent>();
  /** The objects whose alarm handler runs. */
  private readonly handlers = new Set<string>();
  /** The objects whose alarm is deleted because it fires. */
  private readonly firing = new Set<string>();
  private readonly failures: unknown[] = [];
  private modelReplies = 0;
  private readonly getStub: (owner: Owner) => DurableObjectStub;

  /** Each reply of the model takes `modelMs` of virtual time. */
  constructor(tenant: string, modelMs: number, time: VirtualTime) {
    this.tenant = tenant;
    this.time = time;
    this.modelMs = modelMs;
    const { TENANTS, TASKS, SANDBOXES } = env;
    const namespaces = { tenant: TENANTS, task: TASKS, sandbox: SANDBOXES };
    const { get } = Object.getPrototypeOf(TENANTS) as DurableObjectNamespace;
    this.getStub = ({ kind, name }) => get.call(namespaces[kind], namespaces[kind].idFromName(name));
  }

  /** Watches the isolate, until `vi.restoreAllMocks()`. */
  async start(): Promise<void> {
    const [storage, sql] = await runInDurableObject(tenantStub(this.tenant), (_, state) => [
      Object.getPrototypeOf(state.storage) as DurableObjectStorage,
      Object.getPrototypeOf(state.storage.sql) as SqlStorage,
    ]);
    this.watchSql(sql);
    this.watchAlarms(storage);
    this.watchObjects();
    this.watchRunner();
    this.watchFiles();
    this.watchFetch();
  }

  /** Ends the object of the tenant, and of the task. The next call loads it from its storage. */
  async unload(task: string): Promise<void> {
    // An eviction would wait for the abort signals that are left, up to ten seconds.
    for (const owner of [
      { kind: "tenant", name: this.tenant },
      { kind: "task", name: `${this.tenant}/${task}` },
    ] as const)
      await runInDurableObject(this.getStub(owner), (_, state) => state.abort("unloaded")).catch(() => undefined);
  }

  /** Counts what happens during `work`, and after it until nothing is left to do. */
  async count(work: () => Promise<unknown>): Promise<Counts> {
    this.counts = new Map();
    this.statements = [];
    this.sizes.clear();
    let isDone = false;
    const working = work().finally(() => {
      isDone = true;
      this.time.note();
    });
    // It is awaited at the end.
    working.catch(() => undefined);
    let [seen, wasDone] = [this.modelReplies, false];
    do {
      await this.time.run(AFTER_MS, () => {
        const more = seen !== this.modelReplies || wasDone !== isDone;
        [seen, wasDone] = [this.modelReplies, isDone];
        return more;
      });
    } while (!isDone);
    await working;
    if (this.failures.length > 0) throw new Error("an alarm failed", { cause: this.failures[0] });
    return this.read();
  }

  private read(): Counts {
    for (const { kind, cursor, bytes } of this.statements) {
      this.add(`${kind} rows read`, cursor.rowsRead);
      this.add(`${kind} rows written`, cursor.rowsWritten);
      if (cursor.rowsWritten > 0) this.add("object bytes written", bytes);
    }
    for (const size of this.sizes.values()) this.add("task bytes stored", size);
    for (const name of ["task rows written", "tenant rows written", "sandbox rows written", "alarms set"])
      this.add("object rows written, alarms included", this.counts.get(name) ?? 0);
    const unknown = [...this.counts.keys()].filter((name) => !MEASURES.includes(name) && !name.startsWith(CALLS));
    if (unknown.length > 0) throw new Error(`not a measure: ${unknown.join(", ")}`);
    return new Map(this.counts);
  }

  private add(measure: string, count = 1): void {
    this.time.note();
    this.counts.set(measure, (this.counts.get(measure) ?? 0) + count);
  }

  /** The recorded object that `part` belongs to, if it is one of the tenant's. */
  private findOwn(part: object): Owner | null {
    const owner = findOwner(part);
    return owner?.name.startsWith(this.tenant) === true ? owner : null;
  }

  private watchSql(prototype: SqlStorage): void {
    const { exec } = prototype;
    const note = (storage: SqlStorage, cursor: Cursor, values: readonly unknown[]) => {
      const owner = this.findOwn(storage);
      if (owner === null) return;
      this.time.note();
      this.statements.push({ kind: owner.kind, cursor, bytes: countBytes(values) });
      if (owner.kind === "task") this.sizes.set(owner.name, storage.databaseSize);
    };
    vi.spyOn(prototype, "exec").mockImplementation(function count(this: SqlStorage, query, ...values) {
      const cursor = exec.call(this, query, ...values);
      note(this, cursor, values);
      return cursor;
    });
  }

  private watchAlarms(prototype: DurableObjectStorage): void {
    const { setAlarm, deleteAlarm } = prototype;
    const noteSet = this.noteSet.bind(this);
    const noteDeleted = this.noteDeleted.bind(this);
    vi.spyOn(prototype, "setAlarm").mockImplementation(async function count(this: DurableObjectStorage, at, options) {
      noteSet(this, Number(at));
      await setAlarm.call(this, Number(at) + NEVER_MS, options);
    });
    vi.spyOn(prototype, "deleteAlarm").mockImplementation(async function count(this: DurableObjectStorage, options) {
      noteDeleted(this);
      await deleteAlarm.call(this, options);
    });
  }

  private noteSet(storage: object, at: number): void {
    const owner = this.findOwn(storage);
    if (owner === null) return;
    this.add("alarms set");
    this.time.remove(this.alarms.get(owner.name) ?? null);
    const fire = () => void this.runAlarm(owner);
    // The platform runs no alarm during its object's own handler.
    this.alarms.set(
      owner.name,
      this.time.add(at, fire, () => this.handlers.has(owner.name)),
    );
  }

  private noteDeleted(storage: object): void {
    const owner = this.findOwn(storage);
    if (owner === null || this.firing.delete(owner.name)) return;
    this.add("alarms deleted");
    this.time.remove(this.alarms.get(owner.name) ?? null);
  }

  private async runAlarm(owner: Owner): Promise<void> {
    this.add("alarm runs");
    this.handlers.add(owner.name);
    this.firing.add(owner.name);
    try {
      await runDurableObjectAlarm(this.getStub(owner));
    } catch (thrown) {
      this.failures.push(thrown);
    } finally {
      this.handlers.delete(owner.name);
      this.time.note();
    }
  }

  /** Counts calls of objects at their stubs. */
  private watchObjects(): void {
    const prototype = Object.getPrototypeOf(env.TENANTS) as DurableObjectNamespace;
    const { get } = prototype;
    const wrap = this.wrapStub.bind(this);
    vi.spyOn(prototype, "get").mockImplementation(function count(this: DurableObjectNamespace, id, options) {
      return wrap(get.call(this, id, options), id.name);
    });
  }

  private wrapStub(stub: DurableObjectStub, name: string | undefined): DurableObjectStub {
    if (name?.startsWith(this.tenant) !== true) return stub;
    return new Proxy(stub, {
      get: (target, property) => {
        const method: unknown = Reflect.get(target, property, target);
        if (typeof method !== "function" || typeof property !== "string") return method;
        return async (...args: unknown[]) => {
          this.add("object calls");
          this.add(CALLS + property);
          return (await Reflect.apply(method, target, args)) as unknown;
        };
      },
    });
  }

  /** Counts the runner's calls where they arrive, by the tenant of their job. */
  private watchRunner(): void {
    const runner = StepRunner.prototype;
    for (const name of ["runModelPhase", "runToolPhase", "shorten", "reviseCall"] as const) {
      const method = runner[name] as (...args: unknown[]) => Promise<unknown>;
      const note = (tenant: string) => {
        if (tenant === this.tenant) this.add("runner calls");
      };
      vi.spyOn(runner as unknown as Record<typeof name, typeof method>, name).mockImplementation(async function count(
        this: StepRunner,
        ...args
      ) {
        note((args[0] as { facts: TaskFacts }).facts.tenant);
        return await method.apply(this, args);
      });
    }
  }

  /** Counts operations on R2 by the tenant of their key. */
  private watchFiles(): void {
    const bucket = Object.getPrototypeOf(env.FILES) as Record<string, (...args: unknown[]) => Promise<unknown>>;
    for (const name of ["head", "get", "put", "list", "delete"]) {
      const method = bucket[name];
      if (method === undefined) throw new Error(`R2 has no ${name}`);
      const track = async (key: unknown, run: () => Promise<unknown>) => {
        if (!JSON.stringify(key).includes(this.tenant)) return await run();
        this.add("R2 operations");
        return await this.time.track(run);
      };
      vi.spyOn(bucket, name).mockImplementation(async function count(this: unknown, ...args) {
        return await track(args[0], async () => await method.apply(this, args));
      });
    }
  }

  /** Counts requests to the model, of tools, and to Postgres. */
  private watchFetch(): void {
    const real = globalThis.fetch.bind(globalThis);
    const { databaseEndpoint, modelUrl } = inject("servers");
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      const body = typeof init?.body === "string" ? init.body : "";
      const send = async () => await this.time.track(async () => await readWhole(await real(input, init)));
      if (url.startsWith(modelUrl) && body.includes(MARK)) {
        this.add("model requests");
        await this.time.wait(this.modelMs);
        this.modelReplies += 1;
        return await send();
      }
      if (url.startsWith(`${env.SIDECAR_URL}/egress`) && isOfTenant(init, this.tenant)) {
        this.add("tool requests");
        return await send();
      }
      if (url !== databaseEndpoint || !body.includes(this.tenant)) return await real(input, init);
      return await this.countDatabase(body, await send());
    });
  }

  private async countDatabase(body: string, response: Response): Promise<Response> {
    const sent = JSON.parse(body) as { readonly queries?: readonly unknown[] };
    this.add("Postgres requests");
    this.add("Postgres statements", sent.queries?.length ?? 1);
    this.add("Postgres bytes", body.length + (await response.clone().text()).length);
    return response;
  }
}

/** Reads the body of a reply, so that nothing of it arrives later. */
async function readWhole(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

/** True for a request with a token of the tenant: its first part is readable. */
function isOfTenant(init: RequestInit | undefined, tenant: string): boolean {
  const [, token = ""] = /^Bearer ([\w-]+)\./.exec(new Headers(init?.headers).get("authorization") ?? "") ?? [];
  return atob(token.replaceAll("-", "+").replaceAll("_", "/")).includes(tenant);
}

/** The bytes of the values that a statement binds. */
function countBytes(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + sizeOf(value), 0);
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return new TextEncoder().encode(value).length;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  return typeof value === "number" ? 8 : 0;
}
