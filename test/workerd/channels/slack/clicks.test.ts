/** What people click and command in Slack, and how they are told that something does not count. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, test, vi } from "vitest";
import { inboxesFromEnv } from "../../../../adapters/env/channels.ts";
import { toActionId, toActionValue } from "../../../../core/channels/slack/actions.ts";
import { clickPayload, commandFields, signForm, signPayload } from "../../../mock-servers/slack-requests.ts";
import { asking, isCompleted, openWorkspace, post, saying, SIGNING, askInThread } from "./server.ts";
import { waitIdOf } from "../../tasks/client.ts";

beforeEach(() => reset());

describe("a click", () => {
  const choice = (task: string, ask: string, index: number) => ({
    actionId: toActionId({ verb: "choose", choice: index }),
    value: toActionValue({ task, ask, choice: index }),
  });

  test("on a choice resumes the task; a second one names who was first", async () => {
    const workspace = await openWorkspace();
    const { view, ask } = await askInThread(workspace, asking("Which city?", ["Lisbon", "Porto"]));
    expect((await workspace.click(choice(view.id, ask, 1))).text).toBe("");
    await workspace.caller.until(view.id, isCompleted);
    await workspace.click({ ...choice(view.id, ask, 0), user: "U0BEN" });
    expect(await workspace.whispers()).toEqual(["This was answered already by ana."]);
  });

  test("that Slack repeats counts once without a notice; the same person's second click names who was first", async () => {
    const workspace = await openWorkspace();
    const { view, ask } = await askInThread(workspace, asking("Which city?", ["Lisbon", "Porto"]));
    const payload = clickPayload(workspace.app, {
      ...choice(view.id, ask, 0),
      user: "U0ANA",
      channel: "C0GENERAL",
      messageTs: "1.000001",
      responseUrl: await workspace.slack.responseUrl(),
    });
    for (let tries = 0; tries < 3; tries += 1)
      expect((await post("/slack/interactive", await signPayload(payload, SIGNING))).status).toBe(200);
    await workspace.caller.until(view.id, isCompleted);
    await workspace.click(choice(view.id, ask, 0));
    expect(await workspace.whispers()).toEqual(["This was answered already by ana."]);
    const { items } = await inboxesFromEnv(env)(`slack/${workspace.slack.team}`).received({
      after: null,
      limit: 10,
      since: 0,
    });
    expect(items.filter(({ kind }) => kind === "click")).toHaveLength(2);
  });

  test("that is worked long after it was made is answered in another way", async () => {
    const workspace = await openWorkspace();
    const { view, ask } = await askInThread(workspace, asking("Which city?", ["Lisbon", "Porto"]));
    await workspace.click(choice(view.id, ask, 1));
    await workspace.caller.until(view.id, isCompleted);
    await workspace.slack.breakWith({ kind: "status", method: "response_url", status: 404 });
    await workspace.click({ ...choice(view.id, ask, 0), user: "U0BEN" });
    expect(await workspace.whispers()).toEqual(["This was answered already by ana."]);
    expect(await workspace.slack.calls("chat.postEphemeral")).toHaveLength(1);
  });

  test("of another workspace decides nothing, whether it shares the channel or has Otto of another tenant", async () => {
    const [workspace, other] = [await openWorkspace(), await openWorkspace()];
    const { view, ask } = await askInThread(workspace, asking("Which city?", ["Lisbon", "Porto"]));
    await workspace.click({ ...choice(view.id, ask, 0), user: "U0FAR", userTeam: "T0FAR" });
    expect(await workspace.whispers()).toEqual([expect.stringContaining("another workspace")]);
    await other.click(choice(view.id, ask, 0));
    expect(await other.whispers()).toEqual([expect.stringMatching(/no task with this id|no question/)]);
    const now = await workspace.caller.send("GET", `/v1/tasks/${view.id}`);
    expect(now.json.status).toBe("waiting_input");
  });

  test("of a person whose address another workspace states has none of that person's rights", async () => {
    const workspace = await openWorkspace();
    const boss = { name: "Boss", addresses: [{ kind: "email", address: "boss@acme.example" }], may_approve: true };
    expect((await workspace.caller.send("POST", "/v1/people", boss)).status).toBe(201);
    const { view, ask } = await askInThread(workspace, asking("Which city?"));
    // Slack does not always say whose member somebody is.
    const value = toActionValue({ task: view.id, ask, choice: null });
    await workspace.click({ actionId: "otto:approve", value, user: "U0FAR" });
    expect(await workspace.whispers()).toEqual([expect.stringContaining("is a question")]);
    const { data } = (await workspace.caller.send("GET", "/v1/people")).json;
    const far = data.find(({ name }: { name: string }) => name.startsWith("far"));
    expect(far).toMatchObject({ may_approve: false, addresses: [{ kind: "slack", user: "U0FAR" }] });
  });

  test("to answer in words opens a window, whose text resumes the task", async () => {
    const workspace = await openWorkspace();
    const { view, ask } = await askInThread(workspace, asking("Which city?"));
    await workspace.click({ actionId: "otto:answer", value: toActionValue({ task: view.id, ask, choice: null }) });
    const [window] = await vi.waitFor(
      async () => {
        const { views } = await workspace.slack.facts();
        expect(views).toHaveLength(1);
        return views;
      },
      { timeout: 20_000 },
    );
    expect(JSON.stringify(window)).toContain("Which city?");
    const answer = await workspace.submit({
      callbackId: String(window?.["callback_id"]),
      privateMetadata: String(window?.["private_metadata"]),
      values: { otto: { text: "Braga" } },
    });
    expect(answer.json).toEqual({ response_action: "clear" });
    await workspace.caller.until(view.id, isCompleted);
    await workspace.click({
      user: "U0BEN",
      actionId: "otto:answer",
      value: toActionValue({ task: view.id, ask, choice: null }),
    });
    expect(await workspace.whispers()).toEqual(["This was answered already by ana."]);
    expect((await workspace.slack.facts()).views, "no window is opened for an ended question").toHaveLength(1);
  });

  test("to approve counts from who may approve only; a window with other arguments has to hold JSON", async () => {
    const workspace = await openWorkspace();
    const url = `${inject("servers").recorderUrl}/gone`;
    const call = { calls: [{ name: "http_request", arguments: { url, method: "POST", body: "x" } }] };
    await workspace.mention(saying(call, { text: "Gone." }));
    const [task] = await workspace.tasks(1);
    const view = await workspace.caller.until(task?.id ?? "", ({ pending }) => pending.length > 0);
    const ask = waitIdOf(view);
    const value = toActionValue({ task: view.id, ask, choice: null });
    await workspace.click({ actionId: "otto:approve", value });
    expect(await workspace.whispers()).toEqual([expect.stringContaining("cannot approve")]);
    const { data } = (await workspace.caller.send("GET", "/v1/people")).json;
    const { id, version, created_at: _, updated_at: __, ...fields } = data[0];
    const allowed = await workspace.caller.send(
      "PUT",
      `/v1/people/${id}`,
      { ...fields, may_approve: true },
      { "if-match": `"${version}"` },
    );
    expect(allowed.status, allowed.text).toBe(200);
    const metadata = JSON.stringify({ task: view.id, ask, channel: "C0GENERAL", ts: "1.000001" });
    const edit = { callbackId: "otto:edit", privateMetadata: metadata };
    const wrong = await workspace.submit({ ...edit, values: { otto: { text: "not json" } } });
    expect(wrong.json).toMatchObject({ response_action: "errors" });
    await workspace.click({ actionId: "otto:approve", value });
    const over = await workspace.caller.until(view.id, isCompleted);
    expect(over.output?.text).toBe("Gone.");
  });

  test("on stop counts from the task's author and from approvers only", async () => {
    const workspace = await openWorkspace();
    const { view } = await askInThread(workspace, asking("Which city?"));
    const stop = { actionId: "otto:stop", value: toActionValue({ task: view.id, ask: null, choice: null }) };
    await workspace.click({ ...stop, user: "U0BEN" });
    expect(await workspace.whispers(1)).toEqual([expect.stringContaining("Only the person who started this task")]);
    await workspace.click(stop);
    await workspace.caller.until(view.id, ({ status }) => status === "cancelled");
  });
});

describe("the command", () => {
  test("answers help at once, and makes a task whose thread Otto starts and others continue", async () => {
    const workspace = await openWorkspace();
    expect((await workspace.command("help")).json.text).toContain("/otto status");
    const answer = await workspace.command("What is the capital of Portugal?");
    expect(answer.json).toEqual({ response_type: "ephemeral", text: "On it." });
    const [task] = await workspace.tasks(1);
    expect(task?.input).toBe("What is the capital of Portugal?");
    const [root] = await workspace.slack.messages("C0GENERAL");
    expect(root?.text).toContain("<@U0ANA> asks: What is the capital");
    await workspace.caller.until(task?.id ?? "", isCompleted);
    await workspace.reply(root?.ts ?? "", "And of Spain?");
    expect((await workspace.tasks(2))[0]?.input).toHaveLength(3);
  });

  test("lists running tasks, and stops one for its author", async () => {
    const workspace = await openWorkspace();
    const { view } = await askInThread(workspace, asking("Which city?"));
    await workspace.command("status");
    expect(await workspace.whispers(1)).toEqual([expect.stringContaining(view.id)]);
    await workspace.command("stop", "U0BEN");
    expect((await workspace.whispers(2)).at(-1)).toBe("You have no running task here.");
    await workspace.command("stop");
    await workspace.caller.until(view.id, ({ status }) => status === "cancelled");
  });

  test("of two people in the same words is two tasks, and one that is sent again is one", async () => {
    const workspace = await openWorkspace();
    const use = async (user: string) => {
      const fields = commandFields(workspace.app, { user, channel: "C0GENERAL", text: "hi", responseUrl: "" });
      return { ...fields, trigger_id: "", response_url: await workspace.slack.responseUrl() };
    };
    for (const fields of [await use("U0ANA"), await use("U0BEN")])
      for (let tries = 0; tries < 2; tries += 1)
        expect((await post("/slack/commands", await signForm(fields, SIGNING))).status).toBe(200);
    const tasks = await workspace.tasks(2);
    const { team } = workspace.slack;
    expect(tasks).toHaveLength(2);
    expect(new Set(tasks.map(({ metadata }) => metadata["slack_user"]))).toEqual(
      new Set([`${team}/U0ANA`, `${team}/U0BEN`]),
    );
  });

  test("to be reminded makes a schedule in the zone of who asks, or says what can be written", async () => {
    const workspace = await openWorkspace();
    await workspace.command("remind me every weekday at 9:00 to look &amp; see");
    expect(await workspace.whispers(1)).toEqual([
      expect.stringMatching(/^I will, first on \w+day \d+ \w+ \d{4}, 09:00 \(Europe\/Lisbon\)\.$/),
    ]);
    const { data } = (await workspace.caller.send("GET", "/v1/schedules")).json;
    expect(data).toMatchObject([{ time_zone: "Europe/Lisbon", reminder: { text: "look & see" } }]);
    await workspace.command("remind me whenever you like");
    expect((await workspace.whispers(2)).at(-1)).toContain("in 20 minutes");
  });

  test("in a private channel that Otto is not in says how to invite it", async () => {
    const workspace = await openWorkspace();
    await workspace.slack.addChannel({ id: "C0GENERAL", name: "closed", isPrivate: true, isMember: false });
    await workspace.command("hi");
    expect(await workspace.whispers()).toEqual([expect.stringContaining("/invite")]);
    expect(await workspace.tasks(0)).toEqual([]);
  });
});
