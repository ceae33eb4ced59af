/** The three drills on one started system, and their report. */
import { type KillDrillReport, killTable, runKillDrill, violationsOf } from "./kill-drill.ts";
import { planKills } from "./kill-plan.ts";
import { type OutageDrillReport, runOutageDrill } from "./outage-drill.ts";
import { seededRandom } from "./random.ts";
import { openStage } from "./stage.ts";
import { runWaitingDrill, type WaitingDrillReport } from "./waiting-drill.ts";

/** `short`: the form for every change; it takes no judgement of time. `kills` null: all of the plan. */
export interface DrillOptions {
  readonly seed: number;
  readonly kills: number | null;
  readonly short: boolean;
  readonly outageSeconds: number;
  readonly waitingTasks: number;
  readonly say: (line: string) => void;
}

export interface DrillReport {
  readonly kill: KillDrillReport;
  readonly waiting: WaitingDrillReport;
  readonly outage: OutageDrillReport;
  readonly violations: readonly string[];
}

export async function runDrills(options: DrillOptions): Promise<DrillReport> {
  const { say, short } = options;
  say("Starting the system …");
  const stage = await openStage();
  try {
    say("Drill 1: 20 steps, killed at each");
    const kill = await runKillDrill(
      stage,
      planKills({ short, kills: options.kills, random: seededRandom(options.seed) }),
      say,
    );
    say(`Drill 2: ${options.waitingTasks} tasks that wait for an answer`);
    const waiting = await runWaitingDrill(stage, options.waitingTasks, say);
    say(`Drill 3: ${options.outageSeconds} s without a database`);
    const outage = await runOutageDrill(stage, options.outageSeconds, say);
    const violations = [...violationsOf(kill, !short), ...waiting.violations, ...outage.violations];
    return { kill, waiting, outage, violations };
  } catch (error) {
    say(`The system's last words:\n${stage.system.output()}`);
    throw error;
  } finally {
    await stage.close();
  }
}

/** The whole report as text. */
export function reportText(report: DrillReport, seed: number): string {
  const { kill, waiting, outage } = report;
  return [
    "",
    killTable(kill),
    "",
    `  waiting: ${waiting.tasks} tasks, ${waiting.kills} kills, ${waiting.answered} answers accepted (200), ${waiting.refused} refused (409)`,
    `  outage: ${outage.tasks} tasks, ${Math.round(outage.outageMs / 1000)} s, ${outage.databaseKills} kills, ${outage.progress} model requests meanwhile, list complete ${Math.round(outage.catchUpMs)} ms after`,
    "",
    ...report.violations.map((line) => `  VIOLATION ${line}`),
    report.violations.length === 0 ? "  every promise held" : `  ${report.violations.length} violations`,
    `  seed ${seed}`,
  ].join("\n");
}
