/**
 * Drill `apps`: tasks call actions of every effect class, the provider has faults, and processes are killed at random
 * moments. Afterwards: `none` and `keyed` were repeated until they were confirmed, `probe` and `once` happened at most once,
 * every call is settled, and of two equal calls none claims the effect of the other.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { DemoServer } from "../../../scripts/demo-apps/server.ts";
import { controlDemoApps } from "../../mock-servers/demo-apps.ts";
import { eachAtOnce, isEnded, type TaskBody } from "../api-client.ts";
import { seededRandom } from "../random.ts";
import type { Stage } from "../stage.ts";
import { until } from "../started-system.ts";
import { strike, TimedKiller, type TimedKillPlan } from "../timed-kills.ts";
import { ACTIONS, type DrillAction, type DrillEffect, getActionOf, listFaults, toCall } from "./actions.ts";
import type { ActionInput } from "./app-script.ts";
import { type AppTenant, openAppTenant } from "./app-tenant.ts";
import { countEffects, type EndedTask, judgeApps, type Outcomes, type PlannedCall } from "./judge-apps.ts";

export interface AppsPlan {
  readonly seed: number;
  /** An even number: each two tasks have one equal call. */
  readonly tasks: number;
  readonly atOnce: number;
  readonly kills: TimedKillPlan;
  /** Milliseconds between two faults of the provider. */
  readonly faultEveryMs: readonly [shortest: number, longest: number];
  /** Tasks end within this time after the first began. */
  readonly withinMs: number;
}

export interface AppsReport {
  readonly tasks: number;
  readonly kills: number;
  readonly tally: string;
  readonly faults: number;
  readonly effects: number;
  readonly outcomes: Outcomes;
  /** Calls of unknown outcome that a person decided. */
  readonly decided: number;
  readonly violations: readonly string[];
}

const PACE_MS = 200;
const DECISIONS = ["done", "skip", "retry"] as const;
const ASKED_WITHIN_MS = 120_000;
/** The steps of a task: their actions, by class. Those of the last one are equal in two tasks. */
const STEPS: readonly (readonly DrillEffect[])[] = [["none", "keyed", "probe"], ["once", "probe", "none"], ["probe"]];

export async function runAppsDrill(
  stage: Stage,
  demo: DemoServer,
  plan: AppsPlan,
  say: (line: string) => void,
): Promise<AppsReport> {
  const tenant = await openAppTenant(stage, demo, `apps ${plan.seed}`, say);
  const random = seededRandom(plan.seed);
  const inputs = Array.from({ length: plan.tasks }, (_, number) => planTask(plan.seed, number, random));
  const killer = new TimedKiller(stage, plan.kills, seededRandom(plan.seed + 1));
  const faults = startFaults(demo, plan);
  let ended: EndedTask[];
  try {
    const until = performance.now() + plan.withinMs;
    ended = await eachAtOnce(inputs, plan.atOnce, async (input) => await runTask(tenant, input, until));
  } finally {
    await faults.stop();
    await killer.stop();
  }
  say(`  ${ended.length} tasks ended; killed ${killer.tally()}`);
  const { effects } = await controlDemoApps(demo.url, { calls: null });
  const { violations, outcomes } = judgeApps(ended, effects);
  const asked = await decideUnknown(stage, demo, tenant, plan.seed);
  const nothing = killer.kills.length === 0 ? ["nothing was killed"] : [];
  return {
    tasks: ended.length,
    kills: killer.kills.length,
    tally: killer.tally(),
    faults: faults.count(),
    effects: effects.length,
    outcomes,
    decided: DECISIONS.length,
    violations: [...violations, ...asked, ...nothing],
  };
}

interface PlannedTask {
  readonly input: ActionInput;
  readonly calls: readonly PlannedCall[];
}

