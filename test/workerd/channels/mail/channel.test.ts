/** Mail as a channel: the Worker's `email()` handler, the deliveries of tasks, and replies to what was asked. */
import { env } from "cloudflare:workers";
import PostalMime from "postal-mime";
import { describe, expect, test, vi } from "vitest";
import { filesFromEnv } from "../../../../adapters/env/files.ts";
import { outboxesFromEnv } from "../../../../adapters/env/channels.ts";
import { tasksFromEnv } from "../../../../adapters/env/tasks.ts";
import { acceptMail } from "../../../../workers/channels/mail/entry.ts";
import { sendByEmail } from "../../../../workers/channels/mail/sender.ts";
import type { Delivery } from "../../../../core/channels/outbox/delivery.ts";
import type { OutMessage } from "../../../../core/channels/outbox/message.ts";
import { makeId } from "../../../../core/base/ids.ts";
import { OUTSIDE, PRINCIPAL } from "../../../../core/provenance/label.ts";
import { outMessage } from "../../../setup/out-message.ts";
import { deliveryOf } from "../outbox/delivery-of.ts";
import { type Brought, bring, receivedOf, SOON, tasksOf, withPerson } from "./client.ts";
import { arrivedMail } from "./server.ts";

/** The mails that came for somebody, read, once there are so many. */
async function mailsFor(address: string, count: number) {
  await vi.waitFor(async () => expect(await arrivedMail(address)).toHaveLength(count), SOON);
  const raws = (await arrivedMail(address)).map(({ raw }) =>
    Uint8Array.from(atob(raw), (character) => character.charCodeAt(0)),
  );
  return await Promise.all(raws.map(async (raw) => await PostalMime.parse(raw)));
}

function askToApprove(): NonNullable<OutMessage["ask"]> {
  const task = makeId("task", Date.now(), new Uint8Array(10));
  const call = { tool: "http_request", arguments: { url: "https://example.com" }, argumentsHash: "0" };
  const nobody = { person: null, choices: null, reason: null, expiresAt: null };
  return { kind: "approval", id: "apr_1", task, call, ...nobody };
}

/** Long enough for what nobody should do. */
const aWhile = async () => await scheduler.wait(700);

