/**
 * An office of two people with an account each of the mock app, which notes the token of every request. Every note that a
 * scenario has written names itself, so that the owner of the token can be compared with who may have written it.
 */
import { expect, inject } from "vitest";
import type { PendingView, TaskView } from "../../../core/task/view.ts";
import type { AgentConfig } from "../../../core/agents/agent.ts";
import { type Caller, callerOf, makeCaller } from "../http/entry.ts";
import { ledgerOf, taskOf, until } from "../tasks/client.ts";
import { connect, type Member } from "./connect-client.ts";

/** Numbers from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

export interface TwoPeople {
  readonly people: readonly [Colleague, Colleague];
  /** A key without a person that may act for people. */
  readonly service: Caller;
  /** Notes of this run begin with it. */
  readonly run: string;
  /** Whose account may write a note: null, nobody's. Absent notes were never meant to be written. */
  readonly owners: Map<string, Colleague | null>;
  /** Notes that only an approval of the owner lets through, because others steered their task. */
  readonly guarded: Set<string>;
  /** Notes whose call the owner approved. */
  readonly approved: Set<string>;
}

/** `user` is the account's at the mock app; `agent` names an agent that configures the connection of the other. */
export interface Colleague extends Member {
  readonly user: string;
  readonly connection: string;
  readonly agent: string;
}

const SCOPES = ["tasks:read", "tasks:write", "tools:call", "admin"];

export async function openTwoPeople(): Promise<TwoPeople> {
  const admin = await makeCaller();
  const issuer = inject("servers").oauthApp;
  const oauth = { kind: "oauth2", issuer, scopes: ["read", "write"], per: "person" };
  const body = { name: "crm", url: `${issuer}/openapi.json`, connect: oauth, read_security: "safe", security: "safe" };
  const imported = await admin.send("POST", "/v1/tools/import", body);
  expect(imported.status, imported.text).toBe(201);
  const ana = await addColleague(admin, "Ana", { unattended: "on" });
  const ben = await addColleague(admin, "Ben", {});
  const people = [await withAgent(admin, ana, ben), await withAgent(admin, ben, ana)] as const;
  const key = { name: "service", scopes: ["tasks:read", "tasks:write", "people:act"] };
  const service = repeatAway(callerOf(admin.tenant, (await admin.send("POST", "/v1/keys", key)).json.key));
  const run = `note ${crypto.randomUUID()}`;
  return { people, service, run, owners: new Map(), guarded: new Set(), approved: new Set() };
}

/** Repeats a request that a busy database turned away, as clients do: under one key. */
function repeatAway(caller: Caller): Caller {
  const send: Caller["send"] = async (method, path, body, headers = {}) => {
    const key: Record<string, string> = method === "POST" ? { "idempotency-key": crypto.randomUUID() } : {};
    for (let tries = 0; ; tries += 1) {
      const answer = await caller.send(method, path, body, { ...key, ...headers });
      if (answer.status !== 503 || tries === 20) return answer;
      await scheduler.wait(250);
    }
  };
  return { ...caller, send };
}

async function addColleague(admin: Caller, name: string, form: object): Promise<Omit<Colleague, "agent">> {
  const { id: person } = (await admin.send("POST", "/v1/people", { name })).json;
  const { json } = await admin.send("POST", "/v1/keys", { name, scopes: SCOPES, person });
  const member = { ...repeatAway(callerOf(admin.tenant, json.key)), person, name };
  const user = name.toLowerCase();
  expect((await connect(member, user, {}, form)).status).toBe(200);
  const [{ id: connection }] = (await member.send("GET", "/v1/connections")).json.data;
  return { ...member, user, connection };
}

/** Adds an agent that names the connection of somebody else. */
async function withAgent(
  admin: Caller,
  one: Omit<Colleague, "agent">,
  other: Omit<Colleague, "agent">,
): Promise<Colleague> {
  const config: Partial<AgentConfig> = {
    name: `hijacked-${one.user}`,
    instructions: "Work.",
    tools: ["*"],
    permissions: ["read", "write", "exec", "network"],
    app_config: { crm: { connection: other.connection } },
  };
  const made = await admin.send("POST", "/v1/agents", config);
  expect(made.status, made.text).toBe(201);
  return { ...one, agent: made.json.id };
}

/** A note that `owner` may have written; the call of it, as a model makes it. */
export function addNote({ run, owners }: TwoPeople, owner: Colleague | null, more: object = {}) {
  const text = `${run} ${owners.size}`;
  owners.set(text, owner);
  return { text, call: { name: "crm.add_note", arguments: { text, ...more } } };
}

/** Follows a task to its end. Others try to decide each approval first; then the owner decides. */
export async function finishTask(world: TwoPeople, id: string, owner: Colleague | null, random: Random): Promise<void> {
  const [{ tenant }] = world.people;
  const seen = new Set<string>();
  const hasEnded = ({ ended_at: endedAt }: TaskView) => endedAt !== null;
  const asks = (view: TaskView) => hasEnded(view) || view.pending.some((open) => "id" in open && !seen.has(open.id));
  for (;;) {
    const view = await until({ tenant, id }, asks);
    if (hasEnded(view)) break;
    const open = view.pending.find((one) => "id" in one && !seen.has(one.id));
    if (open === undefined || !("id" in open)) continue;
    seen.add(open.id);
    if (open.kind === "approval") await decide(world, id, open, random);
    else await taskOf({ tenant, id }).cancel("the test");
  }
  for (const { tool, account } of await ledgerOf({ tenant, id }))
    if (tool.startsWith("crm.") && account !== undefined)
      expect(account.owner).toEqual({ kind: "person", id: owner?.person, name: owner?.name });
}

type Approval = Extract<PendingView, { kind: "approval" }>;

async function decide(world: TwoPeople, task: string, { id, decides, ...open }: Approval, random: Random) {
  const send = async (by: Caller, decision: string) =>
    await by.send("POST", `/v1/tasks/${task}/approvals/${id}`, { decision });
  const [first] = world.people;
  const owner = world.people.find(({ person }) => person === decides?.person_id);
  if (owner === undefined) {
    // An ask of the policy, such as for a request to Otto's own API.
    expect((await send(first, "refuse")).status).toBe(200);
    return;
  }
  for (const other of [...world.people.filter((one) => one !== owner), world.service])
    expect((await send(other, "approve")).status).toBe(403);
  const isApproved = random() < 0.6;
  const note = (open.arguments as { readonly text?: string }).text;
  if (isApproved && note !== undefined) world.approved.add(note);
  const decided = await send(owner, isApproved ? "approve" : "refuse");
  expect(decided.status, decided.text).toBe(200);
}

/** A note that arrived at the mock app, and the user whose token it came with. */
export interface Arrived {
  readonly note: string;
  readonly user: string | null;
}

export async function listArrived({ run }: TwoPeople): Promise<readonly Arrived[]> {
  const reply = await fetch(`${inject("servers").oauthApp}/control`, { method: "POST" });
  const { requests } = await reply.json<{ requests: { body: string; user: string | null }[] }>();
  return requests
    .filter(({ body }) => body.includes(run))
    .map(({ body, user }) => ({ note: (JSON.parse(body) as { readonly text: string }).text, user }));
}
