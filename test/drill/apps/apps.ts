/** Group `apps`: calls of actions under kills and faults of their provider. */
import { startDemoApps } from "../../../scripts/demo-apps/server.ts";
import { type GroupOptions, type GroupReport, withStage } from "../group.ts";
import { LOAD_STAGE } from "../load/load.ts";
import { columns } from "../table.ts";
import { type AppsPlan, runAppsDrill } from "./apps-drill.ts";

const API_KEY = "drill";
const WEIGHTS = { workerd: 6, host: 2, database: 3, everything: 0.5 };

const LONG: Omit<AppsPlan, "seed"> = {
  tasks: 120,
  atOnce: 10,
  kills: { gapMs: [3_000, 8_000], weights: WEIGHTS },
  faultEveryMs: [300, 1_500],
  withinMs: 1_200_000,
};
/** A minute and more, most of it for the sync of the catalogue: too long for every change. */
const SHORT: Omit<AppsPlan, "seed"> = {
  tasks: 16,
  atOnce: 8,
  kills: { gapMs: [2_000, 4_000], weights: { workerd: 3, database: 1 }, most: 5 },
  faultEveryMs: [300, 1_000],
  withinMs: 300_000,
};

export async function runApps({ seed, short, say }: GroupOptions): Promise<GroupReport> {
  const demo = await startDemoApps({ port: 0, apiKey: API_KEY, isControlled: true });
  try {
    const env = { ...LOAD_STAGE.env, COMPOSIO_API_KEY: API_KEY, COMPOSIO_BASE_URL: demo.url };
    return await withStage(
      say,
      async (stage) => {
        const plan = { ...(short ? SHORT : LONG), seed };
        say(`Drill apps: ${plan.tasks} tasks of seven calls, with kills and faults of the provider`);
        const report = await runAppsDrill(stage, demo, plan, say);
        const { tasks, kills, faults, effects, decided, tally, outcomes, violations } = report;
        const text = [
          columns(
            ["drill", "tasks", "kills", "faults", "effects", "decided by a person"],
            [["apps", tasks, kills, faults, effects, decided]],
          ),
          `  killed ${tally}`,
          ...[...outcomes]
            .toSorted(([one], [other]) => (one < other ? -1 : 1))
            .map(([what, count]) => `  ${what}: ${count}`),
        ].join("\n");
        return { text, violations: violations.map((line) => `apps: ${line}`) };
      },
      { ...LOAD_STAGE, env },
    );
  } finally {
    await demo.close();
  }
}
