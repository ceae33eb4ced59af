/** One call of a tool that needs nothing outside: in a step of a task, and by the API. */
import { quantile } from "../../test/drill/random.ts";
import { nowMs } from "../clock.ts";
import { runTasks } from "./run-tasks.ts";
import type { Section } from "./section.ts";
import { untilQuiet } from "./until-quiet.ts";

const TASKS = 8;
const STEPS = 19;
/** By the API, one after the other. */
const CALLS = 60;

export const CALL: Section = {
  name: "call",
  rows: [
    {
      key: "call-step",
      label: "evaluate_expression in a step, ms (p50)",
      digits: 2,
      target: "≤ 1.8 × → 1.4 ×",
      mustTimes: 1.8,
    },
    { key: "call-api", label: "– by the API, a hidden task for each, ms (p50)", digits: 2, target: "" },
  ],
  async measure(stage, note) {
    for (const contender of stage.contenders) {
      const gaps: number[] = [];
      for (let task = 0; task < TASKS; task += 1) {
        const [ended] = await runTasks(stage, contender, 1, { kind: "sum", steps: STEPS, modelMs: 0 });
        const calls = ended?.calls ?? [];
        gaps.push(...calls.slice(1).map(({ at }, index) => at - (calls[index]?.repliedAt ?? Number.NaN)));
      }
      note("call-step", contender.name, quantile(gaps, 0.5));
      const { call } = contender;
      if (call !== null) note("call-api", contender.name, quantile(await timed(call, () => stage.taskName()), 0.5));
      await untilQuiet(contender);
    }
  },
};

/** How long each call took. Throws for a wrong result. */
async function timed(
  call: (name: string, expression: string) => Promise<string>,
  name: () => string,
): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < CALLS; index += 1) {
    const sentAt = nowMs();
    const reply = await call(name(), `${index} + 1000`);
    times.push(nowMs() - sentAt);
    if (!reply.includes(String(index + 1_000))) throw new Error(`a call gave ${reply}`);
  }
  return times;
}
