/**
 * Drill `waiting`: many tasks wait for one account, under kills. A consent fails, the next one wakes all of them. Then the app ends the grant,
 * and more tasks wait for the same account. Tasks of another person wait until that person connects.
 */
import type { OAuthApp } from "../../mock-servers/oauth-app.ts";
import { eachAtOnce, isEnded } from "../api-client.ts";
import { seededRandom } from "../random.ts";
import type { Stage } from "../stage.ts";
import { TimedKiller, type TimedKillPlan } from "../timed-kills.ts";
import { judgeOpen, judgeTasks } from "./judge-accounts.ts";
import { isWaiting, type Member, Office, type OfficeTask } from "./office.ts";
import { untilAsked } from "./refreshing-drill.ts";
import type { AccountServers } from "./servers.ts";

const CREATED_AT_ONCE = 10;

export interface WaitingPlan {
  readonly seed: number;
  /** Tasks that wait for the account of one person in each of its two outages. */
  readonly tasks: number;
  /** Tasks that wait for the account of the other person. */
  readonly others: number;
  readonly kills: TimedKillPlan;
  /** For all tasks to wait, and to end after their account was connected. */
  readonly withinMs: number;
}

export interface AccountWaitsReport {
  readonly tasks: number;
  readonly kills: number;
  readonly tally: string;
  /** From the connected page to the end of the last task, of the first and the second outage. */
  readonly wokenMs: readonly number[];
  readonly violations: readonly string[];
}

export async function runAccountWaitsDrill(
  stage: Stage,
  servers: AccountServers,
  plan: WaitingPlan,
  say: (line: string) => void,
): Promise<AccountWaitsReport> {
  const { app } = servers;
  const { seed, withinMs } = plan;
  const office = await Office.open(stage, servers, `WAIT${seed.toString(36).toUpperCase()}`);
  const [first, second] = office.members;
  if (first === undefined || second === undefined) throw new Error("the office has no two members");
  const violations: string[] = [];
  const wokenMs: number[] = [];
  const begin = async (member: Member, name: string, count: number): Promise<OfficeTask[]> => {
    const names = Array.from({ length: count }, (_, index) => `${name} ${seed} ${member.user.id} ${index + 1}`);
    const begun = await eachAtOnce(names, CREATED_AT_ONCE, async (drill) => await office.createTask(member, drill));
    await office.untilAll(begun, isWaiting, withinMs);
    return begun;
  };
  const connect = async (member: Member, tasks: readonly OfficeTask[]): Promise<void> => {
    await office.connect(member);
    const from = performance.now();
    await office.untilAll(tasks, ({ status }) => isEnded(status), withinMs);
    wokenMs.push(performance.now() - from);
    say(`  woken in ${Math.round(performance.now() - from)} ms`);
  };
  const killer = new TimedKiller(stage, plan.kills, seededRandom(seed));
  let all: OfficeTask[];
  try {
    const missing = await begin(first, "missing", plan.tasks);
    const others = await begin(second, "others", plan.others);
    for (const member of office.members) await untilAsked(office, member, 1);
    say(`  ${missing.length + others.length} tasks wait for accounts`);
    violations.push(...(await failToConnect(office, app, first)));
    await connect(first, missing);

    app.grants.endGrants(first.user.id);
    const expired = await begin(first, "expired", plan.tasks);
    await untilAsked(office, first, 2);
    say(`  ${expired.length} tasks wait for the account again`);
    await connect(first, expired);

    const moved = (await eachAtOnce(others, CREATED_AT_ONCE, (one) => office.readTask(one))).filter(
      (task) => !isWaiting(task),
    );
    if (moved.length > 0) violations.push(`${moved.length} tasks did not wait for their own person's account`);
    await connect(second, others);
    all = [...missing, ...expired, ...others];
  } finally {
    await killer.stop();
  }
  violations.push(...(await judgeTasks(office, app, all, true)), ...(await judgeOpen(office)));
  for (const [member, wanted] of [
    [first, 2],
    [second, 1],
  ] as const) {
    const asks = await office.countAsks(member);
    if (asks !== wanted) violations.push(`${member.user.id} was asked ${asks} times in ${wanted} outages`);
    const { status } = (await office.findConnection(member, null)) ?? { status: "missing" };
    if (status !== "active") violations.push(`the connection of ${member.user.id} is ${status}`);
  }
  if (killer.kills.length === 0) violations.push("nothing was killed");
  return {
    tasks: all.length,
    kills: killer.kills.length,
    tally: killer.tally(),
    wokenMs,
    violations: violations.map((line) => `waiting for accounts: ${line}`),
  };
}

/** A consent whose code the app does not redeem connects nothing, and wakes nobody. */
async function failToConnect(office: Office, app: OAuthApp, member: Member): Promise<string[]> {
  app.faults.set("token", "error");
  const page = await office.connectOnce(member, null).finally(() => app.faults.delete("token"));
  const status = (await office.findConnection(member, null))?.status ?? "hidden";
  return status === "active" ? [`a failed consent (page ${page.status}) left an active connection`] : [];
}
