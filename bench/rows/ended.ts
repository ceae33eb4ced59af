/**
 * What 50,000 ended tasks of a tenant change: the time between model calls, and what a step costs the processors. Two systems of their own
 * run next to each other, one with these tasks and one without, and are measured in turns.
 */
import { quantile } from "../../test/drill/random.ts";
import { type OttoContender, startOtto } from "../contenders/otto.ts";
import { addEndedTasks, endedInput } from "../ended-tasks.ts";
import { freshProcess } from "./fresh-process.ts";
import { measureGap } from "./gap.ts";
import { measureFast } from "./rate.ts";
import { runTasks } from "./run-tasks.ts";
import type { Section, Stage } from "./section.ts";
import { untilQuiet, untilSettled } from "./until-quiet.ts";

const OURS = "Otto";
const ENDED = 50_000;
/** A gap takes a second to measure and moves with every other program; CPU does neither. */
const [GAP_TURNS, CPU_TURNS] = [9, 3];

export const ENDED_TASKS: Section = {
  name: "ended",
  once: true,
  rows: [
    { key: "ended-gap", label: `gap between model calls after ${ENDED} ended tasks, ms (p50)`, digits: 2, target: "" },
    { key: "ended-gap-times", label: "– × that after none", digits: 2, target: "≤ 1.3 → 1", must: 1.3 },
    { key: "ended-cpu", label: `CPU a step at 200 tasks after ${ENDED} ended tasks, ms`, digits: 2, target: "" },
    { key: "ended-cpu-times", label: "– × that after none", digits: 2, target: "≤ 1.3 → 1", must: 1.3 },
  ],
  async measure(stage, note) {
    if (!stage.contenders.some(({ name }) => name === OURS)) return;
    await withSystems(stage, async (systems) => {
      const gaps = await measureInTurns(systems, GAP_TURNS, async (system) => await measureGap(stage, system));
      console.log(`        gaps after no ended task and after ${ENDED}: ${formatTurns(gaps)} ms`);
      const cpu = await measureInTurns(systems, CPU_TURNS, async (system) => (await measureFast(stage, system)).cpu);
      console.log(`        CPU a step: ${formatTurns(cpu)} ms`);
      for (const [row, [none, many]] of [
        ["ended-gap", gaps],
        ["ended-cpu", cpu],
      ] as const) {
        note(row, OURS, quantile(many, 0.5));
        note(`${row}-times`, OURS, quantile(many, 0.5) / quantile(none, 0.5));
      }
    });
  },
};

/** The values of the system without ended tasks, and of the one with them. */
type Pair<T> = readonly [none: T, many: T];

/** Each comes first in every other turn. */
async function measureInTurns(
  systems: Pair<OttoContender>,
  turns: number,
  measureOnce: (system: OttoContender) => Promise<number>,
): Promise<Pair<number[]>> {
  const values: Pair<number[]> = [[], []];
  for (let turn = 0; turn < turns; turn += 1)
    for (const which of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
      values[which].push(await measureOnce(systems[which]));
  return values;
}

function formatTurns([none, many]: Pair<number[]>): string {
  return none.map((value, turn) => `${value.toFixed(2)}/${many[turn]?.toFixed(2)}`).join(", ");
}

/** Both have restarted once and run the same tasks before. */
async function withSystems(stage: Stage, work: (systems: Pair<OttoContender>) => Promise<void>): Promise<void> {
  const systems: OttoContender[] = [];
  try {
    for (const ended of [0, ENDED]) {
      const system = await startOtto(stage.model);
      systems.push(system);
      // Its row is the pattern of the others.
      await runTasks(stage, system, 1, { kind: "clock", steps: 1, modelMs: 0 });
      await untilSettled(system);
      await freshProcess(stage, system, async () => {
        await system.whileStopped(async (stateFolder) => {
          if (ended > 0) await addEndedTasks(stateFolder, ended, (line) => console.log(`        ${line}`));
        });
      });
      if (ended > 0) await mustSeeEnded(system);
      await untilQuiet(system);
    }
    const [none, many] = systems;
    if (none !== undefined && many !== undefined) await work([none, many]);
  } finally {
    for (const system of systems) await system.close();
  }
}

/** The same figures say nothing unless the tasks are there. */
async function mustSeeEnded(system: OttoContender): Promise<void> {
  for (const number of [0, ENDED - 1])
    if (!(await system.hasCompleted(endedInput(number)))) throw new Error(`ended task ${number} is not in the list`);
}