function planTask(seed: number, number: number, random: () => number): PlannedTask {
  const drill = `apps-${seed}-${number}`;
  const calls = STEPS.flatMap((effects, before) =>
    effects.map((effect, index): PlannedCall & { readonly of: DrillAction } => {
      const isPair = before === STEPS.length - 1;
      const marker = isPair ? `pair ${seed} ${number - (number % 2)}` : `${drill} ${before + 1} ${index}`;
      const all = ACTIONS.filter((one) => one.effect === effect);
      const of = isPair ? getActionOf(effect) : (all[Math.floor(random() * all.length)] ?? getActionOf(effect));
      return { step: before + 1, index, action: of.action, effect, marker, isPair, of };
    }),
  );
  const steps = STEPS.map((_, before) =>
    calls.filter(({ step }) => step === before + 1).map(({ of, marker }) => toCall(of, marker)),
  );
  return { input: { drill, kind: "actions", steps, paceMs: Math.round(PACE_MS * (1 + random())) }, calls };
}

async function runTask(tenant: AppTenant, { input, calls }: PlannedTask, end: number): Promise<EndedTask> {
  const { id } = await createTask(tenant, tenant.telling, input);
  let task = await tenant.api.task(id);
  while (!isEnded(task.status)) {
    if (performance.now() > end) break;
    await sleep(500);
    task = await tenant.api.task(id);
  }
  return { drill: input.drill, calls, task, ledger: await tenant.api.ledger(id) };
}

async function createTask({ api }: AppTenant, agent: string, input: ActionInput): Promise<TaskBody> {
  return await api.must<TaskBody>("POST", "/v1/tasks", { input: JSON.stringify(input), agent });
}

/** Sets one fault after another, each of one call of a random action. */
function startFaults(demo: DemoServer, { seed, faultEveryMs: [shortest, longest] }: AppsPlan) {
  const random = seededRandom(seed + 2);
  const stopped = new AbortController();
  let set = 0;
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const of = ACTIONS[Math.floor(random() * ACTIONS.length)] ?? getActionOf("probe");
      const faults = listFaults(of.effect);
      const fault = faults[Math.floor(random() * faults.length)] ?? "error";
      await controlDemoApps(demo.url, { calls: { fault, times: 1, action: of.action } });
      set += 1;
      const gap = shortest + random() * (longest - shortest);
      await sleep(gap, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const running = run();
  // `stop` reports the failure.
  running.catch(() => undefined);
  return {
    count: () => set,
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

/** Calls of class once lose their replies; the runtime is killed while a person is asked, and the person decides. */
async function decideUnknown(stage: Stage, demo: DemoServer, tenant: AppTenant, seed: number): Promise<string[]> {
  const violations: string[] = [];
  const of = getActionOf("once");
  for (const decision of DECISIONS) {
    const drill = `asks-${seed}-${decision}`;
    await controlDemoApps(demo.url, { calls: { fault: "cut", times: 1, action: of.action } });
    const input: ActionInput = { drill, kind: "actions", steps: [[toCall(of, drill)]], paceMs: 0 };
    const { id } = await createTask(tenant, tenant.asking, input);
    await untilTask(tenant, id, ({ pending }) => pending.some(({ kind }) => kind === "unknown"), "ask");
    await strike(stage.system, "workerd");
    await stage.system.up();
    const [row] = await tenant.api.ledger(id);
    await tenant.api.must("POST", `/v1/tasks/${id}/ledger/${row?.call_id ?? ""}`, { decision });
    await untilTask(tenant, id, ({ status }) => isEnded(status), "end");
    const [settled] = await tenant.api.ledger(id);
    const { effects } = await controlDemoApps(demo.url, { calls: null });
    const happened = countEffects(effects)(of.action, drill);
    const wanted = decision === "retry" ? 2 : 1;
    const state = decision === "skip" ? "unknown" : "confirmed";
    if (happened !== wanted || settled?.state !== state)
      violations.push(`a call that a person decided as ${decision} is ${settled?.state}, with ${happened} effects`);
  }
  return violations;
}

async function untilTask(
  { api }: AppTenant,
  id: string,
  holds: (task: TaskBody) => boolean,
  what: string,
): Promise<void> {
  await until(
    async () => holds(await api.task(id)),
    ASKED_WITHIN_MS,
    () => `${id} did not ${what}`,
    200,
  );
}
