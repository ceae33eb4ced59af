/** Processes received mail: creates a task, or answers a question. */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { filesFromEnv } from "../../../adapters/env/files.ts";
import { mailSenderFromEnv, type MailHead, mailsInFromEnv, ownAddressesFromEnv } from "../../../adapters/env/mail.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import type { ItemOutcome, InboxItem } from "../../../core/channels/inbox/inbox.ts";
import { createMessageDelivery, createPlainMessage } from "../../../core/channels/outbox/message-delivery.ts";
import { NO_RUN_DEPTH } from "../../../core/base/call-budget.ts";
import type { Failure } from "../../../core/base/errors.ts";
import { canRetry } from "../../../core/gateway/outcome.ts";
import { normalizeAddress, parseMailbox } from "../../../core/channels/mail/address.ts";
import {
  findDecision,
  chooseFilePaths,
  isInThread,
  judgeMail,
  formatMailInput,
  toMailTexts,
  findNewTaskTitle,
} from "../../../core/channels/mail/judge-mail.ts";
import { extractReply } from "../../../core/channels/mail/reply-text.ts";
import type { PersonRecord } from "../../../core/people/person.ts";
import { mayInstruct, OUTSIDE } from "../../../core/provenance/label.ts";
import { createTaskFromOrder } from "../../tasks/create.ts";
import { seededIds } from "../../../core/base/seeded-ids.ts";
import { answerAsk, type Reply } from "../inbox/answer.ts";
import type { MailNote } from "./entry.ts";
import { putDeliveries } from "../outbox/put-deliveries.ts";

/** Delay before a retry while a dependency is unavailable. */
const RETRY_MS = 30_000;
/** Files of one mail for a task. */
const MAX_FILES = 50;

/** A mail written by a person of the tenant. */
interface WrittenMail extends Envelope {
  readonly tag: string | null;
  readonly person: PersonRecord;
  readonly isInThread: boolean;
  readonly text: string;
  readonly files: readonly {
    readonly filename: string | null;
    readonly contentType: string;
    readonly bytes: Uint8Array;
  }[];
}

/** The parts of a mail that a reply needs. */
interface Envelope {
  readonly tenant: string;
  readonly item: InboxItem;
  readonly from: string;
  readonly subject: string;
}

/** Deletes the mail once it is processed. Processing it again changes nothing. */
export async function receiveMail(env: Env, inbox: string, item: InboxItem): Promise<ItemOutcome> {
  const tenant = inbox.slice(inbox.indexOf("/") + 1);
  const handled = await handle(env, tenant, item);
  if (handled.kind !== "later") await mailsInFromEnv(env).forget(tenant, item.id);
  return handled;
}

async function handle(env: Env, tenant: string, item: InboxItem): Promise<ItemOutcome> {
  // `acceptMail` stored it in this form.
  const note = item.body as unknown as MailNote;
  const mails = mailsInFromEnv(env);
  const head = await mails.readHead(tenant, item.id);
  if (!head.ok && head.error.code === "not_found") return { kind: "done", note: "It was processed before." };
  if (!head.ok) return { ...retryOrFail(head.error), head: { from: note.from, subject: null } };
  const { from, subject } = head.value;
  const shown = { from: from[0] ?? note.from, subject };
  if (note.isTooLarge) return { ...ignoreMail("it is larger than 25 MB"), head: shown };
  return { ...(await judge(env, { tenant, item, note }, head.value)), head: shown };
}

async function judge(
  env: Env,
  { tenant, item, note }: { readonly tenant: string; readonly item: InboxItem; readonly note: MailNote },
  head: MailHead,
): Promise<ItemOutcome> {
  const mails = mailsInFromEnv(env);
  const sender = parseMailbox(mailSenderFromEnv(env), "from");
  const judged = judgeMail(head, { envelopeFrom: note.from, own: sender.ok ? sender.value.address : "" });
  if (judged.kind === "ignored") return ignoreMail(judged.why);
  const address = { kind: "email", address: judged.from } as const;
  const person = await databaseFromEnv(env).people.findByAddress(tenant, address);
  if (!person.ok) return retryOrFail(person.error);
  if (person.value === null) return ignoreMail("no person of the tenant has this address");
  const { subject } = head;
  const envelope = { tenant, item, from: judged.from, subject };
  const title = findNewTaskTitle(subject);
  if (note.tag === null && title === null)
    return ignoreMail("its subject does not start with New Task, and it answers no question");
  // Only the full text of a mail by a person of the tenant is read.
  const body = await mails.readBody(tenant, item.id);
  if (!body.ok) return await replyOrRetry(env, envelope, body.error, "Your mail was not accepted");
  const form = { isInThread: isInThread(head.headers) };
  const written = { ...envelope, tag: note.tag, person: person.value, ...form, ...body.value };
  return note.tag === null
    ? await createTaskFromMail(env, written, title ?? "")
    : await answerByMail(env, written, note.tag);
}

/** Retries a temporary failure; gives up any other. */
function retryOrFail(failure: Failure): ItemOutcome {
  const { code, message, retryAfterMs } = failure;
  if (!canRetry("mail_item", failure)) return { kind: "refused", why: message };
  const afterMs = Math.max(retryAfterMs ?? 0, RETRY_MS);
  return { kind: "later", afterMs, why: message, isUnexpected: code === "internal" };
}

