/** An approval of a call through a person's account, decided over the API, by clicks in Slack, and by a forged channel. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../../adapters/env/database.ts";
import { toActionValue } from "../../../../core/channels/slack/actions.ts";
import { failed } from "../../../../core/base/errors.ts";
import type { PersonRecord } from "../../../../core/people/person.ts";
import { answerAsk } from "../../../../workers/channels/inbox/answer.ts";
import { callerOf, expectProblem } from "../../http/entry.ts";
import { taskOf, until } from "../../tasks/client.ts";
import { openApproval } from "./open-approval.ts";
import { openWorkspace, type Workspace } from "./server.ts";

beforeEach(() => reset());
afterEach(() => {
  vi.restoreAllMocks();
});

const ANA_DECIDES = "ana decides this: the call uses ana's account.";

/** Makes records of Ana, and of Ben, who may approve. */
async function addPeople({ caller, slack: { team } }: Workspace) {
  const add = async (name: string, user: string, may_approve: boolean) => {
    const body = { name, addresses: [{ kind: "slack", team, user }], may_approve, may_answer: true };
    const made = await caller.send("POST", "/v1/people", body);
    expect(made.status, made.text).toBe(201);
    return String(made.json.id);
  };
  return { ana: await add("ana", "U0ANA", false), ben: await add("ben", "U0BEN", true) };
}

const isDone = ({ status }: { readonly status: string }) => status === "completed";

test("a key without a person does not decide it, and the approval says who does", async () => {
  const workspace = await openWorkspace();
  const { ana } = await addPeople(workspace);
  const { view, ask, facts } = await openApproval(workspace, ana, true);
  expect(view.pending).toMatchObject([{ decides: { person_id: ana, name: "ana", delegates: true } }]);
  const path = `/v1/tasks/${view.id}/approvals/${ask}`;
  for (const body of [
    { decision: "approve" },
    { decision: "refuse" },
    { decision: "approve", arguments: { timezone: 7 } },
  ]) {
    const answer = await workspace.caller.send("POST", path, body);
    expectProblem(answer, 403);
    expect(answer.json.detail).toBe(ANA_DECIDES);
  }
  const now = await workspace.caller.send("GET", `/v1/tasks/${view.id}`);
  expect(now.json).toMatchObject({ status: "waiting_approval", pending: [{ decides: { person_id: ana } }] });
  expect(await taskOf(facts).actors()).toMatchObject({ value: { people: [] } });
});

test("a click of somebody who may approve does not decide it, and one of its owner does", async () => {
  const workspace = await openWorkspace();
  const { ana } = await addPeople(workspace);
  const { view, ask, facts } = await openApproval(workspace, ana);
  const value = toActionValue({ task: view.id, ask, choice: null });
  await workspace.click({ actionId: "otto:approve", value, user: "U0BEN" });
  expect(await workspace.whispers()).toEqual([ANA_DECIDES]);
  await workspace.click({ actionId: "otto:approve", value, user: "U0ANA" });
  await until(facts, isDone);
  const log = await taskOf(facts).events(0, 500);
  const decided = log.ok ? log.value.events.find(({ type }) => type === "approval.decided") : undefined;
  expect(decided?.data).toMatchObject({ by: "ana", by_person_id: ana, decision: "approve" });
});

test("a channel decides it for others only if the owner delegates and they may approve", async () => {
  const workspace = await openWorkspace();
  const { ana, ben } = await addPeople(workspace);
  const { tenant } = workspace.caller;
  const decideAs = async (ask: string, id: string, mayApprove: boolean) => {
    const by = { id, name: "ben", mayAnswer: true, mayApprove } as PersonRecord;
    return await answerAsk(env, { tenant, ask, reply: { decision: "approve" }, by, request: crypto.randomUUID() });
  };
  const { facts, ask } = await openApproval(workspace, ana, true);
  expect(await decideAs(ask, ben, false)).toMatchObject({ error: { code: "forbidden", message: ANA_DECIDES } });
  expect(await decideAs(ask, ben, true)).toMatchObject({ ok: true });
  await until(facts, isDone);
});

test("the task itself refuses a channel that forgets the rule", async () => {
  const workspace = await openWorkspace();
  const { ana, ben } = await addPeople(workspace);
  const { facts, ask } = await openApproval(workspace, ana);
  const approve = { decision: "approve", arguments: null, reason: null, by: "ben" } as const;
  const forged = [{}, { person: null }, { person: ben }, { person: ben, mayApprove: true }];
  for (const decider of forged)
    expect(await taskOf(facts).decideApproval(ask, { ...approve, ...decider }, null)).toMatchObject({
      error: { code: "forbidden", message: ANA_DECIDES },
    });
  expect(await taskOf(facts).decideApproval(ask, { ...approve, by: "ana", person: ana }, null)).toMatchObject({
    ok: true,
  });
  await until(facts, isDone);
});

test("its owner decides it over the API while people cannot be read, and a delegate is asked to try again", async () => {
  const workspace = await openWorkspace();
  const { caller } = workspace;
  const { ana, ben } = await addPeople(workspace);
  const bind = async (person: string) => {
    const made = await caller.send("POST", "/v1/keys", { name: person, scopes: ["tasks:write"], person });
    return callerOf(caller.tenant, made.json.key);
  };
  const [anas, bens] = [await bind(ana), await bind(ben)];
  const { view, ask, facts } = await openApproval(workspace, ana, true);
  const path = `/v1/tasks/${view.id}/approvals/${ask}`;
  for (const key of [anas, bens]) await key.send("GET", "/v1/session");
  const away = failed("upstream_failed", "The database did not reply.", { retryAfterMs: 1_000 });
  vi.spyOn(databaseFromEnv(env).people, "get").mockResolvedValue(away);
  expectProblem(await bens.send("POST", path, { decision: "approve" }), 503);
  const decided = await anas.send("POST", path, { decision: "approve" });
  expect(decided.status, decided.text).toBe(200);
  await until(facts, isDone);
});
