/** Group `timers`: sleeps and expiries under kills. */
import { type GroupOptions, type GroupReport, withStage } from "../group.ts";
import { quantile } from "../random.ts";
import { columns, ms } from "../table.ts";
import { runTimerDrill, type TimerFigures, type TimerPlan, type TimerReport } from "./timer-drill.ts";

const LONG: Omit<TimerPlan, "seed"> = {
  sleepers: 150,
  napsEach: 5,
  questions: 100,
  approvals: 50,
  longestSeconds: 20,
  endWithinMs: 120_000,
  kills: { gapMs: [2_000, 5_000], weights: { workerd: 5, host: 3, database: 1, supervisor: 1, everything: 1 } },
};
export const SHORT_TIMERS: Omit<TimerPlan, "seed"> = {
  sleepers: 20,
  napsEach: 2,
  questions: 12,
  approvals: 8,
  longestSeconds: 10,
  endWithinMs: 60_000,
  kills: { gapMs: [1_500, 3_000], weights: { workerd: 3, host: 2 } },
};

export async function runTimers({ seed, short, say }: GroupOptions): Promise<GroupReport> {
  const plan: TimerPlan = { ...(short ? SHORT_TIMERS : LONG), seed };
  return await withStage(say, async (stage) => {
    const { sleepers, napsEach, questions, approvals } = plan;
    say(`Drill timers: ${sleepers} tasks with ${napsEach} naps, ${questions} questions and ${approvals} approvals`);
    const report = await runTimerDrill(stage, plan, say);
    return { text: timerTable(report), violations: report.violations };
  });
}

/** Formats the report as a table. */
function timerTable(report: TimerReport): string {
  const row = (name: string, { tasks, expired, answered, early, lateMs }: TimerFigures) => {
    const late = [quantile(lateMs, 0.5), quantile(lateMs, 0.95), Math.max(...lateMs)].map(ms);
    return [name, tasks, expired, answered, early, ...late];
  };
  return [
    columns(
      ["timers", "tasks", "went off", "answered", "early", "late p50", "p95", "max"],
      [row("naps", report.naps), row("questions", report.questions), row("approvals", report.approvals)],
    ),
    `  ${report.kills} kills (${report.tally}), ${report.modelRequests} model requests`,
  ].join("\n");
}