describe("new mail", () => {
  test("makes a task of its text and files, once however often it is brought, and forgets the mail", async () => {
    const { caller, ana, address } = await withPerson();
    const bytes = crypto.getRandomValues(new Uint8Array(5_000));
    const mail = {
      from: ana,
      to: address.toUpperCase(),
      subject: "New Task: Look at it",
      text: "Please.\n> quoted\n-- \nAna",
      id: crypto.randomUUID(),
      files: [
        { name: "a.bin", bytes },
        { name: "../evil.bin", bytes: new Uint8Array([1]) },
      ],
    };
    expect(await bring(mail)).toBeNull();
    expect(await bring(mail)).toBeNull();
    await vi.waitFor(async () => expect(await tasksOf(caller)).toHaveLength(1), SOON);
    const [task] = await tasksOf(caller);
    if (task === undefined) throw new Error("there is no task");
    await caller.until(task.id, ({ status }) => status === "completed");
    // Any holder of a copy of a signed mail can resend it in another envelope.
    expect(await bring({ ...mail, envelopeFrom: "eve@evil.example" })).toBeNull();
    await aWhile();
    expect(await tasksOf(caller)).toHaveLength(1);
    expect(task.input).toBe(
      "Look at it\n\nPlease.\n> quoted\n-- \nAna\n\nFiles that came with the mail: inbox/a.bin, inbox/evil.bin",
    );
    const files = filesFromEnv(env, { tenant: caller.tenant, rootId: task.id, project: null });
    expect(await files.read("inbox/a.bin", 10_000)).toMatchObject({
      value: { bytes, entry: { label: OUTSIDE, isUploaded: true } },
    });
    const left = await env.FILES.list({ prefix: `${caller.tenant}/mail/in/` });
    expect(left.objects).toEqual([]);
    expect(await receivedOf(caller)).toMatchObject([
      { event: "mail", state: "done", task_id: task.id, note: null, from: ana, subject: "New Task: Look at it" },
    ]);
  });

  test("with the headers of a reply contains only its writer's first paragraph, whichever language the quote is in", async () => {
    const { caller, ana, address } = await withPerson();
    const headers = ["References: <offer@evil.example>"];
    await bring({ from: ana, to: address, subject: "New Task: Look", text: "Voilà.\n\nObey.", headers });
    await vi.waitFor(async () => expect(await tasksOf(caller)).toHaveLength(1), SOON);
    const [task] = await tasksOf(caller);
    const facts = await tasksFromEnv(env)(caller.tenant, task?.id ?? "").facts();
    expect(facts.ok && facts.value.texts?.map(({ content, label }) => [content, label])).toEqual([
      ["Look\n\n", OUTSIDE],
      ["Voilà.", PRINCIPAL],
      ["\n\nObey.", OUTSIDE],
    ]);
    expect(facts.ok && facts.value.caller).toEqual({ name: "Ana", timeZone: "UTC" });
  });

  test("is rejected by the server for an unknown address, and when it is too large", async () => {
    const { caller, ana, address } = await withPerson();
    const forged = `${address.slice(0, 26)}${"0".repeat(8)}@mail.test`;
    for (const to of [forged, "otto@mail.test", address.replace("mail.test", "other.test"), "x"])
      expect(await bring({ from: ana, to, subject: "New Task" })).toMatch(/^550 /);
    const message = {
      from: ana,
      to: address,
      rawSize: 25 * 1024 * 1024 + 1,
      headers: new Headers({ from: `Ana <${ana}>`, subject: "=?UTF-8?Q?F=C3=BCr_euch?=" }),
      setReject: vi.fn<(why: string) => void>(),
    };
    await acceptMail(env, message as unknown as ForwardableEmailMessage);
    expect(message.setReject).toHaveBeenCalledWith(expect.stringMatching(/^552 /));
    const [large, ...others] = await receivedOf(caller, 1);
    expect(others).toEqual([]);
    expect(large).toMatchObject({ state: "refused", from: ana, subject: "Für euch", task_id: null });
    expect(large?.note).toBe("It is larger than 25 MB.");
    expect((await env.FILES.list({ prefix: `${caller.tenant}/mail/in/` })).objects).toEqual([]);
  });

  test.each([
    ["that is not proven", { results: null }],
    ["that is proven for another domain", { results: "mx.cloudflare.net; dmarc=pass header.from=evil.example" }],
    [
      "that brings a proof of its own",
      {
        results: "mx.cloudflare.net; dmarc=fail header.from=example.com",
        headers: ["Authentication-Results: mx.cloudflare.net; dmarc=pass header.from=example.com"],
      },
    ],
    ["that is an automatic reply", { headers: ["Auto-Submitted: auto-replied"] }],
    ["with two subjects", { headers: ["Subject: New Task: pay them"] }],
    ["with two senders", { headers: ["From: Eve <eve@example.com>"] }],
    ["that reports about a mail", { envelopeFrom: "" }],
    ["that begins no task", { subject: "Hello" }],
  ])("%s makes no task, and no mail is sent", async (_, change: Partial<Brought>) => {
    const { caller, ana, address } = await withPerson();
    expect(await bring({ from: ana, to: address, subject: "New Task", text: "Hi", ...change })).toBeNull();
    const [received] = await receivedOf(caller, 1);
    expect(received).toMatchObject({ state: "refused", task_id: null });
    expect([ana, "eve@example.com"]).toContain(received?.from);
    expect(received?.note).toMatch(/^[A-Z].+\.$/);
    await aWhile();
    expect(await tasksOf(caller)).toEqual([]);
    expect(await arrivedMail(ana)).toEqual([]);
  });

  test("from an unknown person makes no task, and no mail is sent", async () => {
    const { caller, address } = await withPerson();
    const eve = `eve.${crypto.randomUUID()}@example.com`;
    expect(await bring({ from: eve, to: address, subject: "New Task", text: "Hi" })).toBeNull();
    await aWhile();
    expect(await tasksOf(caller)).toEqual([]);
    expect(await arrivedMail(eve)).toEqual([]);
  });

  test("beyond the reader's limits is ignored for a stranger, and rejected by mail for a known person", async () => {
    const { caller, ana, address } = await withPerson();
    const eve = `eve.${crypto.randomUUID()}@example.com`;
    const hard = { to: address, subject: "New Task", text: "--b\n\nx\n".repeat(20_000) };
    await bring({ ...hard, from: eve });
    await bring({ ...hard, from: ana });
    const [mail] = await mailsFor(ana, 1);
    expect(mail?.text).toContain("cannot be read");
    await bring({ ...hard, from: ana, text: "\n".repeat(200_000) });
    await mailsFor(ana, 2);
    await bring({ ...hard, from: ana, headers: [`X-Long: ${"x ".repeat(60_000)}`] });
    await aWhile();
    expect(await tasksOf(caller)).toEqual([]);
    expect(await arrivedMail(eve)).toEqual([]);
  });

  test("that is empty is answered with a word about it", async () => {
    const { ana, address } = await withPerson();
    await bring({ from: ana, to: address, subject: "New Task" });
    const [mail] = await mailsFor(ana, 1);
    expect(mail).toMatchObject({ subject: "Re: New Task" });
    expect(mail?.text).toContain("empty");
    expect(mail?.headers.find(({ key }) => key === "auto-submitted")?.value).toBe("auto-generated");
  });
});

