/** Plain direct messages while questions are open: which of them a message answers, and that it does so once. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, test, vi } from "vitest";
import { channelsFromEnv, outboxesFromEnv } from "../../../../adapters/env/channels.ts";
import { getOutboxName } from "../../../../core/channels/outbox/delivery.ts";
import type { MessageBody } from "../../../../core/channels/slack/items.ts";
import type { TaskView } from "../../../../core/task/view.ts";
import { messageEvent } from "../../../mock-servers/slack-requests.ts";
import { isCompleted, nextTs, openWorkspace, saying, type Workspace } from "./server.ts";
import { waitIdOf } from "../../tasks/client.ts";

const ANA = "U0ANA";
const DIRECT = "D0ANA";

beforeEach(() => reset());

/** A workspace whose member Ana is a person of the tenant. */
async function openWithAna(): Promise<Workspace> {
  const workspace = await openWorkspace();
  const addresses = [{ kind: "slack", team: workspace.slack.team, user: ANA }];
  const made = await workspace.caller.send("POST", "/v1/people", { name: "Ana", addresses });
  expect(made.status, made.text).toBe(201);
  return workspace;
}

async function listPosted({ caller, slack }: Workspace) {
  const outbox = getOutboxName({ tenant: caller.tenant, channel: "slack", to: slack.team });
  return await outboxesFromEnv(env)(outbox).questionsIn(DIRECT, 0, 10);
}

/** A task over the API that has asked Ana, in her direct messages. */
async function askAna(workspace: Workspace, query: string, choices?: readonly string[]): Promise<TaskView> {
  const given = { query, human_name: "Ana", ...(choices && { choices }) };
  const calls = [{ name: "ask_human", arguments: given }];
  const made = await workspace.caller.makeTask([{ calls }, { text: "Thank you." }]);
  const view = await workspace.caller.until(made.id, ({ pending }) => pending.length > 0);
  await vi.waitFor(async () => expect((await listPosted(workspace)).map(({ id }) => id)).toContain(waitIdOf(view)), {
    timeout: 20_000,
    interval: 50,
  });
  return view;
}

/** Somebody writes to Otto directly. */
async function write({ slack, event }: Workspace, text: string, from = { user: ANA, channel: DIRECT }, id?: string) {
  const { ts } = await slack.say({ ...from, text });
  const answer = await event(messageEvent({ ...from, ts, text }, "im"), id);
  expect(answer.status).toBe(200);
  return ts;
}

async function findAnswer({ caller }: Workspace, { id }: TaskView) {
  const { data } = (await caller.send("GET", `/v1/tasks/${id}/log`)).json;
  return data.find(({ type }: { type: string }) => type === "question.answered")?.data;
}

