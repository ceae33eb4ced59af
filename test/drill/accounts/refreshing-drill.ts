/**
 * Drill `refreshing`: many tasks call at the moment at which their access tokens expire, at an app whose refresh tokens rotate and which ends a
 * grant when one is used twice. The token endpoint fails, or a part is killed between the refresh and the storing of its tokens.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { MockFault, OAuthApp } from "../../mock-servers/oauth-app.ts";
import { eachAtOnce, isEnded } from "../api-client.ts";
import type { Stage } from "../stage.ts";
import { until } from "../started-system.ts";
import { killDuringToken } from "./connecting-drill.ts";
import { judgeOpen, judgeTasks } from "./judge-accounts.ts";
import { isWaiting, type Member, Office, type OfficeTask } from "./office.ts";
import type { AccountServers } from "./servers.ts";

const TOKEN_DELAY_MS = 400;
const CREATED_AT_ONCE = 10;
/** Longer than a lease that a kill left behind, and the pauses of a task. */
const SETTLE_WITHIN_MS = 120_000;
const ASK_WITHIN_MS = 60_000;

/** One expiry of all access tokens. */
export type Expiry =
  | { readonly kind: "parallel" }
  | { readonly kind: "fault"; readonly fault: MockFault; readonly seconds: number }
  /** `graceMs`: how long the app accepts the refresh token before the last one. */
  | { readonly kind: "kill"; readonly target: "workerd" | "host" | "database"; readonly graceMs: number };

export interface RefreshingPlan {
  readonly seed: number;
  readonly expiries: readonly Expiry[];
  /** Tasks of each person that call at each expiry. */
  readonly tasksEach: number;
}

export interface RefreshingReport {
  readonly expiries: number;
  readonly kills: number;
  readonly tasks: number;
  readonly refreshes: number;
  /** Grants that the app ended, and that their person connected again. */
  readonly ended: number;
  readonly violations: readonly string[];
}

export async function runRefreshingDrill(
  stage: Stage,
  servers: AccountServers,
  { seed, expiries, tasksEach }: RefreshingPlan,
  say: (line: string) => void,
): Promise<RefreshingReport> {
  const { app } = servers;
  const office = await Office.open(stage, servers, `REFRESH${seed.toString(36).toUpperCase()}`);
  for (const member of office.members) await office.connect(member);
  const rulesBefore = app.grants.rules;
  const from = app.grants.refreshed.length;
  const violations: string[] = [];
  let ended = 0;
  for (const [round, expiry] of expiries.entries()) {
    const name = `${nameOf(expiry)} (expiry ${round + 1})`;
    const tasks = listTasks(office, `refreshing ${seed} ${round + 1}`, tasksEach);
    const done = await runExpiry(stage, { office, app, expiry, tasks });
    ended += done.ended;
    say(`  ${name}: ${done.ended} grants ended by the app`);
    violations.push(...done.violations.map((line) => `${name}: ${line}`));
  }
  app.grants.rules = rulesBefore;
  violations.push(...(await judgeOpen(office)));
  return {
    expiries: expiries.length,
    kills: expiries.filter(({ kind }) => kind === "kill").length,
    tasks: expiries.length * tasksEach * office.members.length,
    refreshes: app.grants.refreshed.length - from,
    ended,
    violations: violations.map((line) => `refreshing: ${line}`),
  };
}

type PlannedTask = Pick<OfficeTask, "drill" | "member">;

function listTasks(office: Office, name: string, each: number): PlannedTask[] {
  return Array.from({ length: each }, (_, index) =>
    office.members.map((member) => ({ member, drill: `${name} ${member.user.id} ${index + 1}` })),
  ).flat();
}

interface Round {
  readonly office: Office;
  readonly app: OAuthApp;
  readonly expiry: Expiry;
  readonly tasks: readonly PlannedTask[];
}

