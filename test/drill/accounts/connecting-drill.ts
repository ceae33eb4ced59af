/**
 * Drill `connecting`: people open links and return from the app's sign-in page while an endpoint of the app fails, or a part of the system is
 * killed during the exchange of the code. Afterwards a new link connects each account, and a task of each person sees its own data.
 */
import type { MockEndpoint, MockFault, OAuthApp } from "../../mock-servers/oauth-app.ts";
import { APP_USERS } from "../../mock-servers/oauth-grants.ts";
import { eachAtOnce, isEnded } from "../api-client.ts";
import type { Stage } from "../stage.ts";
import { until } from "../started-system.ts";
import { strike } from "../timed-kills.ts";
import { judgeTasks } from "./judge-accounts.ts";
import { type ConnectionBody, type Member, Office, type OfficeTask } from "./office.ts";
import type { AccountServers } from "./servers.ts";

/** How long the token endpoint takes while a part is killed. */
const TOKEN_DELAY_MS = 400;
const KILL_WITHIN_MS = 30_000;
const END_WITHIN_MS = 60_000;

export type Disturbance =
  | { readonly kind: "fault"; readonly endpoint: MockEndpoint; readonly fault: MockFault }
  | { readonly kind: "kill"; readonly target: "workerd" | "host" | "database" };

export interface ConnectingPlan {
  readonly seed: number;
  /** One round each, in an order that the seed gives. */
  readonly disturbances: readonly Disturbance[];
  /** Links of each person in each round, used at the same time. */
  readonly linksEach: number;
}

export interface ConnectingReport {
  readonly rounds: number;
  readonly kills: number;
  readonly links: number;
  /** States directly after the disturbance, such as `4 failed, 2 active`. */
  readonly during: string;
  readonly violations: readonly string[];
}

/** A link that was used during a disturbance, and what it left behind. */
interface Attempted {
  readonly member: Member;
  readonly alias: string;
  readonly status: string;
  readonly why: string | null;
}

export async function runConnectingDrill(
  stage: Stage,
  servers: AccountServers,
  { seed, disturbances, linksEach }: ConnectingPlan,
  say: (line: string) => void,
): Promise<ConnectingReport> {
  const { app } = servers;
  const open = async (round: number): Promise<Office> =>
    await Office.open(stage, servers, `CONNECT${round}X${seed.toString(36).toUpperCase()}`);
  const grantsBefore = APP_USERS.map(({ id }) => app.grants.countActive(id));
  const offices: Office[] = [];
  const violations: string[] = [];
  const attempted: Attempted[] = [];
  let kills = 0;
  for (const [round, disturbance] of disturbances.entries()) {
    const name = nameOf(disturbance);
    if (round === 0 || needsNewApp(disturbance)) offices.push(await open(round + 1));
    const office = offices.at(-1);
    if (office === undefined) throw new Error("there is no office");
    const links = office.members.flatMap((member) =>
      Array.from({ length: linksEach }, (_, index) => ({ member, alias: `round ${round + 1} link ${index + 1}` })),
    );
    await disturb(stage, app, disturbance, async () => {
      await eachAtOnce(links, links.length, async ({ member, alias }) => await office.connectOnce(member, alias));
    });
    if (disturbance.kind === "kill") kills += 1;
    say(`  round ${round + 1}: ${name}`);
    const left = await eachAtOnce(links, links.length, async ({ member, alias }): Promise<Attempted> => {
      const found = await office.findConnection(member, alias);
      return { member, alias, status: found?.status ?? "hidden", why: found?.why ?? null };
    });
    attempted.push(...left);
    violations.push(...left.flatMap((one) => judgeDuring(disturbance, one)).map((line) => `${name}: ${line}`));
    for (const { member, alias, status } of left)
      if (status !== "active") violations.push(...judgeConnected(member, await office.connect(member, alias)));
  }
  violations.push(...(await judgeGrants(offices, app, { before: grantsBefore, maxLost: kills * linksEach })));
  for (const [index, each] of offices.entries())
    violations.push(...(await actForAll(each, app, `connecting ${seed} ${index + 1}`)));
  const states = Map.groupBy(attempted, ({ status }) => status);
  return {
    rounds: disturbances.length,
    kills,
    links: attempted.length,
    during: [...states].map(([status, all]) => `${all.length} ${status}`).join(", "),
    violations: violations.map((line) => `connecting: ${line}`),
  };
}

