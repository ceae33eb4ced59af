/** A tenant of the accounts' drills: an app that each person connects, and two people with keys and addresses in Slack. */
import { setTimeout as sleep } from "node:timers/promises";
import { describeApi } from "../../mock-servers/oauth-app-api.ts";
import { APP_USERS, type AppUser } from "../../mock-servers/oauth-grants.ts";
import { SlackClient } from "../../mock-servers/slack-client.ts";
import { ApiClient, eachAtOnce, type Reply, type TaskBody } from "../api-client.ts";
import type { DrillTenant, Stage } from "../stage.ts";
import { until } from "../started-system.ts";
import { type AccountInput, APP } from "./account-script.ts";
import { Browser, type Page } from "./browser.ts";
import type { AccountServers } from "./servers.ts";

const READS_AT_ONCE = 10;
/** Longer than the restart of a killed part on a busy machine. */
const ANSWER_WITHIN_MS = 90_000;
const TOO_MANY = 429;
/** How often a link is opened before it is given up, and the pause: together longer than the minute of the limit. */
const MAX_OPENED = 40;
const OPEN_AGAIN_MS = 2_000;
const AGENT = {
  approval: { rules: [{ tool: "*", decision: "allow" }] },
  budget: { max_steps: 100 },
};
/** The start of a message that asks a person for an account. */
const ASKS = /Otto (?:needs|can no longer use) your account/;

/** The fields of a connection that the drills judge. */
export interface ConnectionBody {
  readonly id: string;
  readonly alias: string | null;
  readonly status: string;
  readonly label: string | null;
  readonly why: string | null;
  readonly owner: { readonly kind: string; readonly id?: string };
}

/** A person, and their account at the app. */
export interface Member {
  readonly user: AppUser;
  readonly person: string;
  readonly api: ApiClient;
  /** Their member id in Slack. */
  readonly slackUser: string;
}

/** A task of a member. */
export interface OfficeTask {
  readonly id: string;
  readonly drill: string;
  readonly member: Member;
}

export class Office {
  readonly members: readonly Member[];
  readonly #stage: Stage;
  readonly #tenant: DrillTenant;
  readonly #slack: SlackClient;

  private constructor(stage: Stage, tenant: DrillTenant, slack: SlackClient, members: readonly Member[]) {
    this.#stage = stage;
    this.#tenant = tenant;
    this.#slack = slack;
    this.members = members;
  }

  /** `name` is unique on the stage: upper-case letters and digits. */
  static async open(stage: Stage, { app, slackUrl }: AccountServers, name: string): Promise<Office> {
    const tenant = await stage.makeTenant(`accounts ${name}`, AGENT);
    const slack = new SlackClient(slackUrl, `T0${name}`);
    const slackUserOf = ({ id }: AppUser): string => `U0${id.toUpperCase()}`;
    const bot = await slack.make({ users: APP_USERS.map((user) => ({ id: slackUserOf(user) })) });
    await tenant.api.must("POST", "/v1/slack/installs", { bot_token: bot.token });
    await tenant.api.must("POST", "/v1/tools/import", {
      name: APP,
      openapi: describeApi(app.url),
      read_security: "safe",
      connect: { kind: "oauth2", issuer: app.url, scopes: ["read", "write"], per: "person" },
    });
    const members: Member[] = [];
    for (const user of APP_USERS) {
      const slackUser = slackUserOf(user);
      const addresses = [{ kind: "slack", team: slack.team, user: slackUser }];
      const made = await tenant.api.must<{ id: string }>("POST", "/v1/people", { name: user.name, addresses });
      const order = { name: `key of ${user.name}`, scopes: ["tasks:read", "tasks:write"], person: made.id };
      const { key } = await tenant.api.must<{ key: string }>("POST", "/v1/keys", order);
      members.push({ user, person: made.id, api: new ApiClient(stage.system.url, key), slackUser });
    }
    return new Office(stage, tenant, slack, members);
  }

