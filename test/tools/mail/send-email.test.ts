import { describe, expect, it } from "vitest";
import type { Failure } from "../../../core/base/errors.ts";
import type { EffectFacts } from "../../../core/tool/tool.ts";
import sendEmail from "../../../tools/mail/send-email.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { fakeMail } from "../../fakes/mail.ts";
import { runTool } from "../run-tool.ts";

const GIVEN = { to: "ana@example.com", subject: "The plan", body: "<p>Hello</p>" };
const MEGABYTE = 1024 * 1024;

/** A sandbox with files of these sizes. */
async function filesOf(sizes: Readonly<Record<string, number>>) {
  const files = fakeFiles(() => 0);
  for (const [path, size] of Object.entries(sizes)) await files.write(path, new Uint8Array(size), { key: path });
  return files;
}

const REFUSED: Failure = { code: "upstream_failed", message: "It cannot be reached.", happened: "no" };
const LOST: Failure = { code: "upstream_failed", message: "The answer was lost." };
const NEVER: Failure = { code: "invalid_input", message: "No such user.", happened: "no", cause: { kind: "answered" } };

describe("send_email", () => {
  it("sends to everyone in the list once, with the body's plain form", async () => {
    const mail = fakeMail();
    const body = `<style>p {}</style><h1>Plan</h1><p>See <a href="https://example.com/a?b=1&amp;c">this</a>.<br>Bye</p>
      <ul><li>one</li><li>two &lt;3</li></ul><script>evil()</script>`;
    const to = 'ana@example.com, "Müller, Ben" <ben@example.com>, ANA@example.com';
    const ran = await runTool(sendEmail, { ...GIVEN, to, cc: "eve@example.com", body }, { mail }, { key: "call_1" });
    expect(ran.result).toEqual({
      sent: true,
      id: "mail-call_1",
      to: ["ana@example.com", "ben@example.com"],
      attachments: [],
      note: null,
    });
    expect(mail.sent).toMatchObject([
      {
        key: "call_1",
        mail: {
          to: [{ address: "ana@example.com" }, { name: "Müller, Ben", address: "ben@example.com" }],
          cc: [{ address: "eve@example.com" }],
          html: body,
          text: "Plan\n\nSee this (https://example.com/a?b=1&c).\nBye\n\n- one\n- two <3",
        },
      },
    ]);
  });

  it("takes a body without any tag as text", async () => {
    const mail = fakeMail();
    await runTool(sendEmail, { ...GIVEN, body: "1 < 2 & 3\n\nBye,\nOtto" }, { mail });
    expect(mail.sent[0]?.mail).toMatchObject({
      text: "1 < 2 & 3\n\nBye,\nOtto",
      html: "<p>1 &lt; 2 &amp; 3</p>\n<p>Bye,<br>\nOtto</p>",
    });
  });

  it.each([
    "ana",
    "ana@",
    "ana@example.com, ben",
    "a b@example.com",
    "ana@example.com\r\nBcc: x@example.com",
    "ana@-a.com",
  ])("rejects an invalid address: %j", async (to) => {
    const mail = fakeMail();
    const ran = await runTool(sendEmail, { ...GIVEN, to }, { mail });
    expect(ran.failure).toMatchObject({ code: "invalid_input", field: "to" });
    expect(mail.tries()).toBe(0);
  });

  it("refuses a subject with a line break", async () => {
    const ran = await runTool(sendEmail, { ...GIVEN, subject: "Hi\r\nBcc: eve@example.com" });
    expect(ran.failure).toMatchObject({ code: "invalid_input", field: "subject" });
  });

  it("takes files of 10 MB, and says of a larger one which it is and how large", async () => {
    const files = await filesOf({ "a.bin": 10 * MEGABYTE, "out/b.bin": 10 * MEGABYTE + 1 });
    const mail = fakeMail();
    const fits = await runTool(sendEmail, { ...GIVEN, attachment_filenames: ["a.bin"] }, { files, mail });
    expect(fits.result).toMatchObject({ attachments: ["a.bin"] });
    expect(mail.sent[0]?.mail.attachments[0]?.bytes).toHaveLength(10 * MEGABYTE);
    const over = await runTool(sendEmail, { ...GIVEN, attachment_filenames: ["out/b.bin"] }, { files, mail });
    expect(over.failure).toMatchObject({
      code: "too_large",
      message: "Attachment too large: out/b.bin is 10485761 bytes (limit 10 MB, 10485760 bytes).",
      field: "attachment_filenames",
    });
    expect(mail.tries()).toBe(1);
  });

  it("reads no file before all of them are known to fit", async () => {
    const files = await filesOf({ "a.bin": 9 * MEGABYTE, "b.bin": 9 * MEGABYTE, "c.bin": 9 * MEGABYTE });
    const ran = await runTool(
      sendEmail,
      { ...GIVEN, attachment_filenames: ["a.bin", "b.bin", "c.bin"] },
      { files: { ...files, readEntry: () => Promise.reject(new Error("it was read")) } },
    );
    expect(ran.failure).toMatchObject({ code: "too_large" });
  });

  it("sends no missing file, no file that the rules hide, and no file of an agent that may not read files", async () => {
    const files = await filesOf({ ".env": 3, "a.txt": 3 });
    const withAttachment = (name: string) => ({ ...GIVEN, attachment_filenames: [name] });
    expect((await runTool(sendEmail, withAttachment("no.txt"), { files })).failure).toMatchObject({
      code: "not_found",
    });
    expect((await runTool(sendEmail, withAttachment(".env"), { files })).failure).toMatchObject({
      code: "sandbox_denied",
    });
    expect((await runTool(sendEmail, withAttachment("../a.txt"), { files })).failure).toMatchObject({
      code: "sandbox_denied",
    });
    const mayNot = await runTool(sendEmail, withAttachment("a.txt"), { files }, { permissions: ["network"] });
    expect(mayNot.failure).toMatchObject({ code: "permission_denied" });
  });

  it("tries three times, five seconds apart, while the mail was certainly not sent", async () => {
    const mail = fakeMail({ provider: "smtp", fails: [REFUSED, REFUSED] });
    expect((await runTool(sendEmail, GIVEN, { mail })).result).toMatchObject({ sent: true });
    expect(mail.pauses).toEqual([5_000, 5_000]);
    const never = fakeMail({ provider: "smtp", fails: [REFUSED, REFUSED, REFUSED, REFUSED] });
    expect((await runTool(sendEmail, GIVEN, { mail: never })).failure).toMatchObject(REFUSED);
    expect([never.tries(), never.pauses]).toEqual([3, [5_000, 5_000]]);
  });

  it("tries once after a permanent rejection by the provider", async () => {
    const mail = fakeMail({ fails: [NEVER] });
    expect((await runTool(sendEmail, GIVEN, { mail })).failure).toMatchObject({ code: "invalid_input" });
    expect([mail.tries(), mail.pauses]).toEqual([1, []]);
  });

  it("sends again what may have left to a provider that knows its key, and to no other", async () => {
    const keyed = fakeMail({ fails: [LOST] });
    expect((await runTool(sendEmail, GIVEN, { mail: keyed })).result).toMatchObject({ sent: true });
    const smtp = fakeMail({ provider: "smtp", fails: [LOST] });
    const ran = await runTool(sendEmail, GIVEN, { mail: smtp });
    expect(ran.failure).toMatchObject({ code: "upstream_failed" });
    expect([ran.failure?.happened, ran.failure?.cause]).toEqual(["unknown", undefined]);
    expect([smtp.tries(), smtp.pauses]).toEqual([1, []]);
  });

  it("does not take back, by a later refusal, that an earlier try may have left", async () => {
    const mail = fakeMail({ fails: [LOST, REFUSED, REFUSED] });
    const { failure } = await runTool(sendEmail, GIVEN, { mail });
    expect(failure).toMatchObject({ code: "upstream_failed" });
    expect([failure?.happened, failure?.cause]).toEqual(["unknown", undefined]);
  });

  it("reports a mail that was only stored", async () => {
    const ran = await runTool(sendEmail, GIVEN, { mail: fakeMail({ provider: "outbox" }) });
    expect(ran.result).toMatchObject({ sent: false });
    expect(ran.output).toContain("nobody has got it");
  });

  it("sends no more mails than the task may, without counting unsent ones", async () => {
    const mail = fakeMail({ fails: [NEVER] });
    const config = { max_per_task: 2 };
    const send = async (key: string) => await runTool(sendEmail, GIVEN, { mail }, { config, key });
    const outcomes = [await send("1"), await send("2"), await send("3"), await send("4"), await send("2")];
    expect(outcomes.map(({ failure }) => failure?.code)).toEqual([
      "invalid_input",
      undefined,
      undefined,
      "budget_exceeded",
      undefined,
    ]);
    expect(mail.sent).toHaveLength(2);
  });

  it("is keyed where the provider knows a mail by its key, else it happens at most once", () => {
    const effect = sendEmail.effect as (given: unknown, facts: EffectFacts) => string;
    const facts = { idempotentHosts: [], skills: [] };
    expect(effect(GIVEN, { ...facts, mailKeyedForMs: 86_400_000 })).toBe("keyed");
    expect(effect(GIVEN, { ...facts, mailKeyedForMs: null })).toBe("once");
    const keyedForMs = sendEmail.keyedForMs as (given: unknown, facts: EffectFacts) => number;
    expect(keyedForMs(GIVEN, { ...facts, mailKeyedForMs: 86_400_000 })).toBe(86_400_000);
  });

  it("reads HTML that opens much and closes nothing", async () => {
    const mail = fakeMail();
    for (const part of ["<!--", "<a href='", "<", "<script>", "</", "<p "]) {
      const body = `<p>x${part.repeat(400_000 / part.length)}`;
      expect((await runTool(sendEmail, { ...GIVEN, body }, { mail })).failure).toBeUndefined();
      expect(mail.sent.at(-1)?.mail.text.startsWith("x")).toBe(true);
    }
  });
});
