/**
 * A task that people watch: how long its steps take, and what they cost the processors, by the number of watchers.
 * Opening the streams is not measured.
 */
import { quantile } from "../../test/drill/random.ts";
import type { Contender } from "../contenders/contender.ts";
import { cpuMs } from "../processes.ts";
import { type EndedTask, runTasks } from "./run-tasks.ts";
import type { Note, Section, Stage } from "./section.ts";
import { untilQuiet } from "./until-quiet.ts";

const MANY = 50;

/** Tasks of `steps` steps, one after the other, and what the model takes for each step. */
interface Load {
  readonly row: string;
  readonly tasks: number;
  readonly steps: number;
  readonly modelMs: number;
}

const FAST: Load = { row: "watched", tasks: 4, steps: 80, modelMs: 0 };
/** So slow that the events of a step reach the watchers before the next step. */
const SLOW: Load = { row: "watched-slow", tasks: 1, steps: 40, modelMs: 300 };

const COUNTS = [0, 1, MANY];

export const WATCHED: Section = {
  name: "watched",
  rows: [
    { key: "watched-gap", label: "gap, 1 task with 1 watcher, ms (p50)", digits: 2, target: "" },
    { key: "watched-0", label: "CPU a step, 1 task, no watcher, ms", digits: 2, target: "" },
    { key: "watched-1", label: "– 1 watcher", digits: 2, target: "" },
    { key: `watched-${MANY}`, label: `– ${MANY} watchers`, digits: 2, target: "" },
    { key: "watched-times", label: `– ${MANY} watchers, × no watcher`, digits: 2, target: "≤ 1.2 → 1", must: 1.2 },
    { key: "watched-slow-0", label: `CPU a step, model ${SLOW.modelMs} ms, no watcher, ms`, digits: 2, target: "" },
    { key: "watched-slow-1", label: "– 1 watcher", digits: 2, target: "" },
    { key: `watched-slow-${MANY}`, label: `– ${MANY} watchers`, digits: 2, target: "" },
    { key: "watched-slow-times", label: `– ${MANY} watchers, × no watcher`, digits: 2, target: "≤ 1.2 → 1", must: 1.2 },
  ],
  async measure(stage, note) {
    for (const contender of stage.contenders) {
      for (const load of [FAST, SLOW]) await measureLoad(stage, contender, note, load);
    }
  },
};

/** A floor has no watchers: its step is measured once, and is what each of Otto's rows is compared with. */
async function measureLoad(stage: Stage, contender: Contender, note: Note, load: Load): Promise<void> {
  const measured: Measured[] = [];
  for (const watchers of COUNTS) {
    const before = measured.at(-1);
    const found =
      before === undefined || contender.openWatched !== null
        ? await measureWatched(stage, contender, load, watchers)
        : before;
    measured.push(found);
    note(`${load.row}-${watchers}`, contender.name, found.cpuPerStep);
    if (load === FAST && watchers === 1) note("watched-gap", contender.name, quantile(found.gaps, 0.5));
  }
  const [none, many] = [measured.at(0), measured.at(-1)];
  if (contender.openWatched !== null && none !== undefined && many !== undefined)
    note(`${load.row}-times`, contender.name, many.cpuPerStep / none.cpuPerStep);
}

interface Measured {
  readonly cpuPerStep: number;
  readonly gaps: readonly number[];
}

async function measureWatched(stage: Stage, contender: Contender, load: Load, watchers: number): Promise<Measured> {
  const gaps: number[] = [];
  let cpu = 0;
  for (let task = 0; task < load.tasks; task += 1) {
    const watched = watchFrom(contender, watchers);
    const [ended] = await runTasks(stage, watched.contender, 1, { ...load, kind: "clock", steps: load.steps - 1 });
    await untilQuiet(contender);
    cpu += cpuMs(contender.pids()) - watched.cpuBefore();
    gaps.push(...toGaps(ended));
  }
  return { cpuPerStep: cpu / (load.tasks * load.steps), gaps };
}

/** The contender with tasks that are watched from the start, where it has streams. */
function watchFrom(contender: Contender, watchers: number): { contender: Contender; cpuBefore: () => number } {
  let before = Number.NaN;
  return {
    contender: {
      ...contender,
      async start(task, job) {
        const begin = await (contender.openWatched?.(task, job, watchers) ??
          (async () => await contender.start(task, job)));
        await untilQuiet(contender);
        before = cpuMs(contender.pids());
        await begin();
      },
    },
    cpuBefore: () => before,
  };
}

function toGaps(ended: EndedTask | undefined): number[] {
  const calls = ended?.calls ?? [];
  return calls.slice(1).map(({ at }, index) => at - (calls[index]?.repliedAt ?? Number.NaN));
}
