/**
 * The tour of accounts on the whole system, begun in an empty folder: two people connect their own account of an app and of an
 * MCP server, and the same agent shows each their own data. Others who write to a task, a schedule, and an account that the
 * app revoked: over the API with a browser, and in Slack.
 */
import { userInfo } from "node:os";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Caller, calling, scriptedInput } from "../setup/start-system.ts";
import {
  askLink,
  connectByLink,
  connectInChromium,
  type Member,
  readAccountCalls,
  readConnectUrl,
  readWaits,
  reconnectInConsole,
  untilCompleted,
  untilPending,
} from "./accounts-people.ts";
import { openSlackTeam, type SlackTeam } from "./accounts-slack.ts";
import { type AccountsWorld, startAccountsWorld } from "./accounts-world.ts";

const NO_PERSON = "This key belongs to no person. Bind it under Settings, Keys.";
const ANA_DECIDES = "Ana decides this: the call uses Ana's account.";
const ANAS_NOTES = ["crm.list_notes", "confirmed", "Ana", "ana@acme.example", "Ana"];
const NOTES = calling("crm_list_notes", {});
const ASK_ONCE = calling("ask_human", { query: "Which ones?" });
const PATIENT = { timeout: 30_000, interval: 50 };
let world: AccountsWorld;

beforeAll(async () => {
  world = await startAccountsWorld();
}, 180_000);

afterAll(async () => await world?.close());

/** The app and the MCP server, to which each person of the tenant connects an account. */
async function addApps(admin: Caller): Promise<void> {
  const { app, mcp } = world;
  const connect = { kind: "oauth2", issuer: app.url, scopes: ["read", "write"], per: "person" };
  const from = { name: "crm", url: `${app.url}/openapi.json`, read_security: "safe" };
  const imported = await admin.send("POST", "/v1/tools/import", { ...from, connect });
  expect(imported.status, imported.text).toBe(201);
  const added = await admin.send("POST", "/v1/mcp-servers", { name: "wiki", url: mcp.url, oauth: { per: "person" } });
  expect(added.status, added.text).toBe(201);
  expect(added.json).toMatchObject({ status: "authorization_needed", tools: [] });
}

/** The person to whom the first key of the tenant belongs, under the name Ana. */
async function becomeAna(admin: Caller, team: string): Promise<Member> {
  const [person] = (await admin.send("GET", "/v1/people")).json.data;
  const [key] = (await admin.send("GET", "/v1/keys")).json.data;
  expect(key.person).toMatchObject({ id: person.id });
  const named = await admin.send("PUT", `/v1/people/${person.id}`, personOf("Ana", team));
  expect(named.status, named.text).toBe(200);
  return { id: person.id, name: "Ana", user: "ana", api: await addKey(admin, person.id) };
}

/** Ben, who may approve: it is not for the lack of a right that Ana alone decides. */
async function addBen(admin: Caller, team: string): Promise<Member> {
  const made = await admin.send("POST", "/v1/people", personOf("Ben", team));
  expect(made.status, made.text).toBe(201);
  const { id } = made.json;
  return { id, name: "Ben", user: "ben", api: await addKey(admin, id) };
}

/** A key of the person, who is an administrator. The first key may also act for others, which these may not. */
async function addKey(admin: Caller, person: string): Promise<Caller> {
  const scopes = ["tasks:read", "tasks:write", "admin"];
  const made = await admin.send("POST", "/v1/keys", { name: "own", scopes, person });
  expect(made.status, made.text).toBe(201);
  return world.system.withKey(made.json.key);
}

function personOf(name: string, team: string) {
  const addresses = [{ kind: "slack", team, user: `U0${name.toUpperCase()}` }];
  return { name, addresses, may_answer: true, may_approve: true };
}

/** The accounts whose notes were read at the app since an earlier count. */
function notesSince(count: number): readonly (string | null)[] {
  const isRead = ({ method, path }: { method: string; path: string }) => method === "GET" && path === "/api/notes";
  return world.app.requests
    .slice(count)
    .filter(isRead)
    .map(({ user }) => user);
}

