/** The sweep's work for tasks whose alarm may be lost, and the entry point to which it passes many of them. */
import { WorkerEntrypoint } from "cloudflare:workers";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { SweepRpc, TenantTask } from "../../core/sweep/rpc.ts";
import { wakeEach } from "../../core/sweep/wake-overdue.ts";
import { reportLost } from "../tasks/lost.ts";
import { attempt } from "./attempt.ts";

const CLOCK = { now: () => Date.now(), after: async (ms: number) => await scheduler.wait(ms) };

/** Wakes tasks, and sends their tenants' reports to the index. Reports a task whose state is lost. */
export async function wakeTasks(env: Env, tasks: readonly TenantTask[]): Promise<void> {
  await wakeEach(tasks, (task) => wakeTask(env, task), CLOCK);
  const tenants = [...new Set(tasks.map(({ tenant }) => tenant))];
  const flush = async (tenant: string): Promise<void> => {
    await attempt(`sending the index of ${tenant}`, () => tenantsFromEnv(env)(tenant).flush());
  };
  await wakeEach(tenants, flush, CLOCK);
}

async function wakeTask(env: Env, { tenant, task }: TenantTask): Promise<void> {
  await attempt(`waking ${task}`, async () => {
    const isStored = await tasksFromEnv(env)(tenant, task).poke();
    if (isStored === false) await reportLost(env, tenant, task);
  });
}

/** A separate invocation for a part of the overdue tasks. */
export class SweepRunner extends WorkerEntrypoint<Env> implements SweepRpc {
  async wakeTasks(tasks: readonly TenantTask[]): Promise<void> {
    await wakeTasks(this.env, tasks);
  }
}
