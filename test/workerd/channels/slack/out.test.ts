/** What leaves for Slack, from the Worker to the mock server: the tool that posts, and the sender of deliveries. */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { channelsFromEnv, outboxesFromEnv } from "../../../../adapters/env/channels.ts";
import {
  type Attempt,
  type Delivery,
  type DeliveryReport,
  getOutboxName,
} from "../../../../core/channels/outbox/delivery.ts";
import type { OutMessage } from "../../../../core/channels/outbox/message.ts";
import type { TaskView } from "../../../../core/task/view.ts";
import { outMessage } from "../../../setup/out-message.ts";
import type { SlackClient } from "../../../mock-servers/slack-client.ts";
import { deliveryOf } from "../outbox/delivery-of.ts";
import { type Caller, makeCaller } from "../../http/entry.ts";
import { installedSlack } from "./installed.ts";
import { config, watchDatabase } from "../../tenant/client.ts";

const completed = ({ status }: TaskView) => status === "completed";
const NOTE = { message: "The **report** is ready.", channel: "#reports" };

async function notifierOf(caller: Caller): Promise<string> {
  const more = { permissions: ["network"], approval: { dangerous: "allow" } };
  return (await caller.send("POST", "/v1/agents", config("notifier", more))).json.id;
}

async function notifyTask(caller: Caller): Promise<TaskView> {
  const calls = [{ name: "slack_notify", arguments: NOTE }];
  return await caller.makeTask([{ calls }, { text: "Done." }], { agent: await notifierOf(caller) });
}

async function postedTexts(slack: SlackClient, channel: string): Promise<string[]> {
  return (await slack.messages(channel)).map(({ text }) => text);
}

describe("slack.notify", () => {
  test("posts to the workspace of its tenant, or says how to install Otto", async () => {
    const [one, other] = [await makeCaller(), await makeCaller()];
    const slack = await installedSlack(one.tenant);
    const call = async (caller: Caller) =>
      await caller.send("POST", "/v1/tools/slack.notify/call", { arguments: NOTE, agent: await notifierOf(caller) });
    const answer = await call(one);
    expect(answer.json, answer.text).toMatchObject({
      ok: true,
      result: { sent: true, message: NOTE.message, channel: "C2" },
    });
    expect((await call(other)).json).toMatchObject({ ok: false, error: { code: "not_available" } });
    expect(await postedTexts(slack, "C2")).toEqual(["The *report* is ready."]);
    expect(answer.text).not.toContain("canary");
  });

  test("shows in an approval the channel that the agent's settings name, and posts there once it is approved", async () => {
    const caller = await makeCaller();
    const slack = await installedSlack(caller.tenant);
    const more = { permissions: ["network"], tool_config: { "slack.notify": { default_channel: "#reports" } } };
    const { json: agent } = await caller.send("POST", "/v1/agents", config("notifier", more));
    const calls = [{ name: "slack_notify", arguments: { message: "Ready." } }];
    const { id } = await caller.makeTask([{ calls }, { text: "Done." }], { agent: agent.id });
    const { pending } = await caller.until(id, (task) => task.pending.length > 0);
    expect(pending).toMatchObject([{ kind: "approval", arguments: { message: "Ready.", channel: "#reports" } }]);
    const [approval] = pending;
    const path = `/v1/tasks/${id}/approvals/${approval?.kind === "approval" ? approval.id : ""}`;
    expect((await caller.send("POST", path, { decision: "approve" })).status).toBe(200);
    await caller.until(id, completed);
    expect(await postedTexts(slack, "C2")).toEqual(["Ready."]);
  });

  test("is looked up after a crash, and posts once", async () => {
    const caller = await makeCaller();
    const slack = await installedSlack(caller.tenant);
    await slack.breakWith({ kind: "hang", method: "chat.getPermalink", times: 1 });
    const { id } = await notifyTask(caller);
    await vi.waitFor(async () => expect(await slack.calls("chat.getPermalink")).toHaveLength(1), { timeout: 20_000 });
    await abortAllDurableObjects();
    await caller.until(id, completed);
    const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json;
    expect(data).toMatchObject([{ tool: "slack.notify", state: "confirmed", effect: "probe" }]);
    expect(await slack.calls("chat.postMessage")).toHaveLength(1);
    expect((await slack.calls("conversations.history")).length).toBeGreaterThan(0);
  });

  test("posts again after a crash that came before it left", async () => {
    const caller = await makeCaller();
    const slack = await installedSlack(caller.tenant);
    await slack.breakWith({ kind: "hang", method: "chat.postMessage", times: 1 });
    const { id } = await notifyTask(caller);
    await vi.waitFor(async () => expect(await slack.calls("chat.postMessage")).toHaveLength(1), { timeout: 20_000 });
    await abortAllDurableObjects();
    await caller.until(id, completed);
    expect(await postedTexts(slack, "C2")).toEqual(["The *report* is ready."]);
  });
});