/** Refuses a mail without a reply. Only an administrator sees it. */
function ignoreMail(why: string): ItemOutcome {
  return { kind: "refused", why: `${why.charAt(0).toUpperCase()}${why.slice(1)}.` };
}

async function createTaskFromMail(env: Env, written: WrittenMail, title: string): Promise<ItemOutcome> {
  const { tenant, item, from, person, text, isInThread: isThreaded } = written;
  const files = written.files.slice(0, MAX_FILES);
  const names = chooseFilePaths(files.map(({ filename }) => filename));
  const attached = { names, skipped: written.files.length - files.length };
  const input = formatMailInput({ title, text }, attached);
  if (input === "")
    return await replyToSender(
      env,
      written,
      "The mail was empty, so no task was created. Write what the task should do.",
    );
  const texts = toMailTexts({ title, text, isInThread: isThreaded }, attached);
  const made = await createTaskFromOrder(env, {
    tenant,
    request: { input, deliver: [{ channel: "email", to: from }], hold: true },
    // Quoted and forwarded text is not written by the sender.
    instructions: texts.flatMap(({ label, content }) => (mayInstruct(label) ? [content] : [])).join("\n\n"),
    texts,
    via: { channel: "email", id: from },
    seed: `email ${item.id}`,
    at: item.receivedAt,
    actsFor: { person: person.id, name: person.name, timeZone: person.timeZone },
  });
  if (!made.ok) return await replyOrRetry(env, written, made.error, "No task was created from your mail");
  const { id } = made.value;
  const port = filesFromEnv(env, { tenant, rootId: id, project: null });
  const options = { label: OUTSIDE, isUploaded: true } as const;
  for (const [index, { contentType, bytes }] of files.entries()) {
    const name = names[index] ?? "";
    const put = await port.write(name, bytes, { ...options, key: `${item.id}/${index}`, contentType });
    if (!put.ok) {
      const reply = await replyOrRetry(env, written, put.error, `The task of your mail was not started: ${name}`);
      if (reply.kind !== "later") await tasksFromEnv(env)(tenant, id).cancel("a file of its mail could not be stored");
      return reply;
    }
  }
  const started = await tasksFromEnv(env)(tenant, id).start(item.id, NO_RUN_DEPTH);
  // A task that has started was started by this mail.
  if (!started.ok && started.error.code !== "conflict") return retryOrFail(started.error);
  return { kind: "done", note: id };
}

async function answerByMail(env: Env, written: WrittenMail, tag: string): Promise<ItemOutcome> {
  const { tenant, item, from, person } = written;
  const replied = (await ownAddressesFromEnv(env)?.repliedTo(tenant, tag)) ?? null;
  if (replied?.ok === false) return retryOrFail(replied.error);
  const to = replied?.value ?? null;
  if (to === null) return ignoreMail("no question was sent from this address");
  if (to.address !== normalizeAddress(from))
    return await replyToSender(env, written, "The question was sent to another address. Reply from that address.");
  const text = extractReply(written.text);
  const given = parseReply(to.ask, text);
  if (given === null) {
    const missing = to.ask.startsWith("apr_")
      ? "Start your reply with APPROVE or REFUSE, above the quoted mail."
      : "Your reply was empty. Write the answer above the quoted mail.";
    return await replyToSender(env, written, `${missing} Reply to the question again.`);
  }
  const answered = await answerAsk(env, { tenant, ask: to.ask, reply: given, by: person, request: `email ${item.id}` });
  if (answered.ok) return { kind: "done", note: `It answered ${to.ask}.` };
  const { cause } = answered.error;
  const first = cause?.kind === "decided" ? ` ${cause.by} was first.` : "";
  return await replyOrRetry(env, written, answered.error, "Your reply did not count", first);
}

function parseReply(ask: string, text: string): Reply | null {
  if (!ask.startsWith("apr_")) return text === "" ? null : { text };
  const decided = findDecision(text);
  if (decided === null) return null;
  const { decision, reason } = decided;
  return reason === "" ? { decision } : { decision, reason };
}

/** Retries a temporary failure, and replies to the sender for any other. */
async function replyOrRetry(
  env: Env,
  written: Envelope,
  failure: Failure,
  what: string,
  more = "",
): Promise<ItemOutcome> {
  if (canRetry("mail_item", failure)) return retryOrFail(failure);
  return await replyToSender(env, written, `${what}: ${failure.message}${more}`);
}

/** Replies to the sender, at most once per mail: its id derives from the received mail. */
async function replyToSender(env: Env, { tenant, item, from, subject }: Envelope, text: string): Promise<ItemOutcome> {
  const { createdAt, random } = await seededIds("delivery", `email ${tenant} ${item.id}`, item.receivedAt);
  const message = createPlainMessage(`Re: ${subject.replace(/^(?:\s*re:)+\s*/i, "")}`, text);
  const target = { channel: "email", to: from } as const;
  const about = { tenant, target, kind: "reply", task: null, about: null, message } as const;
  await putDeliveries(env, [createMessageDelivery({ ...about, at: createdAt, random })]);
  return { kind: "refused", why: text };
}
