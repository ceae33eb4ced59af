import { z } from "zod";
import { asMaybeSent, type Failure, type Result, isNotSent } from "../../core/base/errors.ts";
import { formatMissingPermission } from "../../core/gateway/envelope.ts";
import { decideAfterFailure, getReceiverEffect } from "../../core/gateway/outcome.ts";
import { DEFAULT_KEYED_FOR_MS } from "../../core/web/idempotent-hosts.ts";
import { parseMailboxes } from "../../core/channels/mail/address.ts";
import { htmlToText, isHtml, textToHtml } from "../../core/channels/mail/html-text.ts";
import { type Mail, MAX_ATTACHMENTS, type SentMail, type TaskMailPort } from "../../core/ports/mail.ts";
import type { CallFacts } from "../../core/tool/tool.ts";
import { defineTool, failure, failWith } from "../define-tool.ts";
import { readMailFiles } from "./mail-files.ts";

/** Document 000: three tries, five seconds apart. */
const TRIES = 3;
const PAUSE_MS = 5_000;
/** Three times what a provider may take, and the pauses. */
const TIMEOUT_MS = 240_000;
const MAX_BODY = 500_000;
/** Mails of one task, with all its subtasks, unless its agent says otherwise. */
const MAX_MAILS = 20;

const settings = z.strictObject({
  max_per_task: z.int().min(0).max(1_000).optional().describe("Mails that a task may send, with its subtasks"),
});

export default defineTool({
  name: "send_email",
  summary: "Send an e-mail, with files of the sandbox as attachments.",
  toolbox: "people",
  category: "communication",
  permissions: ["network"],
  security: "dangerous",
  effect: (_given, { mailKeyedForMs }) => getReceiverEffect(mailKeyedForMs).effect,
  keyedForMs: (_given, { mailKeyedForMs }) => mailKeyedForMs ?? DEFAULT_KEYED_FOR_MS,
  needs: ["mail", "files"],
  refersTo: { attachment_filenames: "file" },
  touches: ({ attachment_filenames: names = [] }) => (names.length > 0 ? [{ resource: "files", mode: "read" }] : []),
  yields: "own",
  settings,
  aliases: { attachments: "attachment_filenames", body_html: "body" },
  timeoutMs: TIMEOUT_MS,
  input: z.object({
    to: z.string().trim().min(1).max(5_000).describe("Addresses, with commas between them"),
    subject: z.string().trim().min(1).max(998),
    body: z.string().min(1).max(MAX_BODY).describe("HTML; a text without any tag is taken as it is"),
    cc: z.string().trim().max(5_000).optional().describe("Addresses, with commas between them"),
    attachment_filenames: z
      .array(z.string())
      .max(MAX_ATTACHMENTS)
      .optional()
      .describe("Files of the sandbox, at most 10 MB each and 20 MB together"),
  }),
  output: z.object({
    sent: z.boolean().describe("False: no provider of mail is set up, and the mail was only kept"),
    id: z.string(),
    to: z.array(z.string()),
    attachments: z.array(z.string()),
    note: z.string().nullable(),
  }),
  async run(given, { mail, files, sandbox, permissions, config, key, nowMs, signal }) {
    const names = given.attachment_filenames ?? [];
    if (names.length > 0 && !permissions.includes("read"))
      return failure("permission_denied", formatMissingPermission("read", permissions), {
        field: "attachment_filenames",
      });
    const to = parseMailboxes(given.to, "to");
    if (!to.ok) return failWith(to.error);
    const cc = parseMailboxes(given.cc ?? "", "cc");
    if (!cc.ok) return failWith(cc.error);
    const attachments = await readMailFiles(names, { files, sandbox });
    if (!attachments.ok) return failWith(attachments.error);
    const html = isHtml(given.body) ? given.body : textToHtml(given.body);
    const text = isHtml(given.body) ? htmlToText(given.body) : given.body;
    const whole: Mail = {
      to: to.value,
      cc: cc.value,
      replyTo: null,
      subject: given.subject,
      html,
      text,
      attachments: attachments.value,
      headers: [],
    };
    const reserved = await mail.reserve(key, settings.parse(config).max_per_task ?? MAX_MAILS);
    if (!reserved.ok) return failWith(reserved.error);
    const sent = await sendWithTries(whole, mail, { key, nowMs, signal });
    if (!sent.ok) {
      if (isNotSent(sent.error)) await mail.release(key);
      return failWith(sent.error);
    }
    const isKept = mail.provider === "outbox";
    return {
      sent: !isKept,
      id: sent.value.id,
      to: to.value.map(({ address }) => address),
      attachments: attachments.value.map(({ filename }) => filename),
      note: isKept
        ? "No provider of mail is set up: the mail was kept in the local outbox, and nobody has got it."
        : null,
    };
  },
  show: ({ to, attachments, note }) =>
    note ??
    `The e-mail was sent to ${to.join(", ")}${attachments.length === 0 ? "" : ` with ${attachments.join(", ")}`}.`,
  examples: [
    {
      note: "a report to two people",
      given: {
        to: "ana@example.com, Ben <ben@example.com>",
        subject: "The plan",
        body: "<p>Here is the <b>plan</b>.</p>",
        attachment_filenames: ["notes/plan.md"],
      },
    },
  ],
});

/** Sends again only what surely did not leave, or what the provider knows again by its key. */
async function sendWithTries(
  whole: Mail,
  mail: TaskMailPort,
  { key, nowMs, signal }: Pick<CallFacts, "key" | "nowMs" | "signal">,
): Promise<Result<SentMail>> {
  const terms = { ...getReceiverEffect(mail.keyedForMs), sentAt: nowMs };
  let mayHaveHappened = false;
  for (let tries = 1; ; tries += 1) {
    const sent = await mail.send(whole, { key, signal });
    if (sent.ok) return sent;
    const decided = decideAfterFailure("mail", sent.error, { ...terms, mayHaveHappened, retryAt: nowMs + TIMEOUT_MS });
    ({ mayHaveHappened } = decided);
    if (decided.next !== "retry" || tries === TRIES || !(await mail.pause(PAUSE_MS, signal)))
      return { ok: false, error: lastWord(sent.error, mayHaveHappened) };
  }
}

/** What an earlier try may have sent, a later refusal does not take back. The gateway makes no more tries of its own. */
function lastWord(error: Failure, mayHaveLeft: boolean): Failure {
  if (!mayHaveLeft) return { ...error, retryAfterMs: TIMEOUT_MS };
  const { cause: _, details: __, ...rest } = error;
  const code = error.code === "timeout" ? "timeout" : "upstream_failed";
  return asMaybeSent({ ...rest, code, retryAfterMs: TIMEOUT_MS }).error;
}
