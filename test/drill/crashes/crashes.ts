/** Group `crashes`: kills at every step of a task, tasks that wait for an answer, and in the long form a long model call. */
import { type GroupOptions, type GroupReport, withStage } from "../group.ts";
import { seededRandom } from "../random.ts";
import { killTable, runKillDrill, findViolations } from "./kill-drill.ts";
import { planKills } from "./kill-plan.ts";
import { type LongCallReport, runLongCallDrill } from "./long-call-drill.ts";
import { runWaitingDrill } from "./waiting-drill.ts";

/** `kills` is null for the complete plan. */
export interface CrashSizes {
  readonly kills: number | null;
  readonly waitingTasks: number;
}

export async function runCrashes(options: GroupOptions, sizes: CrashSizes): Promise<GroupReport> {
  const killed = await runKills(options, sizes);
  if (options.short) return killed;
  options.say("Drill long call: two model calls of 90 s, the object of one aborted");
  const long = await runLongCallDrill(options);
  return {
    text: `${killed.text}\n${longCallLine(long)}`,
    violations: [...killed.violations, ...long.violations],
  };
}

async function runKills({ seed, short, say }: GroupOptions, sizes: CrashSizes): Promise<GroupReport> {
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

function longCallLine({ undisturbed, aborted, againAfterMs }: LongCallReport): string {
  return `  long call: ${undisturbed} model request; ${aborted} when the object was aborted, the second ${Math.round(againAfterMs)} ms after it`;
}
