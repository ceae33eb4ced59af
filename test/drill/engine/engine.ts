/** The drills of the engine on one started system: subtasks, approvals, budgets, the kill switch, long contexts. */
import { type GroupOptions, type GroupReport, withStage } from "../group.ts";
import type { Stage } from "../stage.ts";
import { type PostgresServer, startPostgres } from "../../mock-servers/postgres-server.ts";
import { type ApprovalDrillReport, runApprovalDrill } from "./approval-drill.ts";
import { type AskingReport, runAskingDrill } from "./asking-drill.ts";
import { type ContextReport, runContextDrill } from "./context-drill.ts";
import { type FanInReport, runFanInDrill } from "./fan-in-drill.ts";
import { runSpendingDrill, type SpendingReport } from "./spending-drill.ts";
import { runSwitchDrill, type SwitchReport } from "./switch-drill.ts";

/** Sizes of the drills. */
export interface EngineSizes {
  readonly children: number;
  readonly fanInKills: number;
  readonly fanInRounds: number;
  readonly spendingLimit: number;
  readonly spendingKills: number;
}

/** The sizes of the short form. */
export const SHORT_SIZES: EngineSizes = {
  children: 20,
  fanInKills: 3,
  fanInRounds: 1,
  spendingLimit: 100_000,
  spendingKills: 2,
};
const FULL_SIZES: EngineSizes = {
  children: 50,
  fanInKills: 12,
  fanInRounds: 5,
  spendingLimit: 400_000,
  spendingKills: 6,
};

interface EngineReport {
  readonly fanIns: readonly FanInReport[];
  readonly approvals: ApprovalDrillReport;
  readonly spendings: readonly SpendingReport[];
  readonly asking: AskingReport;
  readonly killSwitch: SwitchReport;
  readonly context: ContextReport;
  readonly violations: readonly string[];
}

/** Runs the drills in sequence. */
export async function runEngine({ seed, short, say }: GroupOptions): Promise<GroupReport> {
  const postgres = await startPostgres();
  try {
    const sizes = short ? SHORT_SIZES : FULL_SIZES;
    const run = async (stage: Stage) => await runAll(stage, postgres, { sizes, seed, say });
    const report = await withStage(say, run, { hosts: [`127.0.0.1:${postgres.port}`] });
    return { text: engineText(report), violations: report.violations };
  } finally {
    await postgres.close();
  }
}

async function runAll(
  stage: Stage,
  postgres: PostgresServer,
  { sizes, seed, say }: Pick<GroupOptions, "seed" | "say"> & { readonly sizes: EngineSizes },
): Promise<EngineReport> {
  const { children, fanInKills, fanInRounds, spendingLimit: limit, spendingKills } = sizes;
  const fanIns: FanInReport[] = [];
  for (let round = 1; round <= fanInRounds; round += 1) {
    say(`Drill fan-in: ${children} subtasks of one step, ${fanInKills} kills (round ${round} of ${fanInRounds})`);
    fanIns.push(await runFanInDrill(stage, { children, kills: fanInKills, round, seed: seed + round }));
  }
  say("Drill approvals: approvals across a kill of everything");
  const approvals = await runApprovalDrill(stage);
  const spendings: SpendingReport[] = [];
  for (const kills of [0, spendingKills]) {
    say(`Drill spending: 10 tasks against a limit of ${limit} tokens, ${kills} kills`);
    spendings.push(await runSpendingDrill(stage, { limit, kills, seed }));
  }
  say("Drill asking: a tool asks the task's model, with a kill before, during and after the question");
  const asking = await runAskingDrill(stage, postgres);
  say("Drill switch: the kill switch");
  const killSwitch = await runSwitchDrill(stage);
  say("Drill context: large results and a long conversation");
  const context = await runContextDrill(stage);
  const reports = [...fanIns, approvals, ...spendings, asking, killSwitch, context];
  const violations = reports.flatMap((report) => report.violations);
  return { fanIns, approvals, spendings, asking, killSwitch, context, violations };
}

/** Formats the complete report. */
function engineText(report: EngineReport): string {
  const { approvals, asking, killSwitch, context } = report;
  return [
    ...report.fanIns.map(
      (one) =>
        `  fan-in: ${one.children} subtasks, ${one.kills} kills, ${one.modelRequests} model requests, ${one.effects} effects`,
    ),
    `  approvals: ${approvals.crashes} kills of everything, ${approvals.effects} requests at the recorder`,
    ...report.spendings.map(spendingLine),
    `  asking: ${asking.questions} questions of tools, ${asking.kills} kills, ${asking.billed} tokens billed for them, ${asking.charged} charged to the tasks`,
    `  kill switch: ${killSwitch.tasks} tasks, the last request ${Math.round(killSwitch.lastAfterMs)} ms after the stop, ${killSwitch.after} after the release`,
    `  large results: ${context.stepTokens} tokens for the steps and ${context.summaryTokens} for ${context.summaries} summaries, ${context.share.toFixed(3)} of ${context.wholeTokens}`,
    `  a long conversation: ${context.overflows} requests too long, ${context.compactions} compactions`,
  ].join("\n");
}

function spendingLine({ limit, kills, served, inFlight, used, reserved, failed, completed }: SpendingReport): string {
  const over = Math.max(0, served - limit);
  return `  spending: limit ${limit}, ${kills} kills, served ${served} (${over} over it, ${inFlight} in flight at the kills), counted ${used}, reserved at the end ${reserved}, ${failed} tasks stopped by the limit, ${completed} completed`;
}
