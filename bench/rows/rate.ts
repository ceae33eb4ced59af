/** Many tasks at once: how many steps a second, what a step costs the processors, and how long a task takes. */
import { quantile } from "../../test/drill/random.ts";
import type { Contender } from "../contenders/contender.ts";
import { cpuMs } from "../processes.ts";
import { type EndedTask, runTasks } from "./run-tasks.ts";
import type { Note, Section, Stage } from "./section.ts";
import { untilQuiet } from "./until-quiet.ts";

const TASKS = 200;
/** Model calls of a task, the answer among them: its steps. */
const STEPS = 10;
const SLOW_MODEL_MS = 200;

export const RATE: Section = {
  name: "rate",
  rows: [
    { key: "cpu", label: `CPU a step at ${TASKS} tasks, ms, all processes`, digits: 2, target: "≤ 2 × → 1.5 ×" },
    { key: "cpu-runtime", label: "– of it, the process that runs the tasks", digits: 2, target: "" },
    { key: "rate", label: `${TASKS} tasks at once, model 0 ms, steps/s`, digits: 0, target: "→ 0.75 ×" },
  ],
  async measure(stage, note) {
    for (const contender of stage.contenders) await measureFast(stage, contender, note);
  },
};

export const RATE_SLOW_MODEL: Section = {
  name: "rate-200",
  rows: [
    {
      key: "rate-200",
      label: `${TASKS} tasks at once, model ${SLOW_MODEL_MS} ms, steps/s`,
      digits: 0,
      target: "→ 0.75 ×",
    },
    { key: "p99-200", label: "– task from request to answer, p99, s", digits: 1, target: "≤ 1.35 ×" },
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

/** What is left to do after the last answer, such as telling the database, is a part of what a step costs. */
async function measureFast(stage: Stage, contender: Contender, note: Note): Promise<void> {
  await untilQuiet(contender);
  const runtime = [contender.runtimePid()];
  const before = { all: cpuMs(contender.pids()), runtime: cpuMs(runtime) };
  const ended = await runTasks(stage, contender, TASKS, jobOf(0));
  await untilQuiet(contender);
  const steps = TASKS * STEPS;
  note("cpu", contender.name, (cpuMs(contender.pids()) - before.all) / steps);
  note("cpu-runtime", contender.name, (cpuMs(runtime) - before.runtime) / steps);
  note("rate", contender.name, stepsPerSecond(ended));
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
