/**
 * Drill `noise`: a victim tenant runs small tasks, alone and next to a tenant that repeats one action as often as possible. Both phases
 * alternate within a run, so that other load affects both.
 */
import { Worker } from "node:worker_threads";
import { type ApiClient, eachAtOnce, type TaskBody } from "../api-client.ts";
import { quantile } from "../random.ts";
import type { DrillTenant, Stage } from "../stage.ts";
import { until } from "../started-system.ts";
import type { NoiseOrder, NoiseTally } from "./noise-thread.ts";
import { type NoisyTenant, type Scenario, scenarioNamed, SCENARIOS } from "./scenarios.ts";

/** Duration of the model's reply to a victim's task. */
const PACE_MS = 200;
/** Concurrent tasks of the victim. */
const CONCURRENCY = 2;
/** Time until the noise has its full concurrency. */
const WARM_UP_MS = 300;
const END_WITHIN_MS = 120_000;
const SECRETS = 100;
const FILES = 5;

/** `tasks` is how many the victim runs per phase; `rounds` is how often the phases alternate. */
export interface NoisePlan {
  readonly tasks: number;
  readonly rounds: number;
  /** Names of scenarios, or null for all. */
  readonly only: readonly string[] | null;
}

export interface NoiseReport {
  readonly scenario: string;
  readonly tasks: number;
  readonly aloneP95Ms: number;
  readonly besideP95Ms: number;
  readonly ratio: number;
  /** The ratio of the medians, which a short run can judge. */
  readonly medianRatio: number;
  /** Reads of one task, p95. Not judged: on one machine a read costs less than the noise's own client. */
  readonly aloneReadMs: number;
  readonly besideReadMs: number;
  readonly tally: NoiseTally;
  readonly violations: readonly string[];
}

interface Measured {
  readonly tasks: number[];
  readonly reads: number[];
}

/** Creates the victim and warms it up, since work of the first use does not count. */
export async function makeVictim(stage: Stage): Promise<DrillTenant> {
  const victim = await stage.makeTenant("victim");
  await measure(stage, victim, CONCURRENCY * 2);
  return victim;
}

/** Runs the scenarios in sequence, each with its own noisy tenant. A scenario that fails is a violation. */
export async function runNoiseDrill(
  stage: Stage,
  { tasks, rounds, only }: NoisePlan,
  say: (line: string) => void,
): Promise<readonly NoiseReport[]> {
  const victim = await makeVictim(stage);
  const reports: NoiseReport[] = [];
  for (const { name } of SCENARIOS.filter((one) => only?.includes(one.name) ?? true)) {
    const report = await runScenario(stage, victim, name, { tasks, rounds }).catch((error: unknown) =>
      brokenOff(name, error),
    );
    say(`  ${noiseLine(report)}`);
    reports.push(report);
  }
  return reports;
}

function brokenOff(scenario: string, error: unknown): NoiseReport {
  const none = {
    tasks: 0,
    aloneP95Ms: NaN,
    besideP95Ms: NaN,
    ratio: NaN,
    medianRatio: NaN,
    aloneReadMs: NaN,
    besideReadMs: NaN,
  };
  const why = error instanceof Error ? error.message : String(error);
  return { scenario, ...none, tally: {}, violations: [`noise (${scenario}) broke off: ${why}`] };
}

/** One line for a reader. */
export function noiseLine({
  scenario,
  aloneP95Ms,
  besideP95Ms,
  ratio,
  medianRatio,
  aloneReadMs,
  besideReadMs,
  tally,
}: NoiseReport) {
  const answers = Object.entries(tally).map(([status, count]) => `${count} × ${status}`);
  const [alone, beside, read, readBeside] = [aloneP95Ms, besideP95Ms, aloneReadMs, besideReadMs].map(Math.round);
  return `${scenario.padEnd(20)} p95 ${alone} ms alone, ${beside} ms beside, ratio ${ratio.toFixed(2)} (median ${medianRatio.toFixed(2)}); reads ${read} → ${readBeside} ms; noise: ${answers.join(", ")}`;
}

