/** Ten subtasks of one step: time until the last of them begins, and until their task resumes. */
import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../../test/drill/random.ts";
import { runTasks } from "./run-tasks.ts";
import type { Section } from "./section.ts";
import { untilQuiet } from "./until-quiet.ts";

const TASKS = 10;
/** Of one model call each. */
const SUBTASKS = 10;
/** What a task before still has to do is not this one's time. */
const REST_MS = 100;

export const FAN: Section = {
  name: "fan",
  rows: [
    {
      key: "fan-out",
      label: "fan-out of 10, to the last subtask's first call, ms (p50)",
      digits: 1,
      target: "≤ 1.3 ×",
      mustTimes: 1.3,
    },
    { key: "fan-in", label: "– fan-in, ms (p50)", digits: 1, target: "≤ 2.2 × → 1.5 ×", mustTimes: 2.2 },
  ],
  async measure(stage, note) {
    for (const contender of stage.contenders) {
      const out: number[] = [];
      const back: number[] = [];
      for (let task = 0; task < TASKS; task += 1) {
        const [ended] = await runTasks(stage, contender, 1, { kind: "fan", steps: 1, modelMs: 0 });
        const [first, second] = ended?.calls ?? [];
        const below = ended?.below ?? [];
        if (below.length !== SUBTASKS)
          throw new Error(`${contender.name} made ${below.length} model calls for ${SUBTASKS} subtasks`);
        out.push(Math.max(...below.map(({ at }) => at)) - (first?.repliedAt ?? Number.NaN));
        back.push((second?.at ?? Number.NaN) - Math.max(...below.map(({ repliedAt }) => repliedAt)));
        await sleep(REST_MS);
      }
      note("fan-out", contender.name, quantile(out, 0.5));
      note("fan-in", contender.name, quantile(back, 0.5));
      await untilQuiet(contender);
    }
  },
};
