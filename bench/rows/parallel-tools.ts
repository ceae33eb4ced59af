/** Five requests of one step: what their step takes beyond the slowest of them. */
import { quantile } from "../../test/drill/random.ts";
import { type EndedTask, runTasks } from "./run-tasks.ts";
import type { Section } from "./section.ts";
import { untilQuiet } from "./until-quiet.ts";

const TASKS = 2;
const STEPS = 8;
/** Of each step. */
const REQUESTS = 5;

export const PARALLEL_TOOLS: Section = {
  name: "parallel",
  rows: [
    {
      key: "parallel",
      label: "5 parallel http_request, beyond the slowest, ms (p50)",
      digits: 1,
      target: "≤ 1.5 × → 1.2 ×",
      mustTimes: 1.5,
    },
  ],
  async measure(stage, note) {
    for (const contender of stage.contenders) {
      const times: number[] = [];
      for (let task = 0; task < TASKS; task += 1) {
        const [ended] = await runTasks(stage, contender, 1, { kind: "fetch", steps: STEPS, modelMs: 0 });
        if (ended !== undefined) times.push(...beyondTheSlowest(contender.name, ended));
      }
      note("parallel", contender.name, quantile(times, 0.5));
      await untilQuiet(contender);
    }
  },
};

/**
 * From a reply to the next request, less the longest time that the service took for a request of the step. Throws when a step
 * made more or fewer requests than it was told to.
 */
function beyondTheSlowest(name: string, { calls, requests }: EndedTask): number[] {
  return calls.slice(1).map((call, index) => {
    const before = calls[index];
    const its = requests.filter(({ step }) => step === before?.step);
    if (its.length !== REQUESTS) throw new Error(`${name} made ${its.length} requests for a step of ${REQUESTS}`);
    const slowest = Math.max(...its.map(({ at, repliedAt }) => repliedAt - at));
    return call.at - (before?.repliedAt ?? Number.NaN) - slowest;
  });
}