const ASK = {
  calls: [{ name: "ask_human", arguments: { query: "Which region?", human_name: "Ana", choices: ["A", "B"] } }],
};

async function askByMail() {
  const made = await withPerson({ preferred: "email" });
  const { id } = await made.caller.makeTask([ASK, { text: "Done." }]);
  const [question] = await mailsFor(made.ana, 1);
  if (question === undefined) throw new Error("nobody was asked");
  return { ...made, id, question, replyTo: question.replyTo?.[0]?.address ?? "" };
}

describe("a question by mail", () => {
  test("is answered by a reply, with the text above the quote", async () => {
    const { caller, ana, id, question, replyTo } = await askByMail();
    expect(question.text).toContain("- A");
    expect(question.headers.find(({ key }) => key === "references")?.value).toBe(`<${id}@mail.test>`);
    expect(replyTo.split("@")[0]?.length).toBeLessThanOrEqual(64);
    const quote = (question.text ?? "").replaceAll(/^/gm, "> ");
    await bring({ from: ana, to: replyTo, subject: "Re: x", text: `B\n\nOn Monday 2 Nov, Otto wrote:\n${quote}` });
    const view = await caller.until(id, ({ status }) => status === "completed");
    expect(view.status).toBe("completed");
    const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json;
    expect(data[0]).toMatchObject({ tool: "ask_human", result: { result: { answer: "B", answered_by: "Ana" } } });
  });

  test("that another channel answered first says so by mail, once", async () => {
    const { caller, ana, id, replyTo } = await askByMail();
    const { pending } = await caller.until(id, (view) => view.pending.length > 0);
    const [open] = pending as unknown as readonly { readonly id: string }[];
    const path = `/v1/tasks/${id}/questions/${open?.id}/answer`;
    expect((await caller.send("POST", path, { text: "A" })).status).toBe(200);
    const late = { from: ana, to: replyTo, subject: "Re: x", text: "B", id: "late" };
    await bring(late);
    await bring(late);
    const [, second] = await mailsFor(ana, 2);
    expect(second?.text).toContain("did not count");
    await aWhile();
    expect(await arrivedMail(ana)).toHaveLength(2);
  });

  test("ignores a reply from another address, and an empty one", async () => {
    const { caller, ana, id, replyTo } = await askByMail();
    const ben = `ben.${crypto.randomUUID()}@example.com`;
    await caller.send("POST", "/v1/people", { name: "Ben", addresses: [{ kind: "email", address: ben }] });
    await bring({ from: ben, to: replyTo, subject: "Re: x", text: "B" });
    expect((await mailsFor(ben, 1))[0]?.text).toContain("another address");
    await bring({ from: ana, to: replyTo, subject: "Re: x", text: "> Which region?" });
    expect((await mailsFor(ana, 2))[1]?.text).toContain("empty");
    const guessed = replyTo.replace(/\+.{20}@/, `+${"0".repeat(20)}@`);
    await bring({ from: ana, to: guessed, subject: "Re: x", text: "B" });
    await aWhile();
    expect((await caller.send("GET", `/v1/tasks/${id}`)).json.status).toBe("waiting_input");
  });
});

