/**
 * What the apps of the catalogue cost: a full sync of the demo apps, and a call of an action in a step of a task beyond what
 * the provider takes. The floors have no apps: their column is the gap of a step of theirs in the same run.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { startDemoApps } from "../../scripts/demo-apps/server.ts";
import { getActionOf, toCall } from "../../test/drill/apps/actions.ts";
import type { ActionInput } from "../../test/drill/apps/app-script.ts";
import { type AppTenant, connectApps, makeAppTenant, syncCatalogue } from "../../test/drill/apps/app-tenant.ts";
import { isEnded } from "../../test/drill/api-client.ts";
import { quantile } from "../../test/drill/random.ts";
import { openStage, type Stage as DrillStage } from "../../test/drill/stage.ts";
import { controlDemoApps } from "../../test/mock-servers/demo-apps.ts";
import { cpuMs, memoryKib, parentOf, processTree } from "../processes.ts";
import { measureGap } from "./gap.ts";
import type { Section } from "./section.ts";

const OURS = "Otto";
const API_KEY = "bench";
const TASKS = 5;
const CALLS = 19;
/** Tasks that are not counted. */
const WARM_UP = 1;
const DIRECT_CALLS = 60;
const SETTLE_MS = 5_000;
const SAMPLE_MS = 100;
const KIB_PER_MIB = 1024;
/** What a sync and a call may take: `apps.md`. */
const [MUST_SYNC_S, MUST_SYNC_MIB, MUST_CALL_MS] = [60, 64, 8];

export const APPS: Section = {
  name: "apps",
  once: true,
  rows: [
    {
      key: "apps-sync",
      label: "full sync of 12,000 actions, s",
      digits: 1,
      target: `≤ ${MUST_SYNC_S}`,
      must: MUST_SYNC_S,
    },
    {
      key: "apps-sync-memory",
      label: "– most resident memory of workerd over idle, MiB",
      digits: 0,
      target: `≤ ${MUST_SYNC_MIB}`,
      must: MUST_SYNC_MIB,
    },
    { key: "apps-sync-cpu", label: "– CPU of all processes, s", digits: 1, target: "" },
    {
      key: "apps-call",
      label: "call of an action in a step, beyond the provider, ms (p50)",
      digits: 2,
      target: `≤ ${MUST_CALL_MS}`,
      must: MUST_CALL_MS,
    },
    { key: "apps-call-p99", label: "– p99", digits: 2, target: "" },
    { key: "apps-call-cpu", label: "– CPU of all processes, ms", digits: 2, target: "" },
  ],
  async measure(stage, note) {
    if (!stage.contenders.some(({ name }) => name === OURS)) return;
    for (const floor of stage.contenders.filter(({ name }) => name !== OURS))
      note("apps-call", floor.name, await measureGap(stage, floor));
    const demo = await startDemoApps({ port: 0, apiKey: API_KEY, isControlled: true });
    const env = { OTTO_REQUESTS_PER_MINUTE: "1000000", COMPOSIO_API_KEY: API_KEY, COMPOSIO_BASE_URL: demo.url };
    const drill = await openStage({ env });
    try {
      const made = await makeAppTenant(drill, "bench apps");
      const sync = await measureSync(drill, async () => await syncCatalogue(made.api));
      note("apps-sync", OURS, sync.seconds);
      note("apps-sync-memory", OURS, sync.memoryMib);
      note("apps-sync-cpu", OURS, sync.cpuSeconds);
      const tenant = await connectApps(drill, made);
      const pids = listPids(drill);
      for (let task = 0; task < WARM_UP; task += 1) await runTask(drill, tenant, `warm ${task}`);
      const before = cpuMs(pids);
      const gaps: number[] = [];
      for (let task = 0; task < TASKS; task += 1) gaps.push(...(await runTask(drill, tenant, `calls ${task}`)));
      await sleep(SETTLE_MS);
      note("apps-call-cpu", OURS, (cpuMs(pids) - before) / (TASKS * CALLS));
      const direct = await timeDirectCalls(demo.url);
      note("apps-call", OURS, quantile(gaps, 0.5) - direct);
      note("apps-call-p99", OURS, quantile(gaps, 0.99) - direct);
    } finally {
      await drill.close();
      await demo.close();
    }
  },
};

/** Everything that the system runs; the demo apps are in the bench's own process. */
function listPids({ system }: DrillStage): number[] {
  return processTree(parentOf(system.pidOf("runtime") ?? Number.NaN));
}

/** Memory is the resident memory of the process that runs the sync. */
async function measureSync(drill: DrillStage, sync: () => Promise<number>) {
  await sleep(SETTLE_MS);
  const runtime = drill.system.workerdPid() ?? Number.NaN;
  const idle = memoryKib(runtime);
  const pids = listPids(drill);
  const before = cpuMs(pids);
  let peak = idle;
  const sampler = setInterval(() => {
    peak = Math.max(peak, memoryKib(runtime));
  }, SAMPLE_MS);
  try {
    const seconds = await sync();
    return { seconds, memoryMib: (peak - idle) / KIB_PER_MIB, cpuSeconds: (cpuMs(pids) - before) / 1_000 };
  } finally {
    clearInterval(sampler);
  }
}

/** Runs a task with one call of class probe a step. Gives the times from a reply of the model to its next request. */
async function runTask(drill: DrillStage, { api, telling }: AppTenant, name: string): Promise<number[]> {
  const of = getActionOf("probe");
  const steps = Array.from({ length: CALLS }, (_, at) => [toCall(of, `${name} ${at}`)]);
  const input: ActionInput = { drill: name, kind: "actions", steps, paceMs: 0 };
  const from = drill.model.requests.length;
  const body = { input: JSON.stringify(input), agent: telling };
  const { id } = await api.must<{ id: string }>("POST", "/v1/tasks", body);
  let task = await api.task(id);
  for (; !isEnded(task.status); task = await api.task(id)) await sleep(SAMPLE_MS);
  const states = new Set((await api.ledger(id)).map(({ state }) => state));
  if (task.status !== "completed" || states.size !== 1 || !states.has("confirmed"))
    throw new Error(`${name} is ${task.status}, with calls that are ${[...states].join()}`);
  const requests = drill.model.requests.slice(from);
  return requests.slice(1).map(({ at }, index) => at - (requests[index]?.repliedAt ?? Number.NaN));
}

/** What the provider takes for the same call, the request to it included, in milliseconds (p50). */
async function timeDirectCalls(url: string): Promise<number> {
  const { action, others, named } = getActionOf("probe");
  const { accounts } = await controlDemoApps(url);
  const account = accounts.find(({ app, status }) => app === getActionOf("probe").app && status === "ACTIVE");
  const given = { connected_account_id: account?.id, user_id: account?.entity, version: "00000000_00" };
  const times: number[] = [];
  for (let call = 0; call < DIRECT_CALLS; call += 1) {
    const body = JSON.stringify({ ...given, arguments: { ...others, [named]: `direct ${call}` } });
    const headers = { "x-api-key": API_KEY, "content-type": "application/json" };
    const startedAt = performance.now();
    const reply = await fetch(`${url}/api/v3.1/tools/execute/${action}`, { method: "POST", headers, body });
    const text = await reply.text();
    times.push(performance.now() - startedAt);
    if (!reply.ok || !text.includes('"successful":true')) throw new Error(`the demo apps answered ${text}`);
  }
  return quantile(times, 0.5);
}
