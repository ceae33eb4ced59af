/** The time between two model calls of a task that is alone. */
import { quantile } from "../../test/drill/random.ts";
import type { Contender } from "../contenders/contender.ts";
import { runTasks } from "./run-tasks.ts";
import type { Section, Stage } from "./section.ts";
import { untilQuiet } from "./until-quiet.ts";

/** Model calls of a task, the answer among them. */
const MODEL_CALLS = 20;
const TASKS = 8;

export const GAP: Section = {
  name: "gap",
  peers: true,
  rows: [
    {
      key: "gap",
      label: `gap between model calls, 1 task of ${MODEL_CALLS}, ms (p50)`,
      digits: 2,
      target: "≤ 1.8 × and ≤ Cloudflare Agents → 1.4 ×",
      mustTimes: 1.8,
      mustBe: "at most",
    },
  ],
  async measure(stage, note) {
    for (const contender of stage.contenders) note("gap", contender.name, await measureGap(stage, contender));
  },
};

/** Returns the median in milliseconds. */
export async function measureGap(stage: Stage, contender: Contender): Promise<number> {
  const gaps: number[] = [];
  for (let task = 0; task < TASKS; task += 1) {
    const job = { kind: "clock", steps: MODEL_CALLS - 1, modelMs: 0 } as const;
    const [ended] = await runTasks(stage, contender, 1, job);
    const calls = ended?.calls ?? [];
    gaps.push(...calls.slice(1).map(({ at }, index) => at - (calls[index]?.repliedAt ?? Number.NaN)));
  }
  await untilQuiet(contender);
  return quantile(gaps, 0.5);
}