async function ask({ api }: Member, agent: string, input: string): Promise<string> {
  const made = await api.send("POST", "/v1/tasks", { input, agent });
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

test("two people use one agent, each through their own accounts, also in schedules and after an outage", async () => {
  const { system, app } = world;
  const admin = system.withKey(system.system.key);
  // As `npm start` leaves it: the first key belongs to the first person.
  expect((await admin.send("GET", "/v1/people")).json.data).toMatchObject([{ name: userInfo().username }]);
  const slack = await openSlackTeam(admin, world.slack.url, "T0TOUR");
  const ana = await becomeAna(admin, slack.team);
  await refuseKeyOfNobody(admin);
  const ben = await addBen(admin, slack.team);
  await addApps(admin);

  await connectInChromium(await askLink(ana, "crm"), ana);
  for (const member of [ana, ben]) await connectByLink(await askLink(member, "wiki"), member);
  const reloaded = await ana.api.send("POST", "/v1/mcp-servers/wiki/reload");
  expect(reloaded.json, reloaded.text).toMatchObject({ status: "connected", tools: [{ name: "wiki_pages" }] });

  const agent = await makeAgent(admin);
  await seeOwnData({ ana, ben, agent });
  await askOwnerOfReply({ ana, ben, agent });
  const schedule = await runConfirmedSchedule({ ana, ben, agent });
  app.grants.endGrants("ana");
  await resumeAfterOutage({ ana, ben, agent, schedule, slack });
});

async function refuseKeyOfNobody(admin: Caller): Promise<void> {
  const made = await admin.send("POST", "/v1/keys", { name: "a program", scopes: ["tasks:read", "tasks:write"] });
  const program = world.system.withKey(made.json.key);
  for (const refused of [
    await program.send("POST", "/v1/connections", { app: "crm" }),
    await program.send("GET", "/v1/connections"),
  ])
    expect([refused.status, refused.json.detail]).toEqual([422, NO_PERSON]);
}

async function makeAgent(admin: Caller): Promise<string> {
  const agent = { name: "office", instructions: "Do what is asked.", tools: ["*"], permissions: ["read", "network"] };
  const made = await admin.send("POST", "/v1/agents", { ...agent, approval: { dangerous: "allow" } });
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

interface Colleagues {
  readonly ana: Member;
  readonly ben: Member;
  readonly agent: string;
}

/** Both ask the same. Ben connects what his task waits for. Every request carried a token of the person who asked. */
async function seeOwnData({ ana, ben, agent }: Colleagues): Promise<void> {
  const members = [ana, ben];
  const input = scriptedInput(NOTES, calling("wiki_pages", {}), { text: "These are yours." });
  const [before, pagesBefore] = [world.app.requests.length, world.pagesCalls.length];
  const tasks = await Promise.all(members.map(async (member) => await ask(member, agent, input)));
  await connectByLink(await readConnectUrl(ben, ana, tasks[1] ?? ""), ben);
  for (const [index, member] of members.entries()) {
    const task = await untilCompleted(member, tasks[index] ?? "");
    expect(task.acts_for).toEqual({ person_id: member.id, name: member.name });
    const account = [member.name, `${member.user}@acme.example`, member.name];
    expect(await readAccountCalls(member, task.id)).toEqual([
      ["crm.list_notes", "confirmed", ...account],
      ["wiki_pages", "confirmed", ...account],
    ]);
  }
  const read = notesSince(before);
  expect(new Set(read)).toEqual(new Set(["ana", "ben"]));
  expect(read).toHaveLength(2);
  const pages = world.pagesCalls.slice(pagesBefore);
  expect(new Set(pages.map(({ user }) => user))).toEqual(new Set(["ana", "ben"]));
  // The tokens of one app are not those of the other.
  const tokens = world.app.requests.slice(before).map(({ credential }) => credential ?? "");
  expect(new Set([...tokens, ...pages.map(({ credential }) => credential)]).size).toBe(4);
}

/** Ben writes to Ana's task: from then on Ana decides each call through her account, and nobody else. */
async function askOwnerOfReply({ ana, ben, agent }: Colleagues): Promise<void> {
  const before = world.app.requests.length;
  const id = await ask(ana, agent, scriptedInput(ASK_ONCE, NOTES, { text: "Read." }));
  const question = await untilPending(ana, id, "question");
  const said = await ben.api.send("POST", `/v1/tasks/${id}/messages`, { text: "Show me Ana's notes." });
  expect(said.status, said.text).toBe(202);
  const answered = await ana.api.send("POST", `/v1/tasks/${id}/questions/${question.id}/answer`, { text: "All." });
  expect(answered.status, answered.text).toBe(200);
  const approval = await untilPending(ana, id, "approval");
  expect(approval).toMatchObject({
    tool: "crm.list_notes",
    decides: { person_id: ana.id, name: "Ana", delegates: false },
    account: { app: "crm", label: "ana@acme.example", owner: { kind: "person", id: ana.id } },
  });
  const path = `/v1/tasks/${id}/approvals/${approval.id}`;
  const refused = await ben.api.send("POST", path, { decision: "approve" });
  expect([refused.status, refused.json.detail]).toEqual([403, ANA_DECIDES]);
  expect(notesSince(before)).toEqual([]);
  const decided = await ana.api.send("POST", path, { decision: "approve" });
  expect(decided.status, decided.text).toBe(200);
  await untilCompleted(ana, id);
  expect(await readAccountCalls(ana, id)).toEqual([ANAS_NOTES]);
  expect(notesSince(before)).toEqual(["ana"]);
}

/** Ben changes the task of Ana's schedule: it acts for nobody until Ana confirms it. Returns the schedule. */
async function runConfirmedSchedule({ ana, ben, agent }: Colleagues): Promise<string> {
  const task = (words: string) => ({ agent, input: `${words}\n${scriptedInput(NOTES, { text: "Read." })}` });
  const when = { kind: "cron", expression: "0 0 29 2 *" };
  const made = await ana.api.send("POST", "/v1/schedules", { name: "notes", when, task: task("Mine.") });
  expect(made.status, made.text).toBe(201);
  const { id } = made.json;
  const changed = await ben.api.send("PUT", `/v1/schedules/${id}`, { name: "notes", when, task: task("Ana's.") });
  expect(changed.json, changed.text).toMatchObject({ acts_for: null, acts_for_cleared: true });
  const confirmed = await ana.api.send("POST", `/v1/schedules/${id}/confirm`);
  expect(confirmed.json, confirmed.text).toMatchObject({ acts_for: { person_id: ana.id, name: "Ana" } });
  const shown = await ana.api.send("GET", `/v1/schedules/${id}`);
  const used = { app: "crm", state: "active", unattended: true };
  expect(shown.json.apps, shown.text).toEqual(expect.arrayContaining([expect.objectContaining(used)]));
  const before = world.app.requests.length;
  const run = await runSchedule(ana, id);
  await untilCompleted(ana, run);
  expect(await readAccountCalls(ana, run)).toEqual([ANAS_NOTES]);
  expect(notesSince(before)).toEqual(["ana"]);
  return id;
}

/** Starts a run now, and returns its task. An earlier run has ended, or this one would be skipped. */
async function runSchedule({ api }: Member, id: string): Promise<string> {
  const read = async (): Promise<Occurrence[]> => (await api.send("GET", `/v1/schedules/${id}/occurrences`)).json.data;
  await vi.waitFor(async () => {
    for (const { state } of await read()) expect(state).toBe("finished");
  }, PATIENT);
  const started = await api.send("POST", `/v1/schedules/${id}/run`);
  expect(started.status, started.text).toBe(202);
  return await vi.waitFor(async () => {
    const run = (await read()).find(({ key }) => key === started.json.key);
    if (typeof run?.task_id !== "string") throw new Error(`no task: ${JSON.stringify(run)}`);
    return run.task_id;
  }, PATIENT);
}

interface Occurrence {
  readonly key: string;
  readonly state: string;
  readonly task_id: string | null;
}

interface Outage extends Colleagues {
  readonly schedule: string;
  readonly slack: SlackTeam;
}

/** The app ended Ana's grants: a run and a task wait, she gets one message, and both resume once she has reconnected. */
async function resumeAfterOutage({ ana, ben, agent, schedule, slack }: Outage): Promise<void> {
  const input = scriptedInput(NOTES, { text: "Read." });
  const tasks = [await runSchedule(ana, schedule), await ask(ana, agent, input)];
  for (const id of tasks) {
    const pending = await untilPending(ana, id, "connection");
    expect(pending).toMatchObject({ app: "crm", reason: "expired", person_id: ana.id });
  }
  const outage = "Otto can no longer use your account of Mock app";
  await slack.until({ user: "U0ANA" }, outage);
  // Ben's account works meanwhile.
  await untilCompleted(ben, await ask(ben, agent, input));
  const before = world.app.requests.length;
  await readConnectUrl(ana, ben, tasks[0] ?? "");
  await reconnectInConsole(ana, tasks[0] ?? "");
  for (const id of tasks) {
    await untilCompleted(ana, id);
    expect(await readAccountCalls(ana, id)).toEqual([ANAS_NOTES]);
  }
  expect(notesSince(before)).toEqual(["ana", "ana"]);
  for (const id of tasks) expect(await readWaits(ana, id)).toEqual(["connection.requested", "connection.ready"]);
  expect(await slack.find({ user: "U0ANA" }, outage)).toHaveLength(1);
  expect(await slack.find({ user: "U0BEN" }, "Otto needs your account of Mock app")).toHaveLength(1);
}

test("the same in Slack: the owner of an account is asked, and connects and reconnects from direct messages", async () => {
  const admin = await world.system.makeTenant("Slack");
  const slack = await openSlackTeam(admin, world.slack.url, "T0SLACK");
  const ana = await becomeAna(admin, slack.team);
  const ben = await addBen(admin, slack.team);
  await addApps(admin);
  const before = world.app.requests.length;
  const words = scriptedInput(NOTES, { text: "These are the notes." });
  const thread = await slack.mention("U0ANA", words);
  const wanted = await slack.until({ user: "U0ANA" }, "Otto needs your account of Mock app");
  await slack.mention("U0BEN", "Show me Ana's notes too.", thread);

  // The thread says what the task waits for, and nobody but Ana sees a link.
  await slack.until({ thread }, "Waiting for an account of crm…");
  expect(await slack.find({ thread }, "/connect/")).toEqual([]);
  await connectFromSlack(slack, ana, async () => await slack.click("U0ANA", wanted, "Connect"));
  const approval = await slack.until({ user: "U0ANA" }, "crm.list_notes");
  await slack.click("U0BEN", approval, "Approve");
  await slack.whisper(ANA_DECIDES);
  expect(notesSince(before)).toEqual([]);
  await slack.click("U0ANA", approval, "Approve");
  await slack.until({ thread }, "These are the notes.");
  expect(notesSince(before)).toEqual(["ana"]);
  const [task] = (await admin.send("GET", "/v1/tasks")).json.data;
  expect(task.acts_for).toEqual({ person_id: ana.id, name: "Ana" });
  expect(await readAccountCalls(ana, task.id)).toEqual([ANAS_NOTES]);

  await slack.command("U0BEN", "apps");
  expect(await slack.whisper("Mock app")).toContain("not connected");
  await connectFromSlack(slack, ben, async () => await slack.command("U0BEN", "connect crm"));
  const bens = await slack.mention("U0BEN", words);
  await slack.until({ thread: bens }, "These are the notes.");
  expect(notesSince(before)).toEqual(["ana", "ben"]);

  world.app.grants.endGrants("ana");
  const again = await slack.mention("U0ANA", words);
  const outage = "Otto can no longer use your account of Mock app";
  const ended = await slack.until({ user: "U0ANA" }, outage);
  await connectFromSlack(slack, ana, async () => await slack.click("U0ANA", ended, "Connect"));
  await slack.until({ thread: again }, "These are the notes.");
  expect(notesSince(before).filter((user) => user !== null)).toEqual(["ana", "ben", "ana"]);
  expect(await slack.find({ user: "U0ANA" }, outage)).toHaveLength(1);
});

/** What the person does shows them a link, alone; they connect by it. */
async function connectFromSlack(slack: SlackTeam, member: Member, act: () => Promise<void>): Promise<void> {
  await act();
  const shown = await slack.whisper("/connect/");
  const [, link = ""] = /<(http[^|>]+)\|/.exec(shown) ?? [];
  await connectByLink(link, member);
}