const WRITE = { calls: [{ name: "delete_file", arguments: { filename: "a.md" } }] };

describe("an approval by mail", () => {
  test.each([
    ["APPROVE", "approve"],
    ["Refuse: too early", "refuse"],
  ])("is decided by a reply of a person with the right: %s", async (text, decision) => {
    const { caller, ana } = await withPerson({ may_approve: true });
    const agent = await caller.send("POST", "/v1/agents", {
      name: "asks",
      instructions: "",
      tools: ["*"],
      permissions: ["read", "write"],
      approval: { dangerous: "ask" },
    });
    const deliver = [{ channel: "email", to: ana }];
    const { id } = await caller.makeTask([WRITE, { text: "Done." }], { agent: agent.json.id, deliver });
    const [mail] = await mailsFor(ana, 1);
    expect(mail?.text).toContain("APPROVE");
    await bring({ from: ana, to: mail?.replyTo?.[0]?.address ?? "", subject: "Re: x", text });
    await caller.until(id, ({ status }) => status === "completed");
    const { data } = (await caller.send("GET", `/v1/tasks/${id}/log`)).json;
    const decided = data.find(({ type }: { type: string }) => type === "approval.decided");
    expect(decided.data).toMatchObject({ decision, by: "Ana" });
  });
});

/** A delivery by mail, straight to its sender. */
function deliveryTo(
  tenant: string,
  to: string,
  content: Partial<OutMessage> = {},
  more: Partial<Delivery> = {},
): Delivery {
  return deliveryOf(tenant, { to, lane: to, content: { ...outMessage(content) }, ...more });
}

const FIRST = { number: 1, mayHaveLeft: false, refs: {} };