describe("a plain direct message", () => {
  test("answers the one question that is open there, which says so, and starts no task", async () => {
    const workspace = await openWithAna();
    const view = await askAna(workspace, "Which city?", ["Lisbon", "Porto"]);
    const [card] = await workspace.slack.messages(DIRECT);
    expect(JSON.stringify(card?.blocks)).toContain("write a message here");
    await write(workspace, "porto", undefined, "Ev1");
    await workspace.caller.until(view.id, isCompleted);
    expect(await findAnswer(workspace, view)).toMatchObject({ answer: "Porto", by: "Ana" });
    await workspace.event(messageEvent({ user: ANA, channel: DIRECT, ts: nextTs(), text: "porto" }, "im"), "Ev1");
    expect(await workspace.tasks(1)).toHaveLength(1);
  });

  test("answers none of two questions; the chosen button answers with the message, once", async () => {
    const workspace = await openWithAna();
    const city = await askAna(workspace, "Which city?");
    const day = await askAna(workspace, "Which day?");
    await write(workspace, "Friday");
    expect(await workspace.whispers()).toEqual([expect.stringContaining("Which one does it answer?")]);
    expect(await workspace.tasks(2)).toHaveLength(2);
    const [asked] = await workspace.slack.calls("chat.postEphemeral");
    const buttons = JSON.parse(JSON.stringify(asked?.given["blocks"])).flatMap(
      ({ elements = [] }: { elements?: unknown[] }) => elements,
    );
    expect(buttons).toHaveLength(2);
    const button = buttons.find(({ value }: { value: string }) => value.includes(waitIdOf(day)));
    await workspace.click({ actionId: button.action_id, value: button.value, channel: DIRECT });
    await workspace.caller.until(day.id, isCompleted);
    expect(await findAnswer(workspace, day)).toMatchObject({ answer: "Friday", by: "Ana" });
    expect((await workspace.caller.send("GET", `/v1/tasks/${city.id}`)).json.status).toBe("waiting_input");
    await workspace.click({ actionId: button.action_id, value: button.value, channel: DIRECT });
    expect((await workspace.whispers(3)).at(-1)).toBe("This was answered already by Ana.");
    await vi.waitFor(
      async () => {
        const outbox = getOutboxName({ tenant: workspace.caller.tenant, channel: "slack", to: workspace.slack.team });
        expect(await outboxesFromEnv(env)(outbox).questionsIn(DIRECT, Date.now(), 10)).toHaveLength(1);
      },
      { timeout: 20_000 },
    );
    await write(workspace, "Lisbon");
    await workspace.caller.until(city.id, isCompleted);
  });

  test("brings its file to the sandbox of a task whose subtask asks", async () => {
    const workspace = await openWithAna();
    const asked = { calls: [{ name: "ask_human", arguments: { query: "Which list?", human_name: "Ana" } }] };
    const task = JSON.stringify({ replies: [asked, { text: "Read." }] });
    const calls = [{ name: "dispatch_subagent", arguments: { task_description: task, context: "" } }];
    const made = await workspace.caller.makeTask([{ calls }, { text: "Done." }]);
    await vi.waitFor(async () => expect(await listPosted(workspace)).toHaveLength(1), {
      timeout: 20_000,
      interval: 50,
    });
    const { ts } = await workspace.slack.say({ user: ANA, channel: DIRECT, text: "This one" });
    const files = [await workspace.slack.putFile("list.csv", "a,b")];
    await workspace.event(messageEvent({ user: ANA, channel: DIRECT, ts, text: "This one", files }, "im"));
    await workspace.caller.until(made.id, isCompleted);
    const listed = await workspace.caller.send("GET", `/v1/tasks/${made.id}/files`);
    expect(listed.text).toContain(`slack/${ts}/list.csv`);
  });

  test("of another person, and one that mentions Otto, are requests of their own", async () => {
    const workspace = await openWithAna();
    const view = await askAna(workspace, "Which city?");
    await workspace.slack.addChannel({ id: "D0BEN", isDirect: true, user: "U0BEN" });
    await write(workspace, "Lisbon", { user: "U0BEN", channel: "D0BEN" });
    await workspace.tasks(2);
    await write(workspace, `<@${workspace.app.botUser}> What is the time?`);
    const tasks = await workspace.tasks(3);
    expect(tasks.map(({ input }) => input)).toEqual(expect.arrayContaining(["Lisbon", "What is the time?"]));
    expect((await workspace.caller.send("GET", `/v1/tasks/${view.id}`)).json.status).toBe("waiting_input");
  });

  test("decides no approval", async () => {
    const workspace = await openWithAna();
    await workspace.slack.addChannel({ id: DIRECT, isDirect: true, user: ANA });
    const url = `${inject("servers").recorderUrl}/gone`;
    const call = { calls: [{ name: "http_request", arguments: { url, method: "POST", body: "x" } }] };
    await write(workspace, saying(call, { text: "Gone." }));
    const [task] = await workspace.tasks(1);
    const view = await workspace.caller.until(task?.id ?? "", ({ pending }) => pending.length > 0);
    await vi.waitFor(
      async () => expect(JSON.stringify(await workspace.slack.messages(DIRECT))).toContain("otto:approve"),
      { timeout: 20_000 },
    );
    await write(workspace, "Approve");
    await workspace.tasks(2);
    expect((await workspace.caller.send("GET", `/v1/tasks/${view.id}`)).json.status).toBe("waiting_approval");
  });

  test("that is handled again answers nothing else, and one that came too late says who was first", async () => {
    const workspace = await openWithAna();
    const view = await askAna(workspace, "Which city?");
    const { ts } = await workspace.slack.say({ user: ANA, channel: DIRECT, text: "Lisbon" });
    const body = { user: ANA, userTeam: null, channel: DIRECT, ts, thread: null, parent: null, text: "Lisbon" };
    const message: MessageBody = { ...body, isAddressed: true, isDirect: true, files: [], moreFiles: 0 };
    const receivedAt = Date.now();
    const receive = async (id: string) =>
      await channelsFromEnv(env).receive(
        `slack/${workspace.slack.team}`,
        { id, lane: `${DIRECT}/${ts}`, kind: "spoken", body: { ...message }, receivedAt },
        null,
      );
    const first = await receive("Ev1");
    expect(first).toMatchObject({ kind: "done", note: `answers ${waitIdOf(view)}` });
    await workspace.caller.until(view.id, isCompleted);
    expect(await receive("Ev1")).toEqual(first);
    expect(await receive("Ev2")).toMatchObject({ kind: "refused", why: "This was answered already by Ana." });
    expect(await workspace.tasks(1)).toHaveLength(1);
  });

  test("that was written before the question is a request of its own", async () => {
    const workspace = await openWithAna();
    await workspace.slack.addChannel({ id: DIRECT, isDirect: true, user: ANA });
    const { ts } = await workspace.slack.say({ user: ANA, channel: DIRECT, text: "Good morning" });
    const view = await askAna(workspace, "Which city?");
    await workspace.event(messageEvent({ user: ANA, channel: DIRECT, ts, text: "Good morning" }, "im"));
    await workspace.tasks(2);
    expect((await workspace.caller.send("GET", `/v1/tasks/${view.id}`)).json.status).toBe("waiting_input");
  });
});

describe("a reply in a thread", () => {
  test("answers none of two questions of its task", async () => {
    const workspace = await openWorkspace();
    const asking = ["Which city?", "Which day?"].map((query) => ({ name: "ask_human", arguments: { query } }));
    const ts = await workspace.mention(saying({ calls: asking }, { text: "Thank you." }));
    const [task] = await workspace.tasks(1);
    await workspace.caller.until(task?.id ?? "", ({ pending }) => pending.length === 2);
    await workspace.reply(ts, "Friday");
    expect(await workspace.whispers()).toEqual([expect.stringContaining("Which one does it answer?")]);
    const { pending } = (await workspace.caller.send("GET", `/v1/tasks/${task?.id}`)).json;
    expect(pending).toHaveLength(2);
  });
});
