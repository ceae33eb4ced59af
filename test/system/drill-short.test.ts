/** The short form of the drills of crashes, load, timers, accounts and outages. It judges what is lost, repeated, doubled and early. */
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { SHORT_CONNECTING, SHORT_REFRESHING, SHORT_WAITING } from "../drill/accounts/accounts.ts";
import { runConnectingDrill } from "../drill/accounts/connecting-drill.ts";
import { runRefreshingDrill } from "../drill/accounts/refreshing-drill.ts";
import { type AccountServers, startAccountServers } from "../drill/accounts/servers.ts";
import { runAccountWaitsDrill } from "../drill/accounts/waiting-drill.ts";
import { runKillDrill, findViolations } from "../drill/crashes/kill-drill.ts";
import { planKills } from "../drill/crashes/kill-plan.ts";
import { runWaitingDrill } from "../drill/crashes/waiting-drill.ts";
import { LOAD_STAGE, SHORT_LOAD } from "../drill/load/load.ts";
import { runLoadDrill } from "../drill/load/load-drill.ts";
import { dependencyNamed } from "../drill/outages/dependencies.ts";
import { runOutageDrill } from "../drill/outages/outage-drill.ts";
import { SHORT_END_WITHIN_MS, SHORT_OUTAGES } from "../drill/outages/outages.ts";
import { seededRandom } from "../drill/random.ts";
import { openStage, type Stage } from "../drill/stage.ts";
import { runTimerDrill } from "../drill/timers/timer-drill.ts";
import { SHORT_TIMERS } from "../drill/timers/timers.ts";

const WAITING_TASKS = 30;
const OUTAGE_SECONDS = 9;
/** Longer than the drill's own limit for each of its waits, so that a failure shows what it waited for. */
const WAITS_MS = 3 * SHORT_WAITING.withinMs;
const seed = Math.floor(Math.random() * 2 ** 31);
const lines: string[] = [];
const say = (line: string): void => void lines.push(line);
let stage: Stage;
let servers: AccountServers;

beforeAll(async () => {
  servers = await startAccountServers();
  const { env, hosts } = servers.options;
  stage = await openStage({ env: { ...LOAD_STAGE.env, ...env }, hosts, from: inject("endedState") });
});

afterAll(async () => {
  await stage?.close();
  await servers?.close();
});

/** What a test shows when it fails: everything that was found, and the seed that repeats it. */
const toDetail = (report: unknown): string =>
  `seed ${seed}\n${lines.join("\n")}\n${JSON.stringify(report, null, 2)}\n${stage.system.output()}`;

test("a task loses and repeats nothing when its runtime is killed at its steps", async () => {
  const plan = planKills({ short: true, kills: null, random: seededRandom(seed) });
  const report = await runKillDrill(stage, plan, say);
  expect(findViolations(report, false), toDetail(report)).toEqual([]);
  expect(report.kills.length, toDetail(report)).toBeGreaterThanOrEqual(10);
  expect(report.effects, toDetail(report)).toBeGreaterThan(0);
});

test("an answer counts once, also when it is sent twice across a kill", async () => {
  const report = await runWaitingDrill(stage, WAITING_TASKS, say);
  expect(report.violations, toDetail(report)).toEqual([]);
  expect(report, toDetail(report)).toMatchObject({ answered: WAITING_TASKS, refused: WAITING_TASKS });
});

test("many tasks at once have exact results while the runtime and the database are killed", async () => {
  const report = await runLoadDrill(stage, { ...SHORT_LOAD, seed }, say);
  expect(report.violations, toDetail(report)).toEqual([]);
  expect(report, toDetail(report)).toMatchObject({ exact: SHORT_LOAD.tasks, stuck: 0, lost: 0, repeatedSteps: 0 });
});

test("no sleep, question or approval ends before its time, and each ends once, whatever is killed", async () => {
  const report = await runTimerDrill(stage, { ...SHORT_TIMERS, seed }, say);
  expect(report.violations, toDetail(report)).toEqual([]);
  expect(report.naps.expired, toDetail(report)).toBe(SHORT_TIMERS.sleepers * SHORT_TIMERS.napsEach);
  for (const { expired, answered } of [report.questions, report.approvals]) {
    expect(expired, toDetail(report)).toBeGreaterThan(0);
    expect(answered, toDetail(report)).toBeGreaterThan(0);
  }
});

test("people connect accounts while the app's server fails or a part is killed, and no grant is left behind", async () => {
  const report = await runConnectingDrill(stage, servers, { ...SHORT_CONNECTING, seed }, say);
  expect(report.violations, toDetail(report)).toEqual([]);
  expect(report, toDetail(report)).toMatchObject({ rounds: SHORT_CONNECTING.disturbances.length, kills: 2 });
});

test("tokens that expire are refreshed once, and a kill between refresh and store is recovered or asked once", async () => {
  const report = await runRefreshingDrill(stage, servers, { ...SHORT_REFRESHING, seed }, say);
  expect(report.violations, toDetail(report)).toEqual([]);
  expect(report.refreshes, toDetail(report)).toBeGreaterThan(0);
});

test(
  "tasks that wait for an account end once each, with its owner's account, after one message for each outage",
  async () => {
    const report = await runAccountWaitsDrill(stage, servers, { ...SHORT_WAITING, seed }, say);
    expect(report.violations, toDetail(report)).toEqual([]);
    expect(report.tasks, toDetail(report)).toBe(2 * SHORT_WAITING.tasks + SHORT_WAITING.others);
  },
  WAITS_MS,
);

test.each(SHORT_OUTAGES)("tasks outlive an outage (%s) and repeat nothing", async (name) => {
  const plan = {
    seconds: OUTAGE_SECONDS,
    round: SHORT_OUTAGES.indexOf(name) + 1,
    endWithinMs: SHORT_END_WITHIN_MS,
  };
  const report = await runOutageDrill(stage, dependencyNamed(name), plan);
  expect(report.violations, toDetail(report)).toEqual([]);
});