/** Each tenant knows the description of its app's server, and its registration, from its first link on. */
function needsNewApp(given: Disturbance): boolean {
  return given.kind === "fault" && (given.endpoint === "discovery" || given.endpoint === "registration");
}

/** A task of each person sees its own data. */
async function actForAll(office: Office, app: OAuthApp, name: string): Promise<string[]> {
  const { members } = office;
  const tasks = await eachAtOnce(members, members.length, async (member): Promise<OfficeTask> => {
    return await office.createTask(member, `${name} ${member.user.id}`);
  });
  await office.untilAll(tasks, ({ status }) => isEnded(status), END_WITHIN_MS);
  return await judgeTasks(office, app, tasks, false);
}

/** Runs `work` under a fault, or kills the part while the app makes its tokens. */
async function disturb(stage: Stage, app: OAuthApp, given: Disturbance, work: () => Promise<void>): Promise<void> {
  if (given.kind === "fault") {
    app.faults.set(given.endpoint, given.fault);
    await work().finally(() => app.faults.delete(given.endpoint));
    return;
  }
  app.tokenDelayMs = TOKEN_DELAY_MS;
  const working = work();
  working.catch(() => undefined);
  await killDuringToken(stage, app, given.target).finally(() => {
    app.tokenDelayMs = 0;
  });
  await working;
}

/** Kills a part once a request is at the token endpoint, before its answer; waits until the system answers again. */
export async function killDuringToken(
  { system }: Stage,
  { visits }: OAuthApp,
  target: "workerd" | "host" | "database",
): Promise<void> {
  const before = visits.length;
  await until(
    () => visits.slice(before).includes("POST /token"),
    KILL_WITHIN_MS,
    () => "nothing arrived at the token endpoint",
    2,
  );
  await strike(system, target);
  await system.up();
}

function nameOf(given: Disturbance): string {
  return given.kind === "fault" ? `${given.endpoint} ${given.fault}` : `${given.target} killed`;
}

/** Each disturbance leaves only the states that a connection may have after it. `hidden`: nothing was connected. */
function judgeDuring(given: Disturbance, { member, alias, status, why }: Attempted): string[] {
  const allowed = listAllowed(given);
  const found = allowed.includes(status)
    ? []
    : [`${alias} of ${member.user.id} is ${status}, not ${allowed.join(" or ")}`];
  if (status === "failed" && why === null) found.push(`${alias} of ${member.user.id} failed, and nothing says why`);
  return found;
}

function listAllowed(given: Disturbance): readonly string[] {
  // A page that does not come back in time leaves the consent open.
  if (given.kind === "kill") return ["hidden", "pending", "failed", "active"];
  if (given.endpoint === "token") return ["failed"];
  if (given.endpoint === "userinfo") return ["active"];
  return given.fault === "refusal" ? ["failed"] : ["hidden"];
}

function judgeConnected({ user, person }: Member, { alias, status, label, owner }: ConnectionBody): string[] {
  if (status === "active" && label === user.email && owner.id === person) return [];
  return [`${alias} of ${user.id} is ${status} as ${label} of ${owner.id}`];
}

/** A grant without a connection is possible only where a kill lost the answer with its tokens. */
async function judgeGrants(
  offices: readonly Office[],
  { grants }: OAuthApp,
  { before, maxLost }: { readonly before: readonly number[]; readonly maxLost: number },
): Promise<string[]> {
  const found = await eachAtOnce(APP_USERS, 1, async ({ id }, index) => {
    const connections = await eachAtOnce(offices, 1, async (office) => {
      const member = office.members.find(({ user }) => user.id === id);
      return member === undefined ? [] : await office.listConnections(member);
    });
    const connected = connections.flat().filter(({ status }) => status === "active").length;
    const active = grants.countActive(id) - (before[index] ?? 0);
    const isRight = active >= connected && active <= connected + maxLost;
    return isRight ? [] : [`${id} has ${connected} connections and ${active} grants at the app`];
  });
  return found.flat();
}
