/** Many tasks at once: how many steps a second, what a step costs the processors, and how long a task takes. */
import { quantile } from "../../test/drill/random.ts";
import type { Contender } from "../contenders/contender.ts";
import { cpuMs } from "../processes.ts";
import { type EndedTask, runTasks } from "./run-tasks.ts";
import type { Section, Stage } from "./section.ts";
import { untilQuiet, untilSettled } from "./until-quiet.ts";

const TASKS = 200;
/** Model calls of a task, the answer among them: its steps. */
const STEPS = 10;
const SLOW_MODEL_MS = 200;

export const RATE: Section = {
  name: "rate",
  peers: true,
  rows: [
    {
      key: "cpu",
      label: `CPU a step at ${TASKS} tasks, ms, all processes`,
      digits: 2,
      target: "≤ 2 × and below every peer → 1.5 ×",
      mustTimes: 2,
      mustBe: "below",
    },
    { key: "cpu-runtime", label: "– of it, the process that runs the tasks", digits: 2, target: "" },
    {
      key: "rate",
      label: `${TASKS} tasks at once, model 0 ms, steps/s`,
      digits: 0,
      target: "above every peer → ≥ 0.75 ×",
      mustBe: "above",
    },
  ],
  async measure(stage, note) {
    for (const contender of stage.contenders) {
      const { cpu, cpuOfRuntime, rate } = await measureFast(stage, contender);
      note("cpu", contender.name, cpu);
      note("cpu-runtime", contender.name, cpuOfRuntime);
      note("rate", contender.name, rate);
    }
  },
};

export const RATE_SLOW_MODEL: Section = {
  name: "rate-200",
  peers: true,
  rows: [
    {
      key: "rate-200",
      label: `${TASKS} tasks at once, model ${SLOW_MODEL_MS} ms, steps/s`,
      digits: 0,
      target: "above every peer → ≥ 0.75 ×",
      mustBe: "above",
    },
    { key: "p99-200", label: "– task from request to answer, p99, s", digits: 1, target: "→ ≤ 1.35 ×" },
  ],
  async measure(stage, note) {
    for (const contender of stage.contenders) {
      const ended = await runTasks(stage, contender, TASKS, jobOf(SLOW_MODEL_MS));
      note("rate-200", contender.name, stepsPerSecond(ended));
      const seconds = ended.map((task) => (answeredAt(task) - task.sentAt) / 1_000);
      note("p99-200", contender.name, quantile(seconds, 0.99));
      await untilQuiet(contender);
    }
  },
};

/** CPU in milliseconds per step, and steps per second. */
interface FastFigures {
  readonly cpu: number;
  readonly cpuOfRuntime: number;
  readonly rate: number;
}

/** What is left to do after the last answer, such as telling the database, is a part of what a step costs. */
export async function measureFast(stage: Stage, contender: Contender): Promise<FastFigures> {
  await untilSettled(contender);
  const runtime = [contender.runtimePid()];
  const before = { all: cpuMs(contender.pids()), runtime: cpuMs(runtime) };
  const ended = await runTasks(stage, contender, TASKS, jobOf(0));
  await untilSettled(contender);
  const steps = TASKS * STEPS;
  return {
    cpu: (cpuMs(contender.pids()) - before.all) / steps,
    cpuOfRuntime: (cpuMs(runtime) - before.runtime) / steps,
    rate: stepsPerSecond(ended),
  };
}

function jobOf(modelMs: number): { kind: "clock"; steps: number; modelMs: number } {
  return { kind: "clock", steps: STEPS - 1, modelMs };
}

/** From the first request to the last answer. */
function stepsPerSecond(ended: readonly EndedTask[]): number {
  const from = Math.min(...ended.map(({ sentAt }) => sentAt));
  const to = Math.max(...ended.map(answeredAt));
  return (ended.length * STEPS * 1_000) / (to - from);
}

function answeredAt({ calls }: EndedTask): number {
  return calls.at(-1)?.repliedAt ?? Number.NaN;
}
