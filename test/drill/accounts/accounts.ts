/** Group `accounts`: people connect accounts, tokens are renewed, and tasks wait for accounts, under kills and faults of the provider. */
import { FAULTS, type MockEndpoint } from "../../mock-servers/oauth-app.ts";
import { type GroupOptions, type GroupReport, withStage } from "../group.ts";
import { LOAD_STAGE } from "../load/load.ts";
import { seededRandom } from "../random.ts";
import { columns, ms } from "../table.ts";
import {
  type ConnectingPlan,
  type ConnectingReport,
  type Disturbance,
  runConnectingDrill,
} from "./connecting-drill.ts";
import { type RefreshingPlan, type RefreshingReport, runRefreshingDrill } from "./refreshing-drill.ts";
import { type AccountServers, startAccountServers } from "./servers.ts";
import { type AccountWaitsReport, runAccountWaitsDrill, type WaitingPlan } from "./waiting-drill.ts";

const FAULTY: readonly MockEndpoint[] = ["discovery", "registration", "token", "userinfo"];
const KILLED = ["workerd", "host", "database"] as const;
const ALL_DISTURBANCES: readonly Disturbance[] = [
  ...FAULTY.flatMap((endpoint) => FAULTS.map((fault) => ({ kind: "fault", endpoint, fault }) as const)),
  ...[1, 2, 3].flatMap(() => KILLED.map((target) => ({ kind: "kill", target }) as const)),
];
const LONG_CONNECTING: Omit<ConnectingPlan, "seed"> = { disturbances: ALL_DISTURBANCES, linksEach: 3 };
export const SHORT_CONNECTING: Omit<ConnectingPlan, "seed"> = {
  disturbances: [
    { kind: "fault", endpoint: "token", fault: "redirect" },
    { kind: "kill", target: "workerd" },
    { kind: "kill", target: "database" },
  ],
  linksEach: 1,
};

const GRACE_MS = 60_000;
const LONG_REFRESHING: Omit<RefreshingPlan, "seed"> = {
  expiries: [
    { kind: "parallel" },
    ...(["refuse", "error", "redirect", "bad_json", "hang"] as const).map(
      (fault) => ({ kind: "fault", fault, seconds: 8 }) as const,
    ),
    ...KILLED.flatMap((target) => [0, GRACE_MS].map((graceMs) => ({ kind: "kill", target, graceMs }) as const)),
    { kind: "parallel" },
  ],
  tasksEach: 25,
};
export const SHORT_REFRESHING: Omit<RefreshingPlan, "seed"> = {
  expiries: [{ kind: "parallel" }, { kind: "kill", target: "workerd", graceMs: 0 }],
  tasksEach: 5,
};

const LONG_WAITING: Omit<WaitingPlan, "seed"> = {
  tasks: 100,
  others: 20,
  kills: { gapMs: [1_500, 4_000], weights: { workerd: 4, host: 2, database: 3, everything: 0.5 } },
  withinMs: 240_000,
};
export const SHORT_WAITING: Omit<WaitingPlan, "seed"> = {
  tasks: 12,
  others: 3,
  kills: { gapMs: [1_500, 3_000], weights: { workerd: 2, database: 1 }, most: 6 },
  withinMs: 120_000,
};

export async function runAccounts({ seed, short, say }: GroupOptions): Promise<GroupReport> {
  const servers = await startAccountServers();
  try {
    const { hosts, env } = servers.options;
    const options = { ...LOAD_STAGE, hosts, env: { ...LOAD_STAGE.env, ...env } };
    return await withStage(say, async (stage) => await runAll(stage, servers, { seed, short, say }), options);
  } finally {
    await servers.close();
  }
}

async function runAll(
  stage: Parameters<typeof runConnectingDrill>[0],
  servers: AccountServers,
  { seed, short, say }: GroupOptions,
): Promise<GroupReport> {
  const connecting = short ? SHORT_CONNECTING : shuffle(LONG_CONNECTING, seed);
  say(
    `Drill connecting: ${connecting.disturbances.length} rounds, ${connecting.linksEach} links of each person at once`,
  );
  const connected = await runConnectingDrill(stage, servers, { ...connecting, seed }, say);
  const refreshing = short ? SHORT_REFRESHING : LONG_REFRESHING;
  say(`Drill refreshing: ${refreshing.expiries.length} expiries, ${refreshing.tasksEach} tasks of each person at each`);
  const refreshed = await runRefreshingDrill(stage, servers, { ...refreshing, seed }, say);
  const waiting = short ? SHORT_WAITING : LONG_WAITING;
  say(`Drill waiting: twice ${waiting.tasks} tasks wait for one account, and ${waiting.others} for another`);
  const waited = await runAccountWaitsDrill(stage, servers, { ...waiting, seed }, say);
  const reports = [connected, refreshed, waited];
  return {
    text: accountsText(connected, refreshed, waited),
    violations: reports.flatMap(({ violations }) => violations),
  };
}

function shuffle(plan: Omit<ConnectingPlan, "seed">, seed: number): Omit<ConnectingPlan, "seed"> {
  const random = seededRandom(seed);
  const order = plan.disturbances.map((disturbance) => ({ disturbance, at: random() }));
  return { ...plan, disturbances: order.toSorted((a, b) => a.at - b.at).map(({ disturbance }) => disturbance) };
}

function accountsText(connected: ConnectingReport, refreshed: RefreshingReport, waited: AccountWaitsReport): string {
  return [
    columns(
      ["drill", "rounds", "kills", "links or tasks"],
      [
        ["connecting", connected.rounds, connected.kills, connected.links],
        ["refreshing", refreshed.expiries, refreshed.kills, refreshed.tasks],
        ["waiting", 2, waited.kills, waited.tasks],
      ],
    ),
    `  connecting: after each disturbance ${connected.during}`,
    `  refreshing: ${refreshed.refreshes} refreshes, ${refreshed.ended} grants ended by the app`,
    `  waiting: killed ${waited.tally}; woken within ${waited.wokenMs.map(ms).join(", ")}`,
  ].join("\n");
}
