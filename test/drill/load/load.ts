/** Group `load`: many tasks under kills. */
import { figures, ms } from "../table.ts";
import { type GroupOptions, type GroupReport, withStage } from "../group.ts";
import { type LoadPlan, type LoadReport, runLoadDrill } from "./load-drill.ts";

/** The killed parts and their relative frequency. */
const WEIGHTS = { workerd: 9, host: 3, database: 7, supervisor: 0.5, everything: 0.5 };

/** The long form takes at least ten minutes and 1,000 tasks; the short one about half a minute on two cores. */
const LONG: Omit<LoadPlan, "seed"> = {
  tasks: 1000,
  minSeconds: 600,
  stuckMs: 120_000,
  atOnce: 50,
  paceMs: [900, 2400],
  kills: { gapMs: [2_000, 5_000], weights: WEIGHTS },
};
export const SHORT_LOAD: Omit<LoadPlan, "seed"> = {
  tasks: 60,
  minSeconds: 0,
  stuckMs: 60_000,
  atOnce: 20,
  paceMs: [50, 500],
  kills: { gapMs: [2_000, 4_000], weights: { workerd: 5, host: 2, database: 4 }, most: 10 },
};

/** More requests per minute than judging the long form needs. */
export const LOAD_STAGE = { keepBodies: false, env: { OTTO_REQUESTS_PER_MINUTE: "100000" } };

/** `tasks` is null for the form's number and time. Otherwise it is the exact number. */
export async function runLoad(
  { seed, short, say }: GroupOptions,
  { tasks }: { readonly tasks: number | null },
): Promise<GroupReport> {
  const form = short ? SHORT_LOAD : LONG;
  const plan: LoadPlan = { ...form, ...(tasks === null ? {} : { tasks, minSeconds: 0 }), seed };
  return await withStage(
    say,
    async (stage) => {
      const least = `at least ${plan.tasks} tasks and ${plan.minSeconds} s`;
      say(`Drill load: ${least}, ${plan.atOnce} at once, kills every ${plan.kills.gapMs.join(" to ")} ms`);
      const report = await runLoadDrill(stage, plan, say);
      return { text: loadTable(report), violations: report.violations };
    },
    LOAD_STAGE,
  );
}

/** Formats the report as a table. */
function loadTable(report: LoadReport): string {
  const again = report.modelRequests - report.steps;
  return figures([
    ["tasks", report.tasks],
    ["exact results", report.exact],
    ["stuck", report.stuck],
    ["lost", report.lost],
    ["finished steps repeated", report.repeatedSteps],
    ["kills", `${report.kills} (${report.tally}) in ${Math.round(report.seconds)} s`],
    ["requests that made the tasks", `${report.creations} for ${report.tasks} tasks`],
    ["model requests", `${report.modelRequests} for ${report.steps} steps (${again} again after kills)`],
    [
      "keyed effects",
      `${report.keyedRequests} requests, acted on ${report.keyedEffects} times for ${report.keyedCalls} calls`,
    ],
    [
      "unkeyed effects",
      `${report.unkeyedRequests} requests of ${report.unkeyedEffects} calls, for ${report.unkeyedCalls} calls`,
    ],
    ["unkeyed calls unknown", `${report.unknownSent} that were sent, ${report.unknownUnsent} that never were`],
    ["list right after the last kill", ms(report.listedMs)],
  ]);
}