const MESSAGE = outMessage({ text: "The **answer**.", title: "" });

async function send(delivery: Delivery, attempt: Partial<Attempt> = {}) {
  return await channelsFromEnv(env).send(delivery, { number: 1, mayHaveLeft: false, refs: {}, ...attempt });
}

function resultTo(tenant: string, to: string, message: Partial<OutMessage> = {}): Delivery {
  return deliveryOf(tenant, { channel: "slack", to, lane: to, content: { ...MESSAGE, ...message } });
}

/** Waits for the end of a delivery and returns its state. */
async function endOf(delivery: Delivery): Promise<DeliveryReport> {
  return await vi.waitFor(
    async () => {
      const report = (await outboxesFromEnv(env)(getOutboxName(delivery)).look(delivery.id))?.report;
      if (report?.endedAt == null) throw new Error(`not ended: ${report?.state}`);
      return report;
    },
    { timeout: 15_000, interval: 50 },
  );
}

describe("the sender of Slack", () => {
  test("answers in the thread, with the files of the task", async () => {
    const caller = await makeCaller();
    const slack = await installedSlack(caller.tenant);
    const task = await caller.makeTask([{ text: "done" }], { hold: true });
    await caller.send("PUT", `/v1/tasks/${task.id}/files/out/a.txt`, "from the task", { "content-type": "text/plain" });
    const { ts } = await slack.say({ channel: "C1", user: "U1", text: "otto, the report please" });
    const files = [{ path: "out/a.txt", size: 13, content_type: "text/plain" }];
    const sandbox = { rootId: task.id, project: null };
    const sent = await send(resultTo(caller.tenant, `${slack.team}/C1/${ts}`, { files, sandbox }));
    expect(sent).toMatchObject({ kind: "sent", ref: { channel: "C1" } });
    const [, answer, file] = await slack.messages("C1", ts);
    expect(answer?.text).toBe("The *answer*.");
    expect(file?.files).toMatchObject([{ name: "a.txt", title: "out/a.txt" }]);
    expect((await slack.facts()).files).toMatchObject([{ text: "from the task" }]);
  });

  test("finds what it posted when the answer to that was lost", async () => {
    const caller = await makeCaller();
    const slack = await installedSlack(caller.tenant);
    await slack.breakWith({ kind: "cut", method: "chat.postMessage", times: 1 });
    const delivery = resultTo(caller.tenant, `${slack.team}/U1`);
    expect(await send(delivery)).toMatchObject({ kind: "later", mayBeInPart: true });
    expect(await send(delivery, { number: 2, mayBeInPart: true })).toMatchObject({
      kind: "sent",
      ref: { channel: "D1" },
    });
    expect(await postedTexts(slack, "D1")).toEqual(["The *answer*."]);
  });

  test("pauses the workspace as long as Slack says", async () => {
    const caller = await makeCaller();
    const slack = await installedSlack(caller.tenant);
    await slack.breakWith({ kind: "ratelimited", retryAfter: 12, times: 1 });
    const sent = await send(resultTo(caller.tenant, `${slack.team}/C1`));
    expect(sent).toMatchObject({ kind: "later", afterMs: 12_000, pausesAllMs: 12_000 });
  });

  test("gives up, and says why, where Otto is not installed or its token was taken back", async () => {
    const [caller, other] = [await makeCaller(), await makeCaller()];
    const slack = await installedSlack(caller.tenant);
    expect(await send(resultTo(other.tenant, `${slack.team}/C1`))).toMatchObject({ kind: "dead" });
    await slack.revoke();
    const sent = await send(resultTo(caller.tenant, `${slack.team}/C1`));
    expect(sent).toEqual({ kind: "dead", why: expect.stringContaining("install it again") });
    expect(await postedTexts(slack, "C1")).toEqual([]);
  });
});

describe("while the database is away", () => {
  test("the sender has not tried, unless it knows the workspace from shortly before", async () => {
    const caller = await makeCaller();
    const slack = await installedSlack(caller.tenant);
    const database = watchDatabase();
    database.isAway = true;
    const delivery = resultTo(caller.tenant, `${slack.team}/C1`);
    expect(await send(delivery)).toMatchObject({ kind: "later", isOurs: true });
    expect(await slack.calls()).toEqual([]);
    database.isAway = false;
    expect(await send(delivery)).toMatchObject({ kind: "sent" });
    database.isAway = true;
    expect(await send(resultTo(caller.tenant, `${slack.team}/C1`))).toMatchObject({ kind: "sent" });
  });
});

