/**
 * From the request that makes a task to its first model call. One follows the other without a rest, which would measure how
 * idle processors wake.
 */
import { quantile } from "../../test/drill/random.ts";
import { runTasks } from "./run-tasks.ts";
import type { Section } from "./section.ts";
import { untilQuiet } from "./until-quiet.ts";

const TASKS = 30;

export const FIRST_CALL: Section = {
  name: "first-call",
  peers: true,
  rows: [
    {
      key: "first-call",
      label: "request in to first model call, new task, ms (p50)",
      digits: 1,
      target: "≤ 1.8 × → 1.3 ×",
      mustTimes: 1.8,
    },
  ],
  async measure(stage, note) {
    for (const contender of stage.contenders) {
      const times: number[] = [];
      for (let task = 0; task < TASKS; task += 1) {
        const [ended] = await runTasks(stage, contender, 1, { kind: "clock", steps: 0, modelMs: 0 });
        times.push((ended?.calls[0]?.at ?? Number.NaN) - (ended?.sentAt ?? Number.NaN));
      }
      note("first-call", contender.name, quantile(times, 0.5));
      await untilQuiet(contender);
    }
  },
};
