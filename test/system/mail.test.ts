/** Mail in and out of the started system: a mail becomes a task, and what it comes to is mailed back. No provider is set up. */
import { beforeAll, expect, test, vi } from "vitest";
import { type Caller, calling, joinSharedSystem, scriptedInput, untilTask } from "../setup/start-system.ts";
import { bringMail } from "./bring-mail.ts";

const system = joinSharedSystem();
let caller: Caller;

beforeAll(async () => {
  caller = await system.makeTenant("mail");
});

test("a mail becomes a task, and its result with its file is mailed to the sender", async () => {
  const person = { name: "Ana", addresses: [{ kind: "email", address: "ana@example.com" }] };
  expect((await caller.send("POST", "/v1/people", person)).status).toBe(201);
  const { address, provider } = (await caller.send("GET", "/v1/mail")).json;
  expect(provider).toBe("outbox");
  const script = scriptedInput(
    calling("write_file", { filename: "report.md", content: "# Done\n" }),
    calling("attach_file", { filename: "report.md" }),
    { text: "Here is the **report**." },
  );
  const brought = await bringMail(
    { url: system.url, key: caller.key },
    {
      from: "ana@example.com",
      to: address,
      subject: "New Task",
      text: script,
    },
  );
  expect(brought.status, await brought.text()).toBe(200);
  const tasks = async () => (await caller.send("GET", "/v1/tasks")).json.data;
  await vi.waitFor(async () => expect(await tasks()).toHaveLength(1), { timeout: 40_000, interval: 100 });
  const [{ id }] = await tasks();
  await untilTask(caller, id, ({ status }) => status === "completed");
  const listOutbox = async () => (await caller.send("GET", "/v1/mail/outbox")).json.data;
  await vi.waitFor(async () => expect(await listOutbox()).toHaveLength(1), { timeout: 40_000, interval: 100 });
  const [mail] = await listOutbox();
  expect(mail).toMatchObject({
    sent: false,
    to: ["ana@example.com"],
    attachments: [{ filename: "report.md", size: 7 }],
  });
  expect(mail.html).toContain("<strong>report</strong>");
});

test("a mail to an unknown address is rejected by the server", async () => {
  const mail = { from: "ana@example.com", to: "otto@mail.test", subject: "New Task", text: "Hi" };
  const refused = await bringMail({ url: system.url, key: caller.key }, mail);
  expect(refused.ok).toBe(false);
  expect(await refused.text()).toContain("550");
});

test("a mail without an admin key of its tenant is refused", async () => {
  const { address: to } = (await caller.send("GET", "/v1/mail")).json;
  const mail = { from: "ana@example.com", to, subject: "New Task", text: "Hi" };
  const stranger = await system.makeTenant("stranger");
  const { url } = system;
  const before = (await caller.send("GET", "/v1/tasks")).json.data.length;
  expect((await bringMail({ url, key: "" }, mail)).status).toBe(401);
  expect((await bringMail({ url, key: `${caller.key}x` }, mail)).status).toBe(401);
  expect((await bringMail({ url, key: stranger.key }, mail)).status).toBe(403);
  const narrow = { name: "narrow", scopes: ["tasks:read", "tasks:write", "tools:call"] };
  const made = await caller.send("POST", "/v1/keys", narrow);
  expect(made.status, made.text).toBe(201);
  expect((await bringMail({ url, key: made.json.key }, mail)).status).toBe(403);
  expect((await caller.send("GET", "/v1/tasks")).json.data).toHaveLength(before);
});

test("a question to a person is answered by a reply, once, and by no other person", async () => {
  const address = "bo@example.com";
  const bo = { name: "Bo", addresses: [{ kind: "email", address }] };
  expect((await caller.send("POST", "/v1/people", bo)).status).toBe(201);
  const ask = calling("ask_human", { query: "Which region?", human_name: "Bo", choices: ["North", "South"] });
  const input = scriptedInput(ask, { text: "Thank you." });
  const { id } = (await caller.send("POST", "/v1/tasks", { input })).json;
  const mailsTo = async (whom: string) => {
    const { data } = (await caller.send("GET", "/v1/mail/outbox")).json;
    return data.filter(({ to }: { to: readonly string[] }) => to[0] === whom);
  };
  const soon = { timeout: 40_000, interval: 100 };
  await vi.waitFor(async () => expect(await mailsTo(address)).toHaveLength(1), soon);
  const [{ reply_to: tagged, text: question }] = await mailsTo(address);
  const quoted = `On 21 Nov 2026, Otto wrote:\n> ${question.replaceAll("\n", "\n> ")}`;
  const reply = async (words: string, from: string) =>
    await bringMail(
      { url: system.url, key: caller.key },
      { from, to: tagged, subject: "Re: a question", text: `${words}\n\n${quoted}` },
    );
  const before = (await mailsTo("ana@example.com")).length;
  await reply("West", "eve@example.com");
  await reply("East", "ana@example.com");
  await vi.waitFor(async () => expect(await mailsTo("ana@example.com")).toHaveLength(before + 1), soon);
  expect((await mailsTo("ana@example.com"))[0].text).toContain("was sent to another address");
  expect(await mailsTo("eve@example.com")).toEqual([]);
  expect((await caller.send("GET", `/v1/tasks/${id}`)).json.status).toBe("waiting_input");

  await reply("South", address);
  await untilTask(caller, id, ({ status }) => status === "completed");
  await reply("North", address);
  await vi.waitFor(async () => expect(await mailsTo(address)).toHaveLength(2), soon);
  expect((await mailsTo(address))[0].text).toContain("settled already by Bo");
  const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json;
  expect(data[0].result.result).toEqual({ answer: "South", answered_by: "Bo" });
});
