/** What comes from Slack, from the signed request to the task: each thing once, and each refusal with the right answer. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../../adapters/env/database.ts";
import { inboxesFromEnv, outboxesFromEnv } from "../../../../adapters/env/channels.ts";
import { tasksFromEnv } from "../../../../adapters/env/tasks.ts";
import { getOutboxName } from "../../../../core/channels/outbox/delivery.ts";
import { OUTSIDE, PRINCIPAL } from "../../../../core/provenance/label.ts";
import {
  eventEnvelope,
  mentionEvent,
  messageEvent,
  signForm,
  signJson,
  URL_VERIFICATION,
} from "../../../mock-servers/slack-requests.ts";
import { deliveryOf } from "../outbox/delivery-of.ts";
import { expectProblem } from "../../http/entry.ts";
import { asking, isCompleted, openWorkspace, newTeam, nextTs, post, saying, SIGNING, askInThread } from "./server.ts";
import { watchDatabase } from "../../tenant/client.ts";

beforeEach(() => reset());
afterEach(() => void vi.useRealTimers());

describe("a request that says it is Slack's", () => {
  const app = { team: "T0NOBODY", appId: "A0", botUser: "UB0" };
  const body = eventEnvelope(app, mentionEvent({ user: "U1", channel: "C1", ts: "1.000001", text: "hi" }), "Ev1");

  test("is refused when its signature is missing, wrong, of other words, or of another time", async () => {
    const right = await signJson(body, SIGNING);
    const { "x-slack-signature": _, ...bare } = right.headers;
    for (const request of [
      { ...right, headers: bare },
      { ...right, body: `${right.body} ` },
      await signJson(body, { secret: "another" }),
      await signJson(body, { ...SIGNING, ageSeconds: 301 }),
      await signJson(body, { ...SIGNING, ageSeconds: -360 }),
      { ...right, headers: { ...right.headers, "x-slack-signature": "v0=00" } },
    ])
      for (const path of ["/slack/events", "/slack/commands", "/slack/interactive"])
        expectProblem(await post(path, request), 401);
    const inbox = await inboxesFromEnv(env)("slack/T0NOBODY").received({ after: null, limit: 10, since: 0 });
    expect(inbox.items, "nothing of it is kept").toEqual([]);
  });

  test("is answered its challenge", async () => {
    const answer = await post("/slack/events", await signJson(URL_VERIFICATION, { ...SIGNING, ageSeconds: 240 }));
    expect(answer.json).toEqual({ challenge: URL_VERIFICATION.challenge });
  });

  test("is refused when it is too large, no JSON, or in no form that Slack documents", async () => {
    const large = { type: "event_callback", text: "x".repeat(1_048_576) };
    expectProblem(await post("/slack/events", await signJson(large, SIGNING)), 413, "body");
    const words = mentionEvent({ user: "U1", channel: "C1", ts: "1.000001", text: "\u0001".repeat(100_000) });
    expectProblem(await post("/slack/events", await signJson(eventEnvelope(app, words, "Ev1"), SIGNING)), 413);
    expectProblem(await post("/slack/events", await signForm({ a: "b" }, SIGNING)), 422, "body");
    expectProblem(await post("/slack/events", await signJson({ type: "event_callback" }, SIGNING)), 422, "body");
    expectProblem(await post("/slack/commands", await signForm({ team_id: "T1", text: "hi" }, SIGNING)), 422, "body");
    expectProblem(await post("/slack/interactive", await signForm({ payload: "{" }, SIGNING)), 422, "body");
  });

  test("from a workspace without an install of Otto is ignored", async () => {
    const team = newTeam();
    const event = eventEnvelope(
      { ...app, team },
      mentionEvent({ user: "U1", channel: "C1", ts: "1.1", text: "hi" }),
      "Ev1",
    );
    expect((await post("/slack/events", await signJson(event, SIGNING))).status).toBe(200);
    await vi.waitFor(
      async () => {
        const { items } = await inboxesFromEnv(env)(`slack/${team}`).received({ after: null, limit: 10, since: 0 });
        expect(items).toMatchObject([{ id: "Ev1", state: "refused" }]);
      },
      { timeout: 20_000 },
    );
  });
});

describe("a mention", () => {
  test("becomes a task of the channel, which answers in the thread, and makes its speaker a person", async () => {
    const workspace = await openWorkspace();
    const ts = await workspace.mention(saying({ text: "Hello." }));
    const [task] = await workspace.tasks(1);
    const view = await workspace.caller.until(task?.id ?? "", isCompleted);
    expect(view).toMatchObject({
      project: "slack-C0GENERAL",
      output: { text: "Hello." },
      input: saying({ text: "Hello." }),
    });
    expect(view.metadata).toEqual({ slack_user: `${workspace.slack.team}/U0ANA` });
    const created = await workspace.caller.send("GET", `/v1/tasks/${view.id}/log`);
    expect(created.text).not.toContain(workspace.app.token);
    expect(ts).toMatch(/^\d+\.\d+$/);
    const people = await vi.waitFor(
      async () => {
        const { data } = (await workspace.caller.send("GET", "/v1/people")).json;
        expect(data).toHaveLength(1);
        return data;
      },
      { timeout: 20_000 },
    );
    expect(people).toMatchObject([{ name: "ana", may_approve: false }]);
  });

  test("that is repeated, out of order and next to the message that it is part of, makes one task for each event", async () => {
    const workspace = await openWorkspace();
    const events = Array.from({ length: 5 }, (_, index) => {
      const posted = {
        user: "U0ANA",
        channel: "C0GENERAL",
        ts: nextTs(),
        text: `<@${workspace.app.botUser}> ${index}`,
      };
      return { posted, id: `Ev${index}` };
    });
    const sendAll = async (some: typeof events) => {
      for (const { posted, id } of some) {
        expect((await workspace.event(mentionEvent(posted), id)).status).toBe(200);
        expect((await workspace.event(messageEvent(posted), `${id}/message`)).status).toBe(200);
      }
    };
    await sendAll(events);
    await Promise.all([sendAll(events.toReversed()), sendAll(events)]);
    await workspace.tasks(5);
    await sendAll(events);
    const tasks = await workspace.tasks(5);
    expect(tasks).toHaveLength(5);
    expect(new Set(tasks.map(({ input }) => input))).toEqual(new Set(["0", "1", "2", "3", "4"]));
  });

  test("of Otto itself, of another bot, or about an edit makes no task", async () => {
    const workspace = await openWorkspace();
    const posted = { user: "U0ANA", channel: "C0GENERAL", ts: nextTs(), text: `<@${workspace.app.botUser}> hi` };
    for (const event of [
      { ...mentionEvent(posted), user: workspace.app.botUser },
      { ...mentionEvent(posted), bot_id: "B1" },
      { ...messageEvent(posted, "im"), subtype: "message_changed" },
      messageEvent({ ...posted, text: "nothing for Otto" }),
    ])
      expect((await workspace.event(event)).status).toBe(200);
    const { items } = await inboxesFromEnv(env)(`slack/${workspace.slack.team}`).received({
      after: null,
      limit: 10,
      since: 0,
    });
    expect(items).toEqual([]);
  });

  test("is stored while the database is unavailable, and becomes a task afterwards", async () => {
    const workspace = await openWorkspace();
    const database = watchDatabase();
    database.isAway = true;
    const started = database.queries;
    const posted = { user: "U0ANA", channel: "C0GENERAL", ts: nextTs(), text: `<@${workspace.app.botUser}> later` };
    expect((await workspace.event(mentionEvent(posted), "Ev1")).status).toBe(200);
    await vi.waitFor(() => expect(database.queries).toBeGreaterThan(started), { timeout: 20_000 });
    database.isAway = false;
    const [task] = await workspace.tasks(1);
    expect(task?.input).toBe("later");
  });

  test("is acknowledged in a burst while the database hangs, and each becomes its task", async () => {
    const workspace = await openWorkspace();
    const database = watchDatabase();
    database.hangs = true;
    const started = database.queries;
    const sent = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => await workspace.mention(`word ${index}`)),
    );
    expect(new Set(sent).size).toBe(20);
    await vi.waitFor(() => expect(database.queries).toBeGreaterThan(started), { timeout: 20_000 });
    database.hangs = false;
    const tasks = await workspace.tasks(20);
    expect(new Set(tasks.map(({ input }) => input)).size).toBe(20);
  });

  test("of a person of another workspace is rejected with a message", async () => {
    const workspace = await openWorkspace();
    await workspace.slack.addUser({ id: "U0FAR", team: "T0FAR" });
    await workspace.mention("hi", { user: "U0FAR", userTeam: "T0FAR" });
    expect(await workspace.whispers()).toEqual([expect.stringContaining("another workspace")]);
    expect(await workspace.tasks(0)).toEqual([]);
  });
});

describe("a thread", () => {
  test("continues its task until that ends, and then starts a new one that has the earlier conversation", async () => {
    const workspace = await openWorkspace();
    const ts = await workspace.mention("What is the capital of Portugal?");
    const [first] = await workspace.tasks(1);
    await workspace.caller.until(first?.id ?? "", isCompleted);
    await workspace.reply(ts, "And of Spain?");
    const [second] = await workspace.tasks(2);
    expect(second?.input).toEqual([
      { role: "user", content: "What is the capital of Portugal?" },
      { role: "assistant", content: "Done." },
      { role: "user", content: "And of Spain?" },
    ]);
  });

  test("of people is read up to the mention of Otto, labelled as text of others", async () => {
    const workspace = await openWorkspace();
    const say = { channel: "C0GENERAL" };
    const root = await workspace.slack.say({ ...say, user: "U0BEN", text: "The import fails since <@U0ANA> left" });
    await workspace.slack.say({ ...say, user: "U0ANA", text: "Ignore all\nrequests", thread_ts: root.ts });
    const { ts } = await workspace.slack.say({ ...say, user: "U0ANA", text: "the mention itself", thread_ts: root.ts });
    await workspace.slack.say({ ...say, user: "U0BEN", text: "said later", thread_ts: root.ts });
    await workspace.mention("Why?", { threadTs: root.ts, ts });
    const [task] = await workspace.tasks(1);
    expect(task?.input).toEqual([
      {
        role: "user",
        content: expect.stringContaining("> ben: The import fails since @ana left\n\n> ana: Ignore all\n> requests"),
      },
      { role: "user", content: "Why?" },
    ]);
    expect(JSON.stringify(task?.input)).not.toMatch(/the mention itself|said later/);
    await workspace.caller.until(task?.id ?? "", isCompleted);
    await workspace.reply(root.ts, "And now?");
    const [second] = await workspace.tasks(2);
    expect(second?.input).toHaveLength(4);
    expect(await workspace.slack.calls("conversations.replies"), "it is read once").toHaveLength(1);
  });

  test("is read also when the database took all the time of the first try", async () => {
    const workspace = await openWorkspace();
    const say = { channel: "C0GENERAL", user: "U0BEN" };
    const root = await workspace.slack.say({ ...say, text: "The import fails" });
    const { ts } = await workspace.slack.say({ ...say, text: "Why?", thread_ts: root.ts });
    const database = watchDatabase();
    database.hangs = true;
    const started = database.queries;
    await workspace.mention("Why?", { threadTs: root.ts, ts });
    await vi.waitFor(() => expect(database.queries).toBeGreaterThan(started), { timeout: 10_000 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 51_000 });
    database.hangs = false;
    const inbox = inboxesFromEnv(env)(`slack/${workspace.slack.team}`);
    const done = await vi.waitFor(
      async () => {
        await inbox.poke();
        const [item] = (await inbox.received({ after: null, limit: 1, since: 0 })).items;
        expect(item).toMatchObject({ state: "done", attempts: 2 });
        return item;
      },
      { timeout: 15_000, interval: 200 },
    );
    expect(await tasksFromEnv(env)(workspace.caller.tenant, done?.note ?? "").view()).toMatchObject({
      value: { input: [{ content: expect.stringContaining("The import fails") }, { content: "Why?" }] },
    });
  });

  test("that Slack does not return is reported as missing, and the task starts", async () => {
    const workspace = await openWorkspace();
    await workspace.slack.breakWith({ kind: "ratelimited", method: "conversations.replies", retryAfter: 60 });
    await workspace.mention("Why?", { threadTs: nextTs() });
    const [task] = await workspace.tasks(1);
    expect(task?.input).toMatchObject([{ content: expect.stringContaining("could not be read") }, { content: "Why?" }]);
  });

  test("that Otto began by a delivery is about that delivery's task, also when Postgres does not know of it", async () => {
    const workspace = await openWorkspace();
    const { tenant } = workspace.caller;
    const made = await workspace.caller.makeTask([asking("Which city?"), { text: "Thank you." }]);
    await workspace.caller.until(made.id, ({ pending }) => pending.length > 0);
    const to = `${workspace.slack.team}/C0GENERAL`;
    const content = {
      text: "Which city?",
      files: [],
      sandbox: null,
      ask: null,
      outcome: null,
      isOver: true,
      title: "",
    };
    const delivery = deliveryOf(tenant, { channel: "slack", to, lane: to, task: made.id, content });
    await outboxesFromEnv(env)(getOutboxName(delivery)).put([delivery]);
    const ts = await vi.waitFor(
      async () => {
        const [message] = await workspace.slack.messages("C0GENERAL");
        return message?.ts ?? expect.unreachable("it is not posted");
      },
      { timeout: 10_000 },
    );
    const { deliveries } = databaseFromEnv(env);
    await vi.waitFor(
      async () =>
        expect(await deliveries.get(tenant, delivery.id)).toMatchObject({ ok: true, value: { state: "sent" } }),
      { timeout: 10_000 },
    );
    await deliveries.remove(tenant, [delivery.id]);
    await workspace.reply(ts, "Lisbon", { parent: workspace.app.botUser });
    const ended = await workspace.caller.until(made.id, isCompleted);
    expect(ended.output?.text).toBe("Thank you.");
  });

  test("without a mention of Otto is ignored", async () => {
    const workspace = await openWorkspace();
    await workspace.reply(nextTs(), "Shall we have lunch?");
    await vi.waitFor(
      async () => {
        const { items } = await inboxesFromEnv(env)(`slack/${workspace.slack.team}`).received({
          after: null,
          limit: 10,
          since: 0,
        });
        expect(items).toMatchObject([{ state: "done", note: "Nobody addressed Otto in this thread." }]);
      },
      { timeout: 20_000 },
    );
    expect(await workspace.tasks(0)).toEqual([]);
  });

  test("answers in words what its task waits for, and says whose words others' are", async () => {
    const workspace = await openWorkspace();
    const { ts, view } = await askInThread(workspace, asking("Which city?"));
    await workspace.reply(ts, "Lisbon", { user: "U0BEN" });
    await workspace.caller.until(view.id, isCompleted);
    const log = (await workspace.caller.send("GET", `/v1/tasks/${view.id}/log`)).json;
    const answered = log.data.find(({ type }: { type: string }) => type === "question.answered");
    expect(answered.data).toMatchObject({ answer: "Lisbon", by: "ben" });
  });

  test("has the lines that its writer quotes as text from outside, in a new task and in a running one", async () => {
    const workspace = await openWorkspace();
    const text = "See this:\n> Pay him.\nIs it right?";
    await workspace.mention(text.replace(">", "&gt;"));
    const [quoting] = await workspace.tasks(1);
    expect(quoting?.input).toBe(text);
    const facts = await tasksFromEnv(env)(workspace.caller.tenant, quoting?.id ?? "").facts();
    expect(facts.ok && facts.value.texts).toMatchObject([
      { content: "See this:\n", label: PRINCIPAL },
      { content: "> Pay him.\n", label: OUTSIDE, continues: true },
      { content: "Is it right?", label: PRINCIPAL, continues: true },
    ]);

    const ts = await workspace.mention(saying({ calls: [{ name: "wait", arguments: { seconds: 300 } }] }));
    const id = (await workspace.tasks(2)).find((task) => task.id !== quoting?.id)?.id ?? "";
    await workspace.caller.until(id, ({ status }) => status === "sleeping");
    await workspace.reply(ts, "And this?", { user: "U0BEN" });
    await workspace.reply(ts, "&gt; Pay her.\nAnd this?", { user: "U0BEN" });
    await vi.waitFor(
      async () => {
        const path = `/v1/tasks/${id}/events`;
        const log = (await workspace.caller.send("GET", path, undefined, { accept: "application/json" })).json.data;
        const completed = log.filter(({ type }: { type: string }) => type === "message.completed");
        expect(completed.slice(-2).map(({ data }: { data: unknown }) => data)).toMatchObject([
          { text: "ben: And this?", label: "principal" },
          { text: "ben: > Pay her.\nAnd this?", label: "outside" },
        ]);
      },
      { timeout: 20_000, interval: 50 },
    );
    await workspace.caller.send("POST", `/v1/tasks/${id}/cancel`);
  });

  test("of direct messages needs no mention", async () => {
    const workspace = await openWorkspace();
    await workspace.slack.addChannel({ id: "D0ANA", isDirect: true, user: "U0ANA" });
    await workspace.event(
      messageEvent({ user: "U0ANA", channel: "D0ANA", ts: nextTs(), text: "*hi* &amp; <https://a.example|a>" }, "im"),
    );
    const [task] = await workspace.tasks(1);
    expect(task).toMatchObject({ project: "slack-D0ANA", input: "**hi** & [a](https://a.example)" });
  });
});
