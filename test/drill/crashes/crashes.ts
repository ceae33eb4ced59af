/** Group `crashes`: kills at every step of a task, and tasks that wait for an answer. */
import { type GroupOptions, type GroupReport, withStage } from "../group.ts";
import { seededRandom } from "../random.ts";
import { killTable, runKillDrill, findViolations } from "./kill-drill.ts";
import { planKills } from "./kill-plan.ts";
import { runWaitingDrill } from "./waiting-drill.ts";

/** `kills` is null for the complete plan. */
export interface CrashSizes {
  readonly kills: number | null;
  readonly waitingTasks: number;
}

export async function runCrashes({ seed, short, say }: GroupOptions, sizes: CrashSizes): Promise<GroupReport> {
  return await withStage(say, async (stage) => {
    say("Drill crashes: 20 steps, killed at each");
    const kill = await runKillDrill(stage, planKills({ short, kills: sizes.kills, random: seededRandom(seed) }), say);
    say(`Drill waiting: ${sizes.waitingTasks} tasks that wait for an answer`);
    const waiting = await runWaitingDrill(stage, sizes.waitingTasks, say);
    const text = [
      killTable(kill),
      "",
      `  waiting: ${waiting.tasks} tasks, ${waiting.kills} kills, ${waiting.answered} answers accepted (200), ${waiting.refused} refused (409)`,
    ].join("\n");
    return { text, violations: [...findViolations(kill, !short), ...waiting.violations] };
  });
}