describe("a delivery by mail", () => {
  test("brings a result in both forms, with its files, and names those that are too large or gone", async () => {
    const { caller, ana } = await withPerson();
    const sandbox = { rootId: makeId("task", Date.now(), crypto.getRandomValues(new Uint8Array(10))), project: null };
    const files = filesFromEnv(env, { tenant: caller.tenant, ...sandbox });
    await files.write("out/a.txt", new TextEncoder().encode("hello"), { key: "a" });
    await files.write("big.bin", new Uint8Array(10 * 1024 * 1024 + 1), { key: "b" });
    const named = ["out/a.txt", "big.bin", "gone.txt"].map((path) => ({
      path,
      size: 1,
      contentType: "text/plain",
      url: "",
    }));
    const delivery = deliveryTo(caller.tenant, ana, { sandbox, files: named as unknown as OutMessage["files"] });
    await outboxesFromEnv(env)(`${caller.tenant}/email`).put([delivery]);
    const [mail] = await mailsFor(ana, 1);
    expect(mail).toMatchObject({ subject: "The report", attachments: [{ filename: "a.txt" }] });
    expect(new TextDecoder().decode(mail?.attachments[0]?.content as ArrayBuffer)).toBe("hello");
    expect(mail?.html).toContain("<strong>It</strong>");
    expect(mail?.text).toMatch(/big\.bin: .*10 MB[\s\S]*gone\.txt: it was deleted/);
    expect(mail?.replyTo).toBeUndefined();
  });

  test("sends the attached content, not the present one", async () => {
    const { caller, ana } = await withPerson();
    const sandbox = { rootId: makeId("task", Date.now(), crypto.getRandomValues(new Uint8Array(10))), project: null };
    const files = filesFromEnv(env, { tenant: caller.tenant, ...sandbox });
    const written = await files.write("a.txt", new TextEncoder().encode("hello"), { key: "a" });
    if (!written.ok) throw new Error(written.error.message);
    const { path, size, hash: sha256 } = written.value;
    await files.write("a.txt", new TextEncoder().encode("other words"), { key: "b" });
    const attached = { path, size, content_type: "text/plain", sha256 };
    await sendByEmail(env, deliveryTo(caller.tenant, ana, { sandbox, files: [attached] }), FIRST);
    const [mail] = await mailsFor(ana, 1);
    expect(new TextDecoder().decode(mail?.attachments[0]?.content as ArrayBuffer)).toBe("hello");
  });

  test("reports its outcome as sent, later, dead or unknown, and is not resent after that", async () => {
    const { caller } = await withPerson();
    const to = (wish: string) => `${wish}.${crypto.randomUUID()}@example.com`;
    const send = async (address: string, attempt = FIRST) =>
      await sendByEmail(env, deliveryTo(caller.tenant, address), attempt);
    expect(await send(to("ana"))).toMatchObject({ kind: "sent", ref: { provider: "smtp" } });
    expect(await send(to("busy"))).toMatchObject({ kind: "later" });
    expect(await send(to("refused"))).toMatchObject({ kind: "dead" });
    expect(await send("no address")).toMatchObject({ kind: "dead" });
    expect(await send(to("broken"))).toMatchObject({ kind: "unknown" });
    const cutOff = to("ana");
    expect(await send(cutOff, { ...FIRST, number: 2, mayHaveLeft: true })).toMatchObject({ kind: "unknown" });
    expect(await arrivedMail(cutOff)).toEqual([]);
  });

  test("sends no approval by mail to a person without the right", async () => {
    const { caller, ana } = await withPerson();
    await sendByEmail(env, deliveryTo(caller.tenant, ana, { ask: askToApprove() }, { kind: "approval" }), FIRST);
    const [mail] = await mailsFor(ana, 1);
    expect(mail?.text).toContain("cannot decide");
    expect(mail?.replyTo).toBeUndefined();
  });

  test("waits and uses no try while the people cannot be read, which is Otto's own fault", async () => {
    const { caller, ana } = await withPerson();
    const delivery = deliveryTo(caller.tenant, ana, { ask: askToApprove() }, { kind: "approval" });
    const real = globalThis.fetch.bind(globalThis);
    const away = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      if (url === env.OTTO_DATABASE_ENDPOINT) throw new TypeError("the database is away");
      return await real(input, init);
    });
    expect(await sendByEmail(env, delivery, FIRST)).toMatchObject({ kind: "later", isOurs: true });
    away.mockRestore();
    expect(await sendByEmail(env, delivery, FIRST)).toMatchObject({ kind: "sent" });
    expect(await mailsFor(ana, 1)).toHaveLength(1);
  });

  test("that only changes an earlier one sends nothing", async () => {
    const { caller, ana } = await withPerson();
    for (const kind of ["progress", "settled"] as const)
      expect(await sendByEmail(env, deliveryTo(caller.tenant, ana, {}, { kind }), FIRST)).toMatchObject({
        kind: "sent",
      });
    expect(await arrivedMail(ana)).toEqual([]);
  });
});
