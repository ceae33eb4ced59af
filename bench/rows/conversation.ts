/**
 * What a step costs the processors early and late in a conversation of 800 steps. A request grows with its conversation, for the bare object
 * too, so what is compared is the cost beyond the bare object's at the same request size.
 */
import type { Contender } from "../contenders/contender.ts";
import type { Job } from "../job.ts";
import { lineThrough } from "../slope.ts";
import { cpuMs } from "../processes.ts";
import { freshProcess } from "./fresh-process.ts";
import type { Section, Stage } from "./section.ts";
import { untilQuiet } from "./until-quiet.ts";

const STEPS = 800;
/** Steps that are measured together: a shorter time is too near to the kernel's ticks of 10 ms. */
const TOGETHER = 100;
const STRETCHES = STEPS / TOGETHER;
/** One after the other. */
const TASKS = 5;
const CONTENDERS = ["Otto", "bare object"];
const JOB: Job = { kind: "clock", steps: STEPS, modelMs: 0 };

/** The mean of the steps of a stretch. */
interface Stretch {
  readonly cpu: number;
  readonly kib: number;
}

export const CONVERSATION: Section = {
  name: "conversation",
  rows: [
    {
      key: "conversation-early",
      label: `CPU a step, the first ${TOGETHER} of ${STEPS} steps of a task, ms`,
      digits: 2,
      target: "",
    },
    { key: "conversation-late", label: `– the last ${TOGETHER}`, digits: 2, target: "" },
    { key: "conversation-size", label: `– request of the last ${TOGETHER}, KiB`, digits: 0, target: "" },
    {
      key: "conversation-times",
      label: `– beyond the bare object's at the same request size: the last ${TOGETHER}, × the first`,
      digits: 2,
      target: "≤ 1.3 → 1",
      must: 1.3,
    },
  ],
  async measure(stage, note) {
    const measured = new Map<string, Stretch[]>();
    for (const contender of stage.contenders.filter(({ name }) => CONTENDERS.includes(name))) {
      const stretches = await measureTasks(stage, contender);
      measured.set(contender.name, stretches);
      note("conversation-early", contender.name, stretches.at(0)?.cpu ?? Number.NaN);
      note("conversation-late", contender.name, stretches.at(-1)?.cpu ?? Number.NaN);
      note("conversation-size", contender.name, stretches.at(-1)?.kib ?? Number.NaN);
    }
    const [ours, bare] = CONTENDERS.map((name) => measured.get(name));
    if (ours !== undefined && bare !== undefined) note("conversation-times", "Otto", computeGrowth(ours, bare));
  },
};

/** Means over the tasks, stretch by stretch. */
async function measureTasks(stage: Stage, contender: Contender): Promise<Stretch[]> {
  const names = Array.from({ length: TASKS }, () => stage.taskName());
  const { createLong } = contender;
  await freshProcess(stage, contender, async () => await (createLong?.(names, JOB) ?? contender.restart()));
  await untilQuiet(contender);
  const tasks: Stretch[][] = [];
  for (const name of names) {
    tasks.push(await measureTask(stage, contender, name));
    await untilQuiet(contender);
  }
  const mean = (of: (task: Stretch[]) => number) => tasks.reduce((sum, task) => sum + of(task), 0) / tasks.length;
  return Array.from({ length: STRETCHES }, (_, index) => ({
    cpu: mean((task) => task[index]?.cpu ?? Number.NaN),
    kib: mean((task) => task[index]?.kib ?? Number.NaN),
  }));
}

/** Reads the processors' time whenever the model has replied to another stretch of steps. The first request is not measured. */
async function measureTask({ model }: Stage, contender: Contender, name: string): Promise<Stretch[]> {
  await model.take();
  const marks = Array.from({ length: STRETCHES + 1 }, (_, index) => model.until("calls", index * TOGETHER + 1));
  const pids = contender.pids();
  const started = contender.start(name, JOB);
  const times: number[] = [];
  for (const mark of marks) {
    await mark;
    times.push(cpuMs(pids));
  }
  await started;
  const { calls } = await model.take();
  const own = calls.filter(({ task }) => task === name).sort((a, b) => a.step - b.step);
  if (own.length !== STEPS + 1)
    throw new Error(`${contender.name} made ${own.length} model calls for a task of ${STEPS + 1}`);
  return Array.from({ length: STRETCHES }, (_, index) => {
    const requests = own.slice(index * TOGETHER + 1, (index + 1) * TOGETHER + 1);
    return {
      cpu: ((times[index + 1] ?? Number.NaN) - (times[index] ?? Number.NaN)) / TOGETHER,
      kib: requests.reduce((sum, { bytes }) => sum + bytes, 0) / requests.length / 1_024,
    };
  });
}

/** How much of its cost beyond the bare object's a late step has, as a multiple of an early one's. */
function computeGrowth(ours: readonly Stretch[], bare: readonly Stretch[]): number {
  const bareAt = lineThrough(bare.map(({ kib, cpu }) => [kib, cpu] as const));
  const beyond = ours.map(({ kib, cpu }) => cpu - bareAt(kib));
  return (beyond.at(-1) ?? Number.NaN) / (beyond.at(0) ?? Number.NaN);
}