/** Runs one scenario next to the victim. */
export async function runScenario(
  stage: Stage,
  victim: DrillTenant,
  scenario: string,
  { tasks, rounds }: Pick<NoisePlan, "tasks" | "rounds">,
): Promise<NoiseReport> {
  const [alone, beside]: [Measured, Measured] = [
    { tasks: [], reads: [] },
    { tasks: [], reads: [] },
  ];
  const tally: Record<number, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    const noisy = await makeNoisyTenant(stage, scenarioNamed(scenario));
    add(alone, await measure(stage, victim, tasks));
    const noise = startNoise({ scenario, noisy });
    try {
      await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
      add(beside, await measure(stage, victim, tasks));
    } finally {
      for (const [status, count] of Object.entries(await noise.stop()))
        tally[Number(status)] = (tally[Number(status)] ?? 0) + count;
      // Its remaining work must not run during the next phase.
      await stage.operator.must("POST", `/v1/tenants/${noisy.tenant}/stop`, { reason: "the noise ended" });
    }
  }
  const [aloneP95Ms, besideP95Ms] = [quantile(alone.tasks, 0.95), quantile(beside.tasks, 0.95)];
  const ratio = besideP95Ms / aloneP95Ms;
  const answered = Object.values(tally).reduce((sum, count) => sum + count, 0);
  const violations: string[] = [];
  if (answered === 0) violations.push(`noise (${scenario}): no request was answered`);
  const failed = Object.keys(tally).filter((status) => status === "0" || status === "500");
  if (failed.length > 0) violations.push(`noise (${scenario}): answers ${JSON.stringify(tally)}`);
  return {
    scenario,
    tasks: beside.tasks.length,
    aloneP95Ms,
    besideP95Ms,
    ratio,
    medianRatio: quantile(beside.tasks, 0.5) / quantile(alone.tasks, 0.5),
    aloneReadMs: quantile(alone.reads, 0.95),
    besideReadMs: quantile(beside.reads, 0.95),
    tally,
    violations,
  };
}

function add(all: Measured, more: Measured): void {
  all.tasks.push(...more.tasks);
  all.reads.push(...more.reads);
}

/** Runs tasks of one step, `LANES` at once, and reads each once it ended. Times in milliseconds. */
async function measure(stage: Stage, { id, api, agent }: DrillTenant, count: number): Promise<Measured> {
  const reads: number[] = [];
  const tasks = await eachAtOnce(Array.from({ length: count }), CONCURRENCY, async () => {
    const input = JSON.stringify({ drill: `victim-${id}`, kind: "quick", paceMs: PACE_MS, keyed: stage.keyed.url });
    const from = performance.now();
    const made = await api.must<TaskBody>("POST", "/v1/tasks?wait=60", { input, agent });
    await until(
      async () => made.status === "completed" || (await api.task(made.id)).status === "completed",
      END_WITHIN_MS,
      () => `a task of the victim is ${made.status}`,
      50,
    );
    const ended = performance.now();
    await api.task(made.id);
    reads.push(performance.now() - ended);
    return ended - from;
  });
  return { tasks, reads };
}

async function makeNoisyTenant(stage: Stage, { name, needs }: Scenario): Promise<NoisyTenant> {
  const permissions = ["read", "write", "network", "exec"];
  const { id, key, api, agent } = await stage.makeTenant(`noisy ${name}`, { permissions });
  const task = (await api.must<{ id: string }>("POST", "/v1/tasks", { input: "files", agent, hold: true })).id;
  const mail = (await api.must<{ address: string | null }>("GET", "/v1/mail")).address ?? "nobody@mail.test";
  const noisy = { url: stage.system.url, tenant: id, key, agent, task, recorder: stage.keyed.url, mail };
  if (needs === "secrets") await makeSecrets(stage, api);
  if (needs === "files") await uploadFiles(noisy);
  return noisy;
}

async function makeSecrets(stage: Stage, api: ApiClient): Promise<void> {
  const hosts = [new URL(stage.keyed.url).hostname];
  await eachAtOnce(Array.from({ length: SECRETS }), 10, async (_, index) => {
    const value = `canary-${index}-${crypto.randomUUID()}`;
    await api.must("POST", "/v1/secrets", { name: `NOISE_${index}`, value, hosts });
  });
}

async function uploadFiles({ url, key, task }: NoisyTenant): Promise<void> {
  const body = "lorem ipsum dolor sit amet\n".repeat(7500);
  for (let file = 0; file < FILES; file += 1) {
    const response = await fetch(`${url}/v1/tasks/${task}/files/text-${file}.txt`, {
      method: "PUT",
      headers: { authorization: `Bearer ${key}`, "content-type": "text/plain" },
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`a file of the noisy tenant: ${response.status} ${text}`);
  }
}

function startNoise(order: NoiseOrder): { stop(): Promise<NoiseTally> } {
  const thread = new Worker(new URL("./noise-thread.ts", import.meta.url), { workerData: order });
  const ended = new Promise<NoiseTally>((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
  });
  // Awaited by `stop`, which reports an earlier error.
  ended.catch(() => undefined);
  return {
    async stop() {
      thread.postMessage("stop");
      try {
        return await ended;
      } finally {
        await thread.terminate();
      }
    },
  };
}