  /** Makes a task of a member; repeats the request until it is answered. */
  async createTask(member: Member, drill: string): Promise<OfficeTask> {
    const input: AccountInput = { drill, kind: "acts" };
    const body = { input: JSON.stringify(input), agent: this.#tenant.agent };
    const made = await repeat(
      async () => await member.api.send("POST", "/v1/tasks", body, { "idempotency-key": `make ${drill}` }),
    );
    return { id: (made.body as TaskBody).id, drill, member };
  }

  /** Connects an account in a new browser, once. Gives the last page. */
  async connectOnce(member: Member, alias: string | null): Promise<Page> {
    const order = { app: APP, ...(alias === null ? {} : { alias }) };
    const link = await repeat(async () => await member.api.send("POST", "/v1/connections", order));
    const { connect_url: url } = link.body as { connect_url: string };
    const browser = new Browser(this.#stage.system.url);
    for (let opened = 1; ; opened += 1) {
      const page = await browser.connect(url, member.user.id);
      // A link may be opened often, and many links of a person may not be opened at once.
      if (page.status !== TOO_MANY || opened === MAX_OPENED) return page;
      await sleep(OPEN_AGAIN_MS);
    }
  }

  /** Connects an account with as many new links as it takes. */
  async connect(member: Member, alias: string | null = null): Promise<ConnectionBody> {
    let found: ConnectionBody | null = null;
    let page: Page | null = null;
    await until(
      async () => {
        page = await this.connectOnce(member, alias);
        found = await this.findConnection(member, alias);
        return found?.status === "active";
      },
      ANSWER_WITHIN_MS,
      () => `${member.user.id} could not connect ${alias}: ${JSON.stringify([found, page])}`,
      500,
    );
    if (found === null) throw new Error("there is no connection");
    return found;
  }

  /** Null: nothing was ever connected or tried. */
  async findConnection(member: Member, alias: string | null): Promise<ConnectionBody | null> {
    const all = await this.listConnections(member);
    return all.find((one) => one.alias === alias) ?? null;
  }

  async listConnections({ api }: Member): Promise<readonly ConnectionBody[]> {
    const all: ConnectionBody[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const path = `/v1/connections?app=${APP}&limit=100${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const found = await repeat(async () => await api.send("GET", path));
      const page = found.body as { data: readonly ConnectionBody[]; next_cursor: string | null };
      all.push(...page.data);
      cursor = page.next_cursor;
    }
    return all;
  }

  async readTask({ member, id }: OfficeTask): Promise<TaskBody> {
    return (await repeat(async () => await member.api.send("GET", `/v1/tasks/${id}`))).body as TaskBody;
  }

  /** Waits until every task is in a state; throws with the first one that is not. */
  async untilAll(tasks: readonly OfficeTask[], isThere: (task: TaskBody) => boolean, withinMs: number): Promise<void> {
    const end = performance.now() + withinMs;
    await eachAtOnce(tasks, READS_AT_ONCE, async (task) => {
      let last: TaskBody | null = null;
      await until(
        async () => isThere((last = await this.readTask(task))),
        Math.max(1, end - performance.now()),
        () => `${task.drill} (${task.id}): ${JSON.stringify(last)}\n${this.#stage.system.output()}`,
        200,
      );
    });
  }

  /** Counts the messages that asked this person for an account. */
  async countAsks({ slackUser }: Member): Promise<number> {
    const { channels } = await this.#slack.facts();
    const direct = channels.filter(({ isDirect, user }) => isDirect && user === slackUser);
    return direct.flatMap(({ messages }) => messages).filter((one) => ASKS.test(JSON.stringify(one))).length;
  }

  /** Tasks of the tenant that have not ended. */
  async listOpen(): Promise<readonly TaskBody[]> {
    const all = await this.#tenant.api.pages<TaskBody>("/v1/tasks");
    return all.filter(({ status }) => !["completed", "failed", "cancelled"].includes(status));
  }
}

/** Whether a task waits for an account. */
export function isWaiting({ pending }: TaskBody): boolean {
  return pending.some(({ kind }) => kind === "connection");
}

/** Repeats a request until it is answered. Throws for a refusal. */
async function repeat(send: () => Promise<Reply>): Promise<Reply> {
  let reply: Reply = { status: 0, body: null };
  for (const end = Date.now() + ANSWER_WITHIN_MS; Date.now() < end; await sleep(200)) {
    reply = await send();
    if (reply.status >= 200 && reply.status < 300) return reply;
    // No connection, the first request still runs, rate limited, the database is away.
    if (reply.status !== 0 && reply.status !== 409 && reply.status !== 429 && reply.status < 500) break;
  }
  throw new Error(`a request got ${reply.status}: ${JSON.stringify(reply.body).slice(0, 500)}`);
}
