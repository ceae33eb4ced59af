/** Group `recovery`: a lost database, and retention over every task. */
import { type GroupOptions, type GroupReport, withStage } from "../group.ts";
import { figures } from "../table.ts";
import { runRecoveryDrill } from "./recovery-drill.ts";

const [SHORT_TASKS, FULL_TASKS] = [200, 10_000];
const [SHORT_KILLS, FULL_KILLS] = [1, 4];

export async function runRecovery({ short, say }: GroupOptions, tasks: number | null): Promise<GroupReport> {
  const sizes = { tasks: tasks ?? (short ? SHORT_TASKS : FULL_TASKS), kills: short ? SHORT_KILLS : FULL_KILLS };
  const drill = { ...sizes, isTimed: !short, say };
  const report = await withStage(say, async (stage) => await runRecoveryDrill(stage, drill), {
    env: { OTTO_REQUESTS_PER_MINUTE: "100000" },
  });
  return { text: figures(report.figures), violations: report.violations };
}