describe("an outbox of Slack", () => {
  test("delivers an answer with its file once, also when it is killed between the two", async () => {
    const caller = await makeCaller();
    const slack = await installedSlack(caller.tenant);
    const task = await caller.makeTask([{ text: "done" }], { hold: true });
    await caller.send("PUT", `/v1/tasks/${task.id}/files/a.txt`, "from the task", { "content-type": "text/plain" });
    await slack.breakWith({ kind: "hang", method: "files.completeUploadExternal", times: 1 });
    const files = [{ path: "a.txt", size: 13, content_type: "text/plain" }];
    const delivery = resultTo(caller.tenant, `${slack.team}/C1`, {
      files,
      sandbox: { rootId: task.id, project: null },
    });
    await outboxesFromEnv(env)(getOutboxName(delivery)).put([delivery]);
    const completing = async () => await slack.calls("files.completeUploadExternal");
    await vi.waitFor(async () => expect(await completing()).toHaveLength(1), { timeout: 20_000 });
    await abortAllDurableObjects();
    await vi.waitFor(async () => expect(await completing()).toHaveLength(2), { timeout: 20_000 });
    await vi.waitFor(async () => expect(await slack.messages("C1")).toHaveLength(2), { timeout: 20_000 });
    const [answer, file] = await slack.messages("C1");
    expect([answer?.text, file?.thread_ts]).toEqual(["The *answer*.", answer?.ts]);
    expect(await slack.calls("chat.postMessage")).toHaveLength(1);
  });

  test.each([
    ["a public channel that Otto is not in", "C3", { name: "news", isMember: false }],
    ["a private channel, by its name", "#board", { name: "board", isPrivate: true }],
  ])("comes to %s although Slack first takes no more", async (_what, place, facts) => {
    const caller = await makeCaller();
    const slack = await installedSlack(caller.tenant);
    await slack.addChannel({ id: "C3", ...facts });
    await slack.breakWith({ kind: "ratelimited", method: "chat.postMessage", retryAfter: 1, times: 1 });
    const delivery = resultTo(caller.tenant, `${slack.team}/${place}`);
    await outboxesFromEnv(env)(getOutboxName(delivery)).put([delivery]);
    expect(await endOf(delivery)).toMatchObject({ state: "sent", attempts: 2 });
    expect(await postedTexts(slack, "C3")).toEqual(["The *answer*."]);
  });

  test("finds in a private channel, by its name, what it posted when the answer to that was lost", async () => {
    const caller = await makeCaller();
    const slack = await installedSlack(caller.tenant);
    await slack.addChannel({ id: "C3", name: "board", isPrivate: true });
    await slack.breakWith({ kind: "cut", method: "chat.postMessage", times: 1 });
    const delivery = resultTo(caller.tenant, `${slack.team}/#board`);
    await outboxesFromEnv(env)(getOutboxName(delivery)).put([delivery]);
    expect(await endOf(delivery)).toMatchObject({ state: "sent", attempts: 2 });
    expect(await postedTexts(slack, "C3")).toEqual(["The *answer*."]);
  });

  test("posts what cannot be looked up once a person has said to send it again", async () => {
    const caller = await makeCaller();
    const slack = await installedSlack(caller.tenant);
    await slack.addChannel({ id: "C3", name: "news", isMember: false });
    await slack.breakWith({ kind: "reset", method: "chat.postMessage", times: 1 });
    const delivery = resultTo(caller.tenant, `${slack.team}/C3`);
    const outbox = outboxesFromEnv(env)(getOutboxName(delivery));
    await outbox.put([delivery]);
    expect(await endOf(delivery)).toMatchObject({ state: "unknown", why: expect.stringContaining("/invite") });
    expect(await outbox.replay(delivery.id)).toBe(true);
    expect(await endOf(delivery)).toMatchObject({ state: "sent" });
    expect(await postedTexts(slack, "C3")).toEqual(["The *answer*."]);
  });

  test("shows what a task does in one message, which the result closes", async () => {
    const caller = await makeCaller();
    const slack = await installedSlack(caller.tenant);
    const deliver = [{ channel: "slack", to: `${slack.team}/C1` }];
    const wait = { calls: [{ name: "wait", arguments: { seconds: 3 } }] };
    const { id } = await caller.makeTask([wait, wait, { text: "Done." }], { deliver });
    await vi.waitFor(async () => expect(await slack.messages("C1")).toHaveLength(1), { timeout: 20_000 });
    const [first] = await slack.messages("C1");
    expect(JSON.stringify(first?.blocks)).toContain(id);
    await vi.waitFor(async () => expect(await slack.calls("chat.update")).not.toEqual([]), { timeout: 20_000 });
    await caller.until(id, completed);
    await vi.waitFor(async () => expect(await slack.messages("C1")).toHaveLength(2), { timeout: 20_000 });
    expect(await postedTexts(slack, "C1")).toEqual(["Finished: see below.", "Done."]);
  });
});
