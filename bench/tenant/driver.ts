/**
 * A Worker that calls one tenant's object as tasks do, from many callers at once, and says how much it did. It runs in the
 * process of the object and shares its thread, so what it counts is a lower bound.
 */
import type { PermitRequest, TenantRpc } from "../../core/tenant/rpc.ts";
import type { TaskStatus } from "../../core/task/status.ts";
import { makeReport, type MadeTenant } from "../made-tasks.ts";

/** `tasks`: new tasks, one after the other by each caller. `steps`: steps of one task by each caller. */
export interface DriverOrder {
  readonly kind: "tasks" | "steps";
  readonly tenant: MadeTenant;
  readonly callers: number;
  readonly ms: number;
}

export interface DriverResult {
  readonly done: number;
  readonly ms: number;
}

interface Env {
  readonly TENANTS: { getByName(name: string): Pick<TenantRpc, "admit" | "enter" | "report"> };
}

const STEP_TOKENS = 1_000;

/** Calls the object of the order's tenant. */
class Driver {
  private readonly object: ReturnType<Env["TENANTS"]["getByName"]>;
  private readonly tenant: MadeTenant;
  private count = 0;

  constructor(env: Env, tenant: MadeTenant) {
    this.object = env.TENANTS.getByName(tenant.id);
    this.tenant = tenant;
  }

  /** What a task of one model call asks of the object: admission of its request, a permit, two reports. */
  async runTask(): Promise<void> {
    await this.admit(null);
    const task = this.makeTask();
    const reportAs = (status: TaskStatus, version: number) => ({
      ...task,
      version,
      hidden: true,
      view: { ...task.view, status, ...(status === "running" ? { output: null, ended_at: null } : {}) },
    });
    await this.enter(task.task, 1);
    await this.object.report(reportAs("running", 2));
    await this.object.report(reportAs("completed", 3));
  }

  /** Asks for a permit for each step of one task until `until`, and returns how many there were. */
  async runSteps(until: number): Promise<number> {
    const { task } = this.makeTask();
    let steps = 0;
    for (; Date.now() < until; steps += 1) await this.enter(task, steps + 1);
    return steps;
  }

  /** Admits a request with the tenant's key. The object learns the key from a record. */
  async admit(keyRecord: MadeTenant["key"] | null): Promise<void> {
    const { kind } = await this.object.admit({ keyHash: this.tenant.keyHash, keyRecord, idempotency: null });
    if (kind !== "admitted") throw new Error(`the request was not admitted: ${kind}`);
  }

  private makeTask(): ReturnType<typeof makeReport> {
    this.count += 1;
    return makeReport(`Write the report number ${this.count}`, Date.now());
  }

  private async enter(task: string, version: number): Promise<void> {
    const request: PermitRequest = {
      task,
      version,
      key: this.tenant.key.id,
      agent: "agent_default",
      used: { tokens: version * STEP_TOKENS, costMicros: 0 },
      need: { tokens: STEP_TOKENS, costMicros: 0 },
      want: { tokens: STEP_TOKENS, costMicros: 0 },
      isPriced: true,
    };
    const { kind } = await this.object.enter(request, null);
    if (kind !== "admitted") throw new Error(`the task was not admitted: ${kind}`);
  }
}

async function drive(env: Env, { kind, tenant, callers, ms }: DriverOrder): Promise<DriverResult> {
  const driver = new Driver(env, tenant);
  await driver.admit(tenant.key);
  const startedAt = Date.now();
  const until = startedAt + ms;
  const runTasks = async () => {
    let tasks = 0;
    for (; Date.now() < until; tasks += 1) await driver.runTask();
    return tasks;
  };
  const run = kind === "tasks" ? runTasks : () => driver.runSteps(until);
  const counts = await Promise.all(Array.from({ length: callers }, run));
  return { done: counts.reduce((sum, count) => sum + count, 0), ms: Date.now() - startedAt };
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    return Response.json(await drive(env, (await request.json()) as DriverOrder));
  },
};
