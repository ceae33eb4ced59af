/** The results of tasks, delivered to their destinations, from the entry point to the sender. */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { channelsFromEnv } from "../../../adapters/env/channels.ts";
import { createPlainMessage } from "../../../core/channels/outbox/message-delivery.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { installedSlack } from "../channels/slack/installed.ts";
import { answerSendings, hangs, sendingsOf, sent, takeSendingsOf } from "../channels/outbox/test-sender.ts";

const SOON = { timeout: 25_000, interval: 30 };
const ANN = { channel: "email", to: "ann@example.com" } as const;
const done = { text: "Done." };

async function newCaller(): Promise<Caller> {
  const caller = await makeCaller();
  takeSendingsOf(caller.tenant);
  return caller;
}

const deliveriesOf = ({ tenant }: Caller) => sendingsOf(tenant).map(({ delivery }) => delivery);

const resultsOf = (caller: Caller) => deliveriesOf(caller).filter(({ kind }) => kind === "result");

async function makePerson(caller: Caller, name: string, more: object): Promise<string> {
  const made = await caller.send("POST", "/v1/people", { name, ...more });
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

beforeEach(() => {
  answerSendings(sent);
});

describe("the result of a task", () => {
  test("goes once to each destination of its creation, with its files", async () => {
    const caller = await newCaller();
    const deliver = [ANN, { channel: "email", to: "bob@example.com, ann@EXAMPLE.com" }];
    const write = { calls: [{ name: "write_file", arguments: { filename: "a.txt", content: "hello" } }] };
    const attach = { calls: [{ name: "attach_file", arguments: { filename: "a.txt" } }] };
    const { id } = await caller.makeTask([write, attach, done], { deliver });
    await vi.waitFor(() => expect(deliveriesOf(caller)).toHaveLength(2), SOON);
    expect(deliveriesOf(caller).map(({ to }) => to)).toEqual(["ann@example.com", "bob@example.com"]);
    for (const { kind, task, content, id: delivery } of deliveriesOf(caller)) {
      expect({ kind, task }).toEqual({ kind: "result", task: id });
      expect(content).toMatchObject({ text: "Done.", files: [{ path: "a.txt", size: 5 }], sandbox: { rootId: id } });
      expect(delivery).toMatch(/^dlv_/);
    }
    const listed = async () => (await caller.send("GET", `/v1/deliveries?task=${id}`)).json.data;
    await vi.waitFor(async () => expect(await listed()).toHaveLength(2), SOON);
  });

  test("says that it failed or was cancelled, and why", async () => {
    const caller = await newCaller();
    const { id } = await caller.makeTask([{ text: "late", delayMs: 20_000 }], { deliver: [ANN] });
    await caller.send("POST", `/v1/tasks/${id}/cancel`);
    await vi.waitFor(() => expect(deliveriesOf(caller)).toHaveLength(1), SOON);
    expect(deliveriesOf(caller)[0]?.content).toMatchObject({ text: "The task was cancelled." });
  });

  test("is sent once although everything crashes during the sending", async () => {
    const caller = await newCaller();
    answerSendings(hangs);
    await caller.makeTask([done], { deliver: [ANN] });
    await vi.waitFor(() => expect(deliveriesOf(caller)).toHaveLength(1), SOON);
    answerSendings(sent);
    await abortAllDurableObjects();
    await vi.waitFor(() => expect(sendingsOf(caller.tenant)).toHaveLength(2), SOON);
    const [first, second] = sendingsOf(caller.tenant);
    expect(second?.delivery.id).toBe(first?.delivery.id);
    expect(second?.attempt).toMatchObject({ number: 2, mayHaveLeft: true });
  });

  test("goes to a person by the preferred channel, and by the next when that is dead", async () => {
    const caller = await newCaller();
    const addresses = [
      { kind: "slack", team: "T1", user: "U1" },
      { kind: "email", address: "ann@example.com" },
    ];
    await makePerson(caller, "Ann Arbor", { addresses });
    answerSendings(({ delivery: { channel } }) =>
      channel === "slack" ? { kind: "dead", why: "account_inactive" } : sent(),
    );
    await caller.makeTask([done], { deliver: [{ channel: "person", to: "ann" }] });
    await vi.waitFor(() => expect(deliveriesOf(caller)).toHaveLength(2), SOON);
    expect(deliveriesOf(caller).map(({ channel, to }) => `${channel} ${to}`)).toEqual([
      "slack T1/U1",
      "email ann@example.com",
    ]);
  });

  test("to an unavailable recipient is stored as a dead delivery that says so", async () => {
    const caller = await newCaller();
    const bob = await makePerson(caller, "Bob", {});
    const ann = await makePerson(caller, "Ann", { addresses: [{ kind: "email", address: "ann@example.com" }] });
    const made = await caller.makeTask([done], { deliver: [{ channel: "person", to: "Ann" }], hold: true });
    expect((await caller.send("DELETE", `/v1/people/${ann}`)).status).toBe(200);
    await caller.send("POST", `/v1/tasks/${made.id}/start`);
    const dead = async () => (await caller.send("GET", "/v1/deliveries?state=dead")).json.data;
    await vi.waitFor(async () => expect(await dead()).toHaveLength(1), SOON);
    expect((await dead())[0].why).toContain("The people are: Bob");
    expect(deliveriesOf(caller)).toEqual([]);
    expect(bob).toMatch(/^per_/);
  });

  test("what a task says on the way goes there too, before the result", async () => {
    const caller = await newCaller();
    const remark = { calls: [{ name: "ask_human", arguments: { query: "Half done.", wait_for_answer: false } }] };
    await caller.makeTask([remark, done], { deliver: [ANN] });
    await vi.waitFor(() => expect(deliveriesOf(caller)).toHaveLength(2), SOON);
    expect(deliveriesOf(caller).map(({ kind, content }) => [kind, content["text"]])).toEqual([
      ["notification", "Half done."],
      ["result", "Done."],
    ]);
  });
});

describe("a destination in Slack", () => {
  test("is of the workspace in which the tenant installed Otto, and of no other tenant's", async () => {
    const [caller, other] = [await newCaller(), await newCaller()];
    const [{ team }, { team: foreign }] = [await installedSlack(caller.tenant), await installedSlack(other.tenant)];
    await caller.makeTask([done], { deliver: [{ channel: "slack", to: "#General" }] });
    await vi.waitFor(() => expect(resultsOf(caller)).toHaveLength(1), SOON);
    expect(resultsOf(caller)[0]).toMatchObject({ channel: "slack", to: `${team}/#general`, lane: `${team}/#general` });
    const deliver = [{ channel: "slack", to: `${foreign}/C1` }];
    const refused = await caller.send("POST", "/v1/tasks", { input: "x", deliver });
    expectProblem(refused, 422, "deliver.0.to");
    expect(refused.json.code).toBe("not_available");
  });

  test("is named with its workspace where there are several", async () => {
    const caller = await newCaller();
    const teams = [await installedSlack(caller.tenant), await installedSlack(caller.tenant)].map(({ team }) => team);
    const body = { input: "x", deliver: [{ channel: "slack", to: "C1" }] };
    const refused = await caller.send("POST", "/v1/tasks", body);
    expectProblem(refused, 422, "deliver.0.to");
    for (const team of teams) expect(refused.json.detail).toContain(team);
    await caller.makeTask([done], { deliver: [{ channel: "slack", to: `${teams[1]}/C1` }] });
    await vi.waitFor(() => expect(resultsOf(caller)).toHaveLength(1), SOON);
  });

  test("has the message of its own progress closed, and not that of another destination of the task", async () => {
    const caller = await newCaller();
    const { team } = await installedSlack(caller.tenant);
    answerSendings(({ delivery: { kind, to } }) => ({ kind: "sent", ref: kind === "progress" ? { ts: to } : null }));
    const deliver = ["C1", "C2"].map((to) => ({ channel: "slack", to }));
    const { id } = await caller.makeTask([{ text: "Done.", delayMs: 3000 }], { deliver });
    await vi.waitFor(() => expect(resultsOf(caller)).toHaveLength(2), SOON);
    const results = sendingsOf(caller.tenant).filter(({ delivery }) => delivery.kind === "result");
    expect(results.map(({ delivery: { to }, attempt }) => [to, attempt.refs])).toEqual(
      ["C1", "C2"].map((channel) => {
        const to = `${team}/${channel}`;
        return [to, { [`progress ${id} ${to}`]: { ts: to } }];
      }),
    );
  });
});

describe("a task is refused", () => {
  test.each([
    [{ channel: "slack", to: "#general" }, "not_available"],
    [{ channel: "email", to: "ann" }, "invalid_input"],
    [{ channel: "webhook", to: "whk_none" }, "invalid_input"],
    [{ channel: "person", to: "Eve" }, "invalid_input"],
  ])("that delivers to no place of its tenant: %#", async (destination, code) => {
    const caller = await makeCaller();
    const answer = await caller.send("POST", "/v1/tasks", { input: "x", deliver: [ANN, destination] });
    expectProblem(answer, 422, "deliver.1.to");
    expect(answer.json.code).toBe(code);
  });

  test("that delivers to another tenant's endpoint or person", async () => {
    const [owner, other] = [await makeCaller(), await makeCaller()];
    const person = await makePerson(owner, "Ann", { addresses: [{ kind: "email", address: "ann@example.com" }] });
    const created = await other.send("POST", "/v1/tasks", { input: "x", deliver: [{ channel: "person", to: person }] });
    expectProblem(created, 422, "deliver.0.to");
  });
});

test("reports of subtasks go to the same destinations, once however often they are sent", async () => {
  const caller = await newCaller();
  const telling = { kind: "alert", seed: "sch_1/2026-11-21T09:00:00Z", at: Date.now() } as const;
  const message = createPlainMessage("Nightly report", "It did not finish.");
  for (let i = 0; i < 2; i += 1)
    expect(await channelsFromEnv(env).tell(caller.tenant, [ANN], message, telling)).toEqual({
      ok: true,
      value: undefined,
    });
  await vi.waitFor(() => expect(deliveriesOf(caller)).toHaveLength(1), SOON);
  expect(deliveriesOf(caller)[0]).toMatchObject({ kind: "alert", to: "ann@example.com", content: message });
});