async function runExpiry(
  stage: Stage,
  { office, app, expiry, tasks: planned }: Round,
): Promise<{ readonly ended: number; readonly violations: readonly string[] }> {
  const { grants } = app;
  const from = grants.refreshed.length;
  const asksBefore = await countAsks(office);
  grants.rules = { ...grants.rules, graceMs: expiry.kind === "kill" ? expiry.graceMs : 0 };
  grants.expireAccess();
  const begin = async (): Promise<OfficeTask[]> =>
    await eachAtOnce(planned, CREATED_AT_ONCE, async ({ member, drill }) => await office.createTask(member, drill));
  const tasks = await disturb(stage, app, expiry, begin);
  await office.untilAll(tasks, (task) => isEnded(task.status) || isWaiting(task), SETTLE_WITHIN_MS);

  const violations: string[] = [];
  const lost: Member[] = [];
  for (const [index, member] of office.members.entries()) {
    const before = asksBefore[index] ?? 0;
    const state = await office.findConnection(member, null);
    if (state?.status === "expired") {
      lost.push(member);
      await untilAsked(office, member, before + 1);
      await office.connect(member);
    } else if (state?.status !== "active") violations.push(`the connection of ${member.user.id} is ${state?.status}`);
  }
  await office.untilAll(tasks, ({ status }) => isEnded(status), SETTLE_WITHIN_MS);
  for (const [index, member] of office.members.entries()) {
    const { user } = member;
    const isLost = lost.includes(member);
    const asks = (await office.countAsks(member)) - (asksBefore[index] ?? 0);
    if (asks !== (isLost ? 1 : 0)) violations.push(`${user.id} was asked ${asks} times`);
    if (isLost && expiry.kind !== "kill") violations.push(`the connection of ${user.id} expired without a kill`);
    const refreshed = grants.refreshed.slice(from).filter((one) => one.user === user.id);
    const most = expiry.kind === "kill" ? 2 : 1;
    if (refreshed.length === 0 || refreshed.length > most)
      violations.push(`${refreshed.length} refreshes for ${user.id}`);
    if (refreshed.some(({ isReuse }) => isReuse) !== isLost)
      violations.push(`the connection of ${user.id} ${isLost ? "expired" : "stayed"} against what its app decided`);
  }
  violations.push(...(await judgeTasks(office, app, tasks, expiry.kind === "kill")));
  return { ended: lost.length, violations };
}

/** Begins the tasks under a fault, or kills the part while the app makes the new tokens. */
async function disturb<Begun>(
  stage: Stage,
  app: OAuthApp,
  expiry: Expiry,
  begin: () => Promise<Begun>,
): Promise<Begun> {
  if (expiry.kind === "parallel") return await begin();
  if (expiry.kind === "fault") {
    app.faults.set("token", expiry.fault);
    try {
      const begun = await begin();
      await sleep(expiry.seconds * 1000);
      return begun;
    } finally {
      app.faults.delete("token");
    }
  }
  app.tokenDelayMs = TOKEN_DELAY_MS;
  const beginning = begin();
  beginning.catch(() => undefined);
  await killDuringToken(stage, app, expiry.target).finally(() => {
    app.tokenDelayMs = 0;
  });
  return await beginning;
}

function nameOf(expiry: Expiry): string {
  if (expiry.kind === "parallel") return "in parallel";
  return expiry.kind === "fault"
    ? `token ${expiry.fault} for ${expiry.seconds} s`
    : `${expiry.target} killed, grace of ${expiry.graceMs} ms`;
}

async function countAsks(office: Office): Promise<readonly number[]> {
  return await eachAtOnce(office.members, 1, async (member) => await office.countAsks(member));
}

/** The message of an outage leaves in the background. */
export async function untilAsked(office: Office, member: Member, times: number): Promise<void> {
  await until(
    async () => (await office.countAsks(member)) >= times,
    ASK_WITHIN_MS,
    () => `${member.user.id} was not asked`,
    250,
  );
}
