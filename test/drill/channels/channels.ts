/** Group `channels`: incoming items while their dependencies are unavailable. */
import { startSlackServer } from "../../mock-servers/slack-server.ts";
import { type GroupOptions, type GroupReport, withStage } from "../group.ts";
import { columns, ms } from "../table.ts";
import { type BurstPlan, type BurstReport, runBurstDrill } from "./burst-drill.ts";

const LONG = { perSecond: 50, seconds: 30, hangSeconds: 30, endWithinMs: 240_000 } as const;
export const SHORT_BURST = { perSecond: 50, seconds: 3, hangSeconds: 4, endWithinMs: 60_000 } as const;
/** Slack waits for three seconds; we promise half a second. */
const ACK_P99_MS = 500;
/** The variables of a system that uses the mock server of Slack. */
export const SIGNING_SECRET = "0123456789abcdef0123456789abcdef";

export async function runChannels({ seed, short, say }: GroupOptions): Promise<GroupReport> {
  const slack = await startSlackServer();
  const env = { SLACK_API_URL: `${slack.url}/api/`, SLACK_SIGNING_SECRET: SIGNING_SECRET };
  try {
    return await withStage(
      say,
      async (stage) => {
        const reports: [string, BurstReport][] = [];
        for (const kills of [false, true]) {
          const plan: BurstPlan = { ...(short ? SHORT_BURST : LONG), seed, kills };
          const name = kills ? "killed in the middle" : "database and model hanging";
          say(`Drill channels: ${plan.perSecond} mentions a second for ${plan.seconds} s, ${name}`);
          reports.push([name, await runBurstDrill(stage, slack.url, SIGNING_SECRET, plan)]);
        }
        const late = reports.flatMap(([name, { ackMs }]) =>
          !short && name !== "killed in the middle" && ackMs.p99 > ACK_P99_MS
            ? [`acknowledged within ${ms(ackMs.p99)} (p99)`]
            : [],
        );
        return { text: burstTable(reports), violations: [...late, ...reports.flatMap(([, one]) => one.violations)] };
      },
      { env },
    );
  } finally {
    await slack.close();
  }
}

function burstTable(reports: readonly (readonly [string, BurstReport])[]): string {
  return columns(
    ["burst", "events", "refused", "ack p50", "p99", "max", "tasks", "caught up"],
    reports.map(([name, { events, refused, ackMs, tasks, caughtUpMs }]) => [
      name,
      events,
      refused,
      ms(ackMs.p50),
      ms(ackMs.p99),
      ms(ackMs.max),
      tasks,
      ms(caughtUpMs),
    ]),
  );
}
