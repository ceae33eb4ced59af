/** What tasks ask people, from the call to the answer: where it goes, who may answer, and whose answer counts. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Notice } from "../../../../core/task/notice.ts";
import { ok } from "../../../../core/base/errors.ts";
import { MAX_SHOWN_ARGUMENTS, TOO_LONG_TO_SHOW } from "../../../../core/people/format-call.ts";
import type { TaskView } from "../../../../core/task/view.ts";
import type { NoticeInput } from "../../../../workers/channels/fan-out/fan-out-step.ts";
import { fanOutAsks } from "../../../../workers/channels/fan-out/asks.ts";
import { asking, ended, readDeliveries, getKinds, newCaller, person, saying, SOON } from "./ask-people.ts";
import type { Caller } from "../../http/entry.ts";
import { arrivedAt, post, somewhere } from "../../outside.ts";
import { installedSlack } from "../slack/installed.ts";
import { config } from "../../tenant/client.ts";
import { answerSendings, sendingsOf } from "../outbox/test-sender.ts";

beforeEach(() => {
  answerSendings(({ delivery: { id } }) => ({ kind: "sent", ref: { id } }));
});

describe("a question to a person", () => {
  test("goes to Slack, then to mail, with reminders; an answer cancels the rest and settles the cards", async () => {
    const caller = await newCaller();
    const ana = await person(caller, "Ana");
    const { id, question } = await asking(caller, { human_name: "ana", choices: ["North", "South"] });
    expect(question).toMatchObject({ person: "Ana", person_id: ana.id });
    const [slack, mail] = [`${caller.tenant}/slack/T1`, `${caller.tenant}/email`];
    await vi.waitFor(async () => expect(await readDeliveries(mail)).toHaveLength(1), SOON);
    await vi.waitFor(
      async () =>
        expect(getKinds(await readDeliveries(slack))).toEqual(["question", "reminder", "reminder", "reminder"]),
      SOON,
    );
    const [card] = await readDeliveries(slack);
    const [fallback] = await readDeliveries(mail);
    expect(card?.delivery).toMatchObject({ to: "T1/UANA", about: question.id, task: id });
    const names = (await readDeliveries(slack)).map(({ delivery }) => delivery.keepAs ?? "");
    expect(new Set(names).size).toBe(4);
    expect(card?.delivery.content).toMatchObject({
      text: "Which region?",
      ask: { kind: "question", id: question.id, person: ana.id, choices: ["North", "South"] },
    });
    expect(fallback?.delivery.to).toBe("ana@acme.example");
    expect((fallback?.delivery.notBefore ?? 0) - (card?.delivery.notBefore ?? 0)).toBe(15 * 60_000);

    const answered = await saying(caller, question.id)(ana, { choice: "North" });
    expect(answered).toMatchObject({ ok: true, value: { id } });
    expect((await caller.until(id, ended)).status).toBe("completed");
    await vi.waitFor(async () => expect(getKinds(await readDeliveries(mail))).toEqual(["question", "settled"]), SOON);
    await vi.waitFor(async () => expect(getKinds(await readDeliveries(slack))).toContain("settled"), SOON);
    const waiting = (await readDeliveries(slack)).filter(
      ({ state, delivery }) => state === "waiting" && delivery.kind === "reminder",
    );
    expect(waiting).toEqual([]);
    await vi.waitFor(async () => expect((await readDeliveries(mail))[0]?.state).toBe("called_off"), SOON);
    const settled = (await readDeliveries(slack)).filter(({ delivery }) => delivery.kind === "settled");
    expect(settled.map(({ delivery }) => delivery)).toMatchObject([
      { to: "T1/UANA", refs: names, content: { outcome: { text: "Answered: North", by: "Ana" } } },
    ]);
    // A sent card is updated by the channel's reference to it; without a card there is nothing to update.
    const findSettled = () => sendingsOf(caller.tenant).filter(({ delivery }) => delivery.kind === "settled");
    await vi.waitFor(() => expect(findSettled()).toHaveLength(2), SOON);
    const refs = Object.fromEntries(findSettled().map(({ delivery, attempt }) => [delivery.channel, attempt.refs]));
    expect(refs).toEqual({ slack: { [names[0] ?? ""]: { id: card?.delivery.id } }, email: {} });
  });

  test.each([
    ["has other addresses by now", { addresses: [{ kind: "slack", team: "T2", user: "UNEW" }] }],
    ["has no address any more", { addresses: [] }],
  ])("settles where it went, also when the person %s", async (_what, now) => {
    const caller = await newCaller();
    const { team } = await installedSlack(caller.tenant);
    const mailed = { kind: "email", address: "ana@acme.example" };
    const ana = await person(caller, "Ana", { addresses: [{ kind: "slack", team, user: "UANA" }, mailed] });
    const { id, question } = await asking(caller, { human_name: "Ana" });
    const [slack, mail] = [`${caller.tenant}/slack/${team}`, `${caller.tenant}/email`];
    await vi.waitFor(async () => expect(getKinds(await readDeliveries(mail))).toEqual(["question"]), SOON);
    await vi.waitFor(async () => expect((await readDeliveries(slack))[0]?.state).toBe("sent"), SOON);
    const put = await caller.send("PUT", `/v1/people/${ana.id}`, { name: "Ana", ...now });
    expect(put.status, put.text).toBe(200);
    expect(await saying(caller, question.id)(ana, { text: "North" })).toMatchObject({ ok: true });
    await caller.until(id, ended);
    await vi.waitFor(async () => {
      const states = (await readDeliveries(slack)).map(({ state, delivery }) => `${delivery.kind} ${state}`);
      const reminders = Array.from({ length: 3 }, () => "reminder called_off");
      expect(states).toEqual(["question sent", ...reminders, "settled sent"]);
    }, SOON);
    await vi.waitFor(async () => expect((await readDeliveries(mail))[0]?.state).toBe("called_off"), SOON);
    const settled = sendingsOf(caller.tenant).find(
      ({ delivery: { kind, channel } }) => kind === "settled" && channel === "slack",
    );
    expect(settled?.delivery.to).toBe(`${team}/UANA`);
    expect(Object.keys(settled?.attempt.refs ?? {})).toHaveLength(1);
    expect(await readDeliveries(`${caller.tenant}/slack/T2`)).toEqual([]);
  });

  test("goes to the next channel at once when the first is dead, and there once", async () => {
    const caller = await newCaller();
    await person(caller, "Ana");
    answerSendings(({ delivery: { id, channel } }) =>
      channel === "slack" ? { kind: "dead", why: "no such channel" } : { kind: "sent", ref: { id } },
    );
    await asking(caller, { human_name: "Ana" });
    const mail = `${caller.tenant}/email`;
    await vi.waitFor(
      async () => expect((await readDeliveries(mail)).map(({ state }) => state)).toEqual(["sent"]),
      SOON,
    );
    const mails = sendingsOf(caller.tenant).filter(({ delivery }) => delivery.channel === "email");
    expect(mails.map(({ delivery }) => delivery.kind)).toEqual(["question"]);
  });

  test("goes to the next channel also where the deadline is too short to wait for the first", async () => {
    const caller = await newCaller();
    await person(caller, "Ana");
    answerSendings(({ delivery: { id, channel } }) =>
      channel === "slack" ? { kind: "dead", why: "no such channel" } : { kind: "sent", ref: { id } },
    );
    await asking(caller, { human_name: "Ana", deadline_seconds: 300 });
    const mail = `${caller.tenant}/email`;
    await vi.waitFor(
      async () => expect((await readDeliveries(mail)).map(({ state }) => state)).toEqual(["sent"]),
      SOON,
    );
  });

  test("that is cancelled with its task settles too", async () => {
    const caller = await newCaller();
    await person(caller, "Ana");
    const { id } = await asking(caller, { human_name: "Ana" });
    const mail = `${caller.tenant}/email`;
    await vi.waitFor(async () => expect(getKinds(await readDeliveries(mail))).toEqual(["question"]), SOON);
    expect((await caller.send("POST", `/v1/tasks/${id}/cancel`)).status).toBe(202);
    await vi.waitFor(async () => expect(getKinds(await readDeliveries(mail))).toEqual(["question", "settled"]), SOON);
    const [question, settled] = await readDeliveries(mail);
    expect(question?.state).toBe("called_off");
    expect(settled?.delivery.content).toMatchObject({ outcome: { text: "The task was cancelled.", by: null } });
  });

  test("that ended before the fan-out is not sent", async () => {
    const caller = await newCaller();
    const ana = await person(caller, "Ana");
    const { id, question } = await asking(caller, { human_name: "Ana" });
    const view: TaskView = (await caller.send("GET", `/v1/tasks/${id}`)).json;
    const facts = { task: id, rootId: id, parentId: null, isHidden: false, project: null, agent: view.agent } as const;
    const notice: Notice = {
      facts: { ...facts, deliver: [], via: { channel: "api", id: null } },
      seq: 7,
      type: "question.asked",
      at: "2026-11-24T09:00:00.000Z",
      data: { question_id: question.id, query: "Which region?", person: "Ana", person_id: ana.id, wait: true },
    };
    const look = { tenant: caller.tenant, notice };
    const open = await fanOutAsks(env, { ...look, view: async () => ok(view) });
    expect(open.ok && open.value.deliveries.length).toBe(5);
    const over = await fanOutAsks(env, { ...look, view: async () => ok({ ...view, pending: [] }) });
    expect(over).toEqual({ ok: true, value: { deliveries: [], cancelled: [] } });
  });

  test("to an unknown name fails with the known names, and is not sent", async () => {
    const caller = await newCaller();
    await person(caller, "Ana");
    const ask = { name: "ask_human", arguments: { query: "Which region?", human_name: "Cem" } };
    const { id } = await caller.makeTask([{ calls: [ask] }, { text: "Done." }]);
    await caller.until(id, ended);
    const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json;
    expect(data[0]).toMatchObject({
      state: "failed",
      result: {
        error: { code: "not_found", field: "human_name", message: 'No person is called "Cem". The people are: Ana.' },
      },
    });
  });

  test("that only notifies goes to one destination, and waits for nothing", async () => {
    const caller = await newCaller();
    await person(caller, "Ana");
    const tell = { name: "ask_human", arguments: { query: "Half done.", human_name: "Ana", wait_for_answer: false } };
    const { id } = await caller.makeTask([{ calls: [tell] }, { text: "Done." }]);
    expect((await caller.until(id, ended)).status).toBe("completed");
    const slack = `${caller.tenant}/slack/T1`;
    await vi.waitFor(async () => expect(getKinds(await readDeliveries(slack))).toEqual(["notification"]), SOON);
    expect((await readDeliveries(slack))[0]?.delivery.content).toMatchObject({ text: "Half done.", ask: null });
    expect(await readDeliveries(`${caller.tenant}/email`)).toEqual([]);
  });
});

describe("the answer race", () => {
  test("is won by one of two channels, and the other names the winner", async () => {
    const caller = await newCaller();
    const [ana, boss] = [await person(caller, "Ana"), await person(caller, "Boss", { may_approve: true })];
    for (let round = 0; round < 5; round += 1) {
      const { id, question } = await asking(caller, { human_name: "Ana" });
      const say = saying(caller, question.id);
      const both = await Promise.all([say(ana, { text: "from Slack" }), say(boss, { text: "from mail" })]);
      expect(both.filter((answer) => answer.ok)).toHaveLength(1);
      const [first, second] = both[0].ok ? ["Ana", "from Slack"] : ["Boss", "from mail"];
      const loser = both.find((answer) => !answer.ok);
      expect(loser).toMatchObject({ ok: false, error: { code: "conflict", details: { by: first } } });
      expect(loser?.ok === false ? loser.error.message : "").toContain(first);
      await caller.until(id, ended);
      const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json;
      expect(data[0].result.result).toEqual({ answer: second, answered_by: first });
    }
  });

  test("with the API is the same race", async () => {
    const caller = await newCaller();
    const ana = await person(caller, "Ana");
    const { id, question } = await asking(caller, { human_name: "Ana" });
    const [byKey, byAna] = await Promise.all([
      caller.send("POST", `/v1/tasks/${id}/questions/${question.id}/answer`, { text: "by key" }),
      saying(caller, question.id)(ana, { text: "by Ana" }),
    ]);
    expect([byKey.status === 200, byAna.ok].toSorted((one, other) => Number(one) - Number(other))).toEqual([
      false,
      true,
    ]);
  });

  test("is repeatable: the same answer twice counts once, with the same reply", async () => {
    const caller = await newCaller();
    const ana = await person(caller, "Ana");
    const { question } = await asking(caller, { human_name: "Ana" });
    const say = saying(caller, question.id);
    const twice = await Promise.all([say(ana, { text: "North" }, "click 1"), say(ana, { text: "North" }, "click 1")]);
    expect(twice.map((answer) => answer.ok)).toEqual([true, true]);
    expect(await say(ana, { text: "South" }, "click 2")).toMatchObject({ ok: false, error: { code: "conflict" } });
  });
});

describe("who may not answer", () => {
  test("is a person other than the addressee, unless they may approve", async () => {
    const caller = await newCaller();
    await person(caller, "Ana");
    const [bo, boss] = [await person(caller, "Bo"), await person(caller, "Boss", { may_approve: true })];
    const { question } = await asking(caller, { human_name: "Ana" });
    const say = saying(caller, question.id);
    expect(await say(bo, { text: "North" })).toMatchObject({
      ok: false,
      error: { code: "forbidden", message: "This question is for Ana." },
    });
    expect(await say(boss, { text: "North" })).toMatchObject({ ok: true });
  });

  test("is no person of the tenant if the question has no addressee, except those whose answers do not count", async () => {
    const caller = await newCaller();
    const [bo, mute] = [await person(caller, "Bo"), await person(caller, "Mute", { may_answer: false })];
    const { question } = await asking(caller, {});
    const say = saying(caller, question.id);
    expect(await say(mute, { text: "North" })).toMatchObject({ ok: false, error: { code: "forbidden" } });
    expect(await say(bo, { text: "North" })).toMatchObject({ ok: true });
  });

  test("is any person of another tenant, for whom the question does not exist", async () => {
    const [caller, other] = [await newCaller(), await newCaller()];
    const thief = await person(other, "Ana", { may_approve: true });
    const { id, question } = await asking(caller, {});
    expect(await saying(other, question.id)(thief, { text: "North" })).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
    expect((await caller.send("GET", `/v1/tasks/${id}`)).json.status).toBe("waiting_input");
  });

  test("is a late answer, an unknown choice, or an empty text", async () => {
    const caller = await newCaller();
    const ana = await person(caller, "Ana");
    const { question } = await asking(caller, { choices: ["North"], deadline_seconds: 6, default_answer: "North" });
    const say = saying(caller, question.id);
    for (const given of [{ choice: "South" }, { text: " " }, { decision: "approve" as const }])
      expect(await say(ana, given)).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    await vi.waitFor(
      async () => expect(await say(ana, { choice: "South" })).toMatchObject({ error: { code: "gone" } }),
      SOON,
    );
    expect(await saying(caller, "qst_x")(ana, { text: "x" })).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
  });
});

describe("an approval", () => {
  async function approving(caller: Caller, body?: string) {
    const url = somewhere();
    const agent = config("careful", { permissions: ["read", "network"], allowed_domains: ["*"] });
    const made = await caller.send("POST", "/v1/agents", { ...agent, name: `careful-${crypto.randomUUID()}` });
    expect(made.status, made.text).toBe(201);
    const { id } = await caller.makeTask([{ calls: [post(url, body)] }, { text: "Done." }], { agent: made.json.id });
    const { pending } = await caller.until(id, ({ status }) => status === "waiting_approval");
    const [approval] = pending;
    if (approval?.kind !== "approval") throw new Error("no approval");
    return { id, approval, url };
  }

  test("is decided by those who may, once", async () => {
    const caller = await newCaller();
    const [bo, boss] = [await person(caller, "Bo"), await person(caller, "Boss", { may_approve: true })];
    const { id, approval } = await approving(caller);
    const say = saying(caller, approval.id);
    expect(await say(bo, { decision: "approve" })).toMatchObject({ ok: false, error: { code: "forbidden" } });
    expect(await say(boss, { text: "yes" })).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    const both = await Promise.all([
      say(boss, { decision: "refuse", reason: "No." }),
      say(boss, { decision: "approve" }),
    ]);
    expect(both.filter((answer) => answer.ok)).toHaveLength(1);
    expect(both.find((answer) => !answer.ok)).toMatchObject({ error: { code: "conflict", details: { by: "Boss" } } });
    await caller.until(id, ended);
  });

  test("of arguments that no channel renders in full is rejected there, and approved where they are visible", async () => {
    const caller = await newCaller();
    const boss = await person(caller, "Boss", { may_approve: true });
    const { id, approval, url } = await approving(caller, "x".repeat(MAX_SHOWN_ARGUMENTS));
    const say = saying(caller, approval.id);
    expect(await say(boss, { decision: "approve" })).toMatchObject({
      ok: false,
      error: { code: "forbidden", message: TOO_LONG_TO_SHOW },
    });
    // A person who edits the arguments has seen them.
    const short = { url, method: "POST", body: "short" };
    expect(await say(boss, { decision: "approve", arguments: short })).toMatchObject({ ok: true });
    await caller.until(id, ended);
    expect(await arrivedAt(url)).toEqual(["POST short"]);

    const second = await approving(caller, "x".repeat(MAX_SHOWN_ARGUMENTS));
    expect(await saying(caller, second.approval.id)(boss, { decision: "refuse" })).toMatchObject({ ok: true });
    await caller.until(second.id, ended);
    const third = await approving(caller, "x".repeat(MAX_SHOWN_ARGUMENTS));
    const path = `/v1/tasks/${third.id}/approvals/${third.approval.id}`;
    expect((await caller.send("POST", path, { decision: "approve" })).status).toBe(200);
    await caller.until(third.id, ended);
    expect(await arrivedAt(third.url)).toHaveLength(1);
    expect(await arrivedAt(second.url)).toEqual([]);
  });

  test("goes to the thread with its arguments, and to approvers only", async () => {
    const caller = await newCaller();
    await person(caller, "Bo");
    const boss = await person(caller, "Boss", { may_approve: true });
    const { id, approval, url } = await approving(caller);
    const view: TaskView = (await caller.send("GET", `/v1/tasks/${id}`)).json;
    const { agent } = view;
    const deliver = [
      { channel: "slack", to: "T1/C1/1.2" },
      { channel: "email", to: "bo@acme.example" },
      { channel: "email", to: "boss@acme.example" },
      { channel: "email", to: "stranger@acme.example" },
      { channel: "webhook", to: "whk_1" },
    ] as const;
    const facts = { task: id, rootId: id, parentId: null, isHidden: false, project: null, agent, deliver };
    const via = { channel: "api", id: null } as const;
    const notice: Notice = {
      facts: { ...facts, via },
      seq: 7,
      type: "approval.requested",
      at: "2026-11-24T09:00:00.000Z",
      data: { approval_id: approval.id },
    };
    const look: NoticeInput = { tenant: caller.tenant, notice, view: async () => ok(view) };
    const result = await fanOutAsks(env, look);
    if (!result.ok) throw new Error(result.error.message);
    const cards = result.value.deliveries.filter(({ kind }) => kind === "approval");
    expect(cards.map(({ to }) => to)).toEqual(["T1/C1/1.2", "boss@acme.example"]);
    expect(cards[0]?.content).toMatchObject({
      ask: {
        id: approval.id,
        call: { tool: "http_request", arguments: { url }, argumentsHash: approval.arguments_hash },
      },
    });
    expect(cards[0]?.otherwise.map(({ to }) => to)).toEqual(["boss@acme.example"]);
    expect(cards[0]?.otherwise[0]).toMatchObject({ id: cards[1]?.id, notBefore: Date.parse(notice.at) });
    const reminders = result.value.deliveries.filter(({ kind }) => kind === "reminder");
    expect(reminders.map(({ to, otherwise }) => [to, ...otherwise.map((other) => other.to)])).toEqual(
      Array.from({ length: 3 }, () => ["T1/C1/1.2", "boss@acme.example"]),
    );
    expect(await fanOutAsks(env, look)).toEqual(result);
    // A person among the targets is asked by every channel that there is, the preferred one first.
    const toBoss = { ...notice, facts: { ...notice.facts, deliver: [{ channel: "person", to: boss.id }] as const } };
    const alone = await fanOutAsks(env, { ...look, notice: toBoss });
    expect(alone.ok && alone.value.deliveries.filter(({ kind }) => kind === "approval").map(({ to }) => to)).toEqual([
      "T1/UBOSS",
      "boss@acme.example",
    ]);
    const hidden = { ...notice, facts: { ...notice.facts, isHidden: true } };
    expect(await fanOutAsks(env, { ...look, notice: hidden })).toEqual({
      ok: true,
      value: { deliveries: [], cancelled: [] },
    });
    // Decided meanwhile: the task shows it no more.
    const gone = { ...look, view: async () => ok({ ...view, pending: [] }) };
    expect(await fanOutAsks(env, gone)).toEqual({ ok: true, value: { deliveries: [], cancelled: [] } });
  });
});
