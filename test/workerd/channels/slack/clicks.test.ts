/** What people click and command in Slack, and how they are told that something does not count. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, test, vi } from "vitest";
import { inboxesFromEnv } from "../../../../adapters/env/channels.ts";
import { toActionId, toActionValue } from "../../../../core/channels/slack/actions.ts";
import { clickPayload, commandFields, signForm, signPayload } from "../../../mock-servers/slack-requests.ts";
import { asking, isOver, makeDesk, post, saying, SIGNING, waiting } from "./server.ts";
import { waitIdOf } from "../../tasks/client.ts";

beforeEach(() => reset());

describe("a click", () => {
  const choice = (task: string, ask: string, index: number) => ({
    actionId: toActionId({ verb: "choose", choice: index }),
    value: toActionValue({ task, ask, choice: index }),
  });

  test("on a choice resumes the task; the second one hears who was first", async () => {
    const desk = await makeDesk();
    const { view, ask } = await waiting(desk, asking("Which city?", ["Lisbon", "Porto"]));
    expect((await desk.click(choice(view.id, ask, 1))).text).toBe("");
    await desk.caller.until(view.id, isOver);
    await desk.click({ ...choice(view.id, ask, 0), user: "U0BEN" });
    expect(await desk.whispers()).toEqual(["This was answered already by ana."]);
  });

  test("that is sent again counts once and nobody is told; the same person's second click hears who was first", async () => {
    const desk = await makeDesk();
    const { view, ask } = await waiting(desk, asking("Which city?", ["Lisbon", "Porto"]));
    const payload = clickPayload(desk.app, {
      ...choice(view.id, ask, 0),
      user: "U0ANA",
      channel: "C0GENERAL",
      messageTs: "1.000001",
      responseUrl: await desk.slack.responseUrl(),
    });
    for (let tries = 0; tries < 3; tries += 1)
      expect((await post("/slack/interactive", await signPayload(payload, SIGNING))).status).toBe(200);
    await desk.caller.until(view.id, isOver);
    await desk.click(choice(view.id, ask, 0));
    expect(await desk.whispers()).toEqual(["This was answered already by ana."]);
    const { items } = await inboxesFromEnv(env)(`slack/${desk.slack.team}`).received({
      after: null,
      limit: 10,
      since: 0,
    });
    expect(items.filter(({ kind }) => kind === "click")).toHaveLength(2);
  });

  test("that is worked long after it was made is answered in another way", async () => {
    const desk = await makeDesk();
    const { view, ask } = await waiting(desk, asking("Which city?", ["Lisbon", "Porto"]));
    await desk.click(choice(view.id, ask, 1));
    await desk.caller.until(view.id, isOver);
    await desk.slack.breakWith({ kind: "status", method: "response_url", status: 404 });
    await desk.click({ ...choice(view.id, ask, 0), user: "U0BEN" });
    expect(await desk.whispers()).toEqual(["This was answered already by ana."]);
    expect(await desk.slack.calls("chat.postEphemeral")).toHaveLength(1);
  });

  test("of another workspace decides nothing, whether it shares the channel or has Otto of another tenant", async () => {
    const [desk, other] = [await makeDesk(), await makeDesk()];
    const { view, ask } = await waiting(desk, asking("Which city?", ["Lisbon", "Porto"]));
    await desk.click({ ...choice(view.id, ask, 0), user: "U0FAR", userTeam: "T0FAR" });
    expect(await desk.whispers()).toEqual([expect.stringContaining("another workspace")]);
    await other.click(choice(view.id, ask, 0));
    expect(await other.whispers()).toEqual([expect.stringMatching(/no task with this id|no question/)]);
    const now = await desk.caller.send("GET", `/v1/tasks/${view.id}`);
    expect(now.json.status).toBe("waiting_input");
  });

  test("of somebody whose address another workspace vouches for has none of the rights of whose it is", async () => {
    const desk = await makeDesk();
    const boss = { name: "Boss", addresses: [{ kind: "email", address: "boss@acme.example" }], may_approve: true };
    expect((await desk.caller.send("POST", "/v1/people", boss)).status).toBe(201);
    const { view, ask } = await waiting(desk, asking("Which city?"));
    // Slack does not always say whose member somebody is.
    const value = toActionValue({ task: view.id, ask, choice: null });
    await desk.click({ actionId: "otto:approve", value, user: "U0FAR" });
    expect(await desk.whispers()).toEqual([expect.stringContaining("is a question")]);
    const { data } = (await desk.caller.send("GET", "/v1/people")).json;
    const far = data.find(({ name }: { name: string }) => name.startsWith("far"));
    expect(far).toMatchObject({ may_approve: false, addresses: [{ kind: "slack", user: "U0FAR" }] });
  });

  test("to answer in words opens a window, whose text resumes the task", async () => {
    const desk = await makeDesk();
    const { view, ask } = await waiting(desk, asking("Which city?"));
    await desk.click({ actionId: "otto:answer", value: toActionValue({ task: view.id, ask, choice: null }) });
    const [window] = await vi.waitFor(
      async () => {
        const { views } = await desk.slack.facts();
        expect(views).toHaveLength(1);
        return views;
      },
      { timeout: 20_000 },
    );
    expect(JSON.stringify(window)).toContain("Which city?");
    const answer = await desk.submit({
      callbackId: String(window?.["callback_id"]),
      privateMetadata: String(window?.["private_metadata"]),
      values: { otto: { text: "Braga" } },
    });
    expect(answer.json).toEqual({ response_action: "clear" });
    await desk.caller.until(view.id, isOver);
    await desk.click({
      user: "U0BEN",
      actionId: "otto:answer",
      value: toActionValue({ task: view.id, ask, choice: null }),
    });
    expect(await desk.whispers()).toEqual(["This was answered already by ana."]);
    expect((await desk.slack.facts()).views, "no window is opened for what is over").toHaveLength(1);
  });

  test("to approve counts from who may approve only; a window with other arguments has to hold JSON", async () => {
    const desk = await makeDesk();
    const url = `${inject("servers").recorderUrl}/gone`;
    const call = { calls: [{ name: "http_request", arguments: { url, method: "POST", body: "x" } }] };
    await desk.mention(saying(call, { text: "Gone." }));
    const [task] = await desk.tasks(1);
    const view = await desk.caller.until(task?.id ?? "", ({ pending }) => pending.length > 0);
    const ask = waitIdOf(view);
    const value = toActionValue({ task: view.id, ask, choice: null });
    await desk.click({ actionId: "otto:approve", value });
    expect(await desk.whispers()).toEqual([expect.stringContaining("cannot approve")]);
    const { data } = (await desk.caller.send("GET", "/v1/people")).json;
    const { id, version, created_at: _, updated_at: __, ...fields } = data[0];
    const allowed = await desk.caller.send(
      "PUT",
      `/v1/people/${id}`,
      { ...fields, may_approve: true },
      { "if-match": `"${version}"` },
    );
    expect(allowed.status, allowed.text).toBe(200);
    const metadata = JSON.stringify({ task: view.id, ask, channel: "C0GENERAL", ts: "1.000001" });
    const edit = { callbackId: "otto:edit", privateMetadata: metadata };
    const wrong = await desk.submit({ ...edit, values: { otto: { text: "not json" } } });
    expect(wrong.json).toMatchObject({ response_action: "errors" });
    await desk.click({ actionId: "otto:approve", value });
    const over = await desk.caller.until(view.id, isOver);
    expect(over.output?.text).toBe("Gone.");
  });

  test("on stop counts from who began the task, and from nobody else who may not approve", async () => {
    const desk = await makeDesk();
    const { view } = await waiting(desk, asking("Which city?"));
    const stop = { actionId: "otto:stop", value: toActionValue({ task: view.id, ask: null, choice: null }) };
    await desk.click({ ...stop, user: "U0BEN" });
    expect(await desk.whispers(1)).toEqual([expect.stringContaining("Only the person who started this task")]);
    await desk.click(stop);
    await desk.caller.until(view.id, ({ status }) => status === "cancelled");
  });
});

describe("the command", () => {
  test("answers help at once, and makes a task whose thread Otto begins and others go on with", async () => {
    const desk = await makeDesk();
    expect((await desk.command("help")).json.text).toContain("/otto status");
    const answer = await desk.command("What is the capital of Portugal?");
    expect(answer.json).toEqual({ response_type: "ephemeral", text: "On it." });
    const [task] = await desk.tasks(1);
    expect(task?.input).toBe("What is the capital of Portugal?");
    const [root] = await desk.slack.messages("C0GENERAL");
    expect(root?.text).toContain("<@U0ANA> asks: What is the capital");
    await desk.caller.until(task?.id ?? "", isOver);
    await desk.reply(root?.ts ?? "", "And of Spain?");
    expect((await desk.tasks(2))[0]?.input).toHaveLength(3);
  });

  test("shows what is under way, and stops it for who asked for it", async () => {
    const desk = await makeDesk();
    const { view } = await waiting(desk, asking("Which city?"));
    await desk.command("status");
    expect(await desk.whispers(1)).toEqual([expect.stringContaining(view.id)]);
    await desk.command("stop", "U0BEN");
    expect((await desk.whispers(2)).at(-1)).toBe("You have no running task here.");
    await desk.command("stop");
    await desk.caller.until(view.id, ({ status }) => status === "cancelled");
  });

  test("of two people in the same words is two tasks, and one that is sent again is one", async () => {
    const desk = await makeDesk();
    const use = async (user: string) => {
      const fields = commandFields(desk.app, { user, channel: "C0GENERAL", text: "hi", responseUrl: "" });
      return { ...fields, trigger_id: "", response_url: await desk.slack.responseUrl() };
    };
    for (const fields of [await use("U0ANA"), await use("U0BEN")])
      for (let tries = 0; tries < 2; tries += 1)
        expect((await post("/slack/commands", await signForm(fields, SIGNING))).status).toBe(200);
    const tasks = await desk.tasks(2);
    const { team } = desk.slack;
    expect(tasks).toHaveLength(2);
    expect(new Set(tasks.map(({ metadata }) => metadata["slack_user"]))).toEqual(
      new Set([`${team}/U0ANA`, `${team}/U0BEN`]),
    );
  });

  test("to be reminded makes a schedule in the zone of who asks, or says what can be written", async () => {
    const desk = await makeDesk();
    await desk.command("remind me every weekday at 9:00 to look &amp; see");
    expect(await desk.whispers(1)).toEqual([
      expect.stringMatching(/^I will, first on \w+day \d+ \w+ \d{4}, 09:00 \(Europe\/Lisbon\)\.$/),
    ]);
    const { data } = (await desk.caller.send("GET", "/v1/schedules")).json;
    expect(data).toMatchObject([{ time_zone: "Europe/Lisbon", reminder: { text: "look & see" } }]);
    await desk.command("remind me whenever you like");
    expect((await desk.whispers(2)).at(-1)).toContain("in 20 minutes");
  });

  test("in a private channel that Otto is not in says how to invite it", async () => {
    const desk = await makeDesk();
    await desk.slack.addChannel({ id: "C0GENERAL", name: "closed", isPrivate: true, isMember: false });
    await desk.command("hi");
    expect(await desk.whispers()).toEqual([expect.stringContaining("/invite")]);
    expect(await desk.tasks(0)).toEqual([]);
  });
});
