/** Group `fairness`: the effect of other tenants in the same process on one tenant. */
import { type GroupOptions, type GroupReport, withStage } from "../group.ts";
import { type FairnessReport, runFairnessDrill } from "./fairness-drill.ts";
import { type NoisePlan, noiseLine, type NoiseReport, runNoiseDrill } from "./noisy-drill.ts";

/** The largest allowed growth of the victim's 95th percentile. */
const LARGEST_RATIO = 2;
/** Tasks of each small tenant in a round, next to the large tenant. */
const FAIR_TASKS = 5;
const LONG_NOISE = { tasks: 40, rounds: 2 };
export const SHORT_NOISE = { tasks: 6, rounds: 1 };

/** The address for incoming mail. */
export const FAIRNESS_STAGE = { keepBodies: false, env: { OTTO_MAIL_DOMAIN: "mail.test" } };

/** `scenarios` is null for all of them. */
export async function runFairness({ short, say }: GroupOptions, scenarios: NoisePlan["only"]): Promise<GroupReport> {
  return await withStage(
    say,
    async (stage) => {
      say("Drill noise: a victim next to a noisy tenant");
      const noise = await runNoiseDrill(stage, { ...(short ? SHORT_NOISE : LONG_NOISE), only: scenarios }, say);
      if (!short && scenarios === null) say("Drill fairness: 19 small tenants beside a large one");
      const fairness = short || scenarios !== null ? null : await runFairnessDrill(stage, { tasks: FAIR_TASKS });
      const slow = short ? [] : noise.filter(({ ratio }) => ratio > LARGEST_RATIO).map(tooSlow);
      return {
        text: [
          ...noise.map((report) => `  ${noiseLine(report)}`),
          ...(fairness === null ? [] : [fairnessLine(fairness)]),
        ].join("\n"),
        violations: [...noise.flatMap(({ violations }) => violations), ...slow, ...(fairness?.violations ?? [])],
      };
    },
    FAIRNESS_STAGE,
  );
}

function tooSlow({ scenario, ratio }: NoiseReport): string {
  return `noise (${scenario}): the victim's p95 grew ${ratio.toFixed(2)} times`;
}

function fairnessLine({ tasks, largeTasks, aloneP95Ms, besideP95Ms, ratio }: FairnessReport): string {
  return `  fairness: p95 ${Math.round(aloneP95Ms)} ms alone, ${Math.round(besideP95Ms)} ms beside ${largeTasks} tasks of the large tenant, ratio ${ratio.toFixed(2)} (${tasks} tasks)`;
}
