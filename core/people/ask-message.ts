/** Formats questions and approvals for people, before a channel renders them. */
import { getOwn } from "../base/own-field.ts";
import type { AccountView } from "../connections/account.ts";
import type { Ask, OutMessage } from "../channels/outbox/message.ts";
import { escapeMarkdown } from "../channels/outbox/message-delivery.ts";
import type { Notice } from "../task/notice.ts";
import type { ApprovedFile, PendingView } from "../task/view.ts";
import { formatArguments } from "./format-call.ts";

/** Characters of an answer that the other recipients see. */
const MAX_SHOWN_ANSWER = 500;

const PLAIN = { files: [], sandbox: null, ask: null, outcome: null, isOver: false } as const;

/**
 * A question, an approval, or a notification (`waits` false). `person` is the recipient; null for any permitted person.
 */
export interface RenderedAsk {
  readonly waits: boolean;
  readonly text: string;
  readonly title: string;
  /** The id of a notification: its position in the task's log. */
  readonly ask: Ask;
}

/** The content of `question.asked`; null for another notice, or when it is not for this person. */
export function toQuestion({ type, data, facts, seq }: Notice, personId: string | null): RenderedAsk | null {
  const { query, person, wait, choices, question_id: id, expires_at: expiresAt } = data;
  if (type !== "question.asked" || typeof query !== "string") return null;
  // A notification without a person goes where the task's result goes.
  if (wait !== true && typeof person !== "string") return null;
  return {
    waits: wait === true,
    text: query,
    title: wait === true ? "A question from Otto" : "A message from Otto",
    ask: {
      kind: "question",
      id: typeof id === "string" ? id : `${facts.task}/${seq}`,
      task: facts.task,
      person: personId,
      choices: Array.isArray(choices) ? choices.map(String) : null,
      call: null,
      reason: null,
      expiresAt: typeof expiresAt === "string" ? expiresAt : null,
    },
  };
}

/** An open approval, and the account that its call uses, if any. */
type ApprovalToShow = Extract<PendingView, { kind: "approval" }> & { readonly account?: AccountView };

/** An open approval, without arguments that are too long to show. */
export function toApproval(task: string, pending: ApprovalToShow): RenderedAsk {
  const { id, tool, arguments: given, arguments_hash: argumentsHash, expires_at: expiresAt, files = [] } = pending;
  const { account, decides = null } = pending;
  const reason = files.length === 0 ? pending.reason : `${pending.reason} ${formatFiles(files)}`;
  return {
    waits: true,
    text: formatCallQuestion(tool),
    title: `Otto asks for approval: ${tool}`,
    ask: {
      kind: "approval",
      id,
      task,
      person: decides?.person_id ?? null,
      choices: null,
      call: { tool, arguments: formatArguments(given) === null ? null : given, argumentsHash },
      reason,
      expiresAt,
      ...(account === undefined ? {} : { account }),
    },
  };
}

/** The notification of an approval that only its owner decides, for others who follow the task: nothing to decide. */
export function toOwnersNotice(approval: RenderedAsk, owner: string): RenderedAsk {
  return {
    ...approval,
    waits: false,
    text: `${approval.text} Waiting for ${escapeMarkdown(owner)}, whose account it uses.`,
  };
}

/** Characters of a hash for people to compare. */
const SHORT_HASH = 12;

/** The files that an approval covers, as a sentence. */
function formatFiles(files: readonly ApprovedFile[]): string {
  const named = files.map(
    ({ path, size, sha256, file_count: count }) =>
      `${path} (${count === undefined ? "" : `${count} files, `}${size} bytes, SHA-256 ${sha256.slice(0, SHORT_HASH)}…)`,
  );
  return `With this content: ${named.join(", ")}.`;
}

/** The first message to a destination. */
export function createAskMessage({ text, title, ask, waits }: RenderedAsk): OutMessage {
  return { ...PLAIN, text, title, ask: waits ? ask : null };
}

/** The message after a time without an answer. */
export function createReminderMessage({ text, title, ask }: RenderedAsk): OutMessage {
  return { ...PLAIN, text: `This is still waiting for an answer:\n\n${text}`, title: `Reminder: ${title}`, ask };
}

/** The end of a question or an approval. */
export interface AskEnd {
  readonly kind: Ask["kind"];
  readonly id: string;
  /** The id of the person's record; null without one. */
  readonly personId: string | null;
  /** The text of the question. */
  readonly text: string;
  readonly outcome: { readonly text: string; readonly by: string | null };
}

/** The questions and approvals that a notice ends; empty for another notice. */
export function listAskEnds({ type, data }: Notice): AskEnd[] {
  switch (type) {
    case "question.answered":
      return [
        toAskEnd("question", data, { text: `Answered: ${truncateAnswer(data["answer"])}`, by: toText(data["by"]) }),
      ];
    case "question.expired":
      return [toAskEnd("question", data, { text: formatExpiry(toText(data["answer"])), by: null })];
    case "approval.decided": {
      const reason = toText(data["reason"]);
      const word = data["decision"] === "approve" ? "Approved" : "Refused";
      const outcome = { text: reason === null ? `${word}.` : `${word}: ${reason}`, by: toText(data["by"]) };
      return [toAskEnd("approval", data, outcome)];
    }
    case "approval.expired":
      return [toAskEnd("approval", data, { text: "Nobody decided in time, so the call was not made.", by: null })];
    case "task.completed":
    case "task.failed":
    case "task.cancelled":
      return listClosed(data["closed"]).map((open) =>
        toAskEnd(open["kind"] === "approval" ? "approval" : "question", open, {
          text: type === "task.cancelled" ? "The task was cancelled." : "The task has ended.",
          by: null,
        }),
      );
    default:
      return [];
  }
}

/** The message to the recipients when it has ended. */
export function createSettledMessage(task: string, { kind, id, personId, text, outcome }: AskEnd): OutMessage {
  const ask: Ask = { kind, id, task, person: personId, choices: null, call: null, reason: null, expiresAt: null };
  return {
    ...PLAIN,
    text,
    title: kind === "question" ? "A question is settled" : "An approval is settled",
    ask,
    outcome,
  };
}

function toAskEnd(kind: Ask["kind"], data: Readonly<Record<string, unknown>>, outcome: AskEnd["outcome"]): AskEnd {
  const id = toText(getOwn(data, `${kind}_id`)) ?? toText(data["id"]) ?? "";
  const text = kind === "question" ? (toText(data["query"]) ?? "") : formatCallQuestion(toText(data["tool"]) ?? "");
  return { kind, id, personId: toText(data["person_id"]) ?? readOwner(data), text, outcome };
}

/** The id of the person who decides an approval; null for everyone who may approve. */
export function readOwner({ decides }: Readonly<Record<string, unknown>>): string | null {
  return typeof decides === "object" && decides !== null && "person_id" in decides ? toText(decides.person_id) : null;
}

/** The reason follows the call, which each channel shows below. */
function formatCallQuestion(tool: string): string {
  return `May I call \`${tool}\`?`;
}

function formatExpiry(defaultAnswer: string | null): string {
  const defaultNote = defaultAnswer === null ? "" : ` The agreed default applies: ${truncateAnswer(defaultAnswer)}`;
  return `Nobody answered in time.${defaultNote}`;
}

function listClosed(closed: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(closed) ? (closed as readonly Readonly<Record<string, unknown>>[]) : [];
}

function toText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function truncateAnswer(answer: unknown): string {
  const text = toText(answer) ?? "";
  return text.length > MAX_SHOWN_ANSWER ? `${text.slice(0, MAX_SHOWN_ANSWER).toWellFormed()}…` : text;
}
