/** What people read of questions and approvals, before a channel gives it a form. */
import { getOwn } from "../base/own-field.ts";
import type { Ask, OutMessage } from "../channels/outbox/message.ts";
import type { Notice } from "../task/notice.ts";
import type { ApprovedFile, PendingView } from "../task/view.ts";
import { shownArguments } from "./format-call.ts";

/** Characters of an answer that those who were asked too are shown. */
const MAX_SHOWN_ANSWER = 500;

const PLAIN = { files: [], sandbox: null, ask: null, outcome: null, isOver: false } as const;

/** Something that is asked, or only told (`waits` false). `person` is who it is for; null: whoever may answer. */
export interface AskTold {
  readonly waits: boolean;
  readonly text: string;
  readonly title: string;
  /** What it is called when nothing is waited for: the notice's own place in its task's log. */
  readonly ask: Ask;
}

/** What a `question.asked` tells; null: it is none, or not for a person. */
export function questionOf({ type, data, facts, seq }: Notice, personId: string | null): AskTold | null {
  const { query, person, wait, choices, question_id: id, expires_at: expiresAt } = data;
  if (type !== "question.asked" || typeof query !== "string") return null;
  // The one that is only told and names nobody goes where the task's result goes.
  if (wait !== true && typeof person !== "string") return null;
  return {
    waits: wait === true,
    text: query,
    title: wait === true ? "Otto has a question" : "A message from Otto",
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

/** An approval as its task shows it while it is open, without arguments that nobody could be shown whole. */
export function approvalOf(task: string, pending: Extract<PendingView, { kind: "approval" }>): AskTold {
  const { id, tool, arguments: given, arguments_hash: argumentsHash, expires_at: expiresAt, files = [] } = pending;
  const reason = files.length === 0 ? pending.reason : `${pending.reason} ${formatFiles(files)}`;
  return {
    waits: true,
    text: mayICall(tool),
    title: `Otto asks for approval: ${tool}`,
    ask: {
      kind: "approval",
      id,
      task,
      person: null,
      choices: null,
      call: { tool, arguments: shownArguments(given) === null ? null : given, argumentsHash },
      reason,
      expiresAt,
    },
  };
}

/** Characters of a hash that people compare. */
const SHORT_HASH = 12;

/** The files that an approval covers, as a sentence. */
function formatFiles(files: readonly ApprovedFile[]): string {
  const named = files.map(
    ({ path, size, sha256, file_count: count }) =>
      `${path} (${count === undefined ? "" : `${count} files, `}${size} bytes, SHA-256 ${sha256.slice(0, SHORT_HASH)}…)`,
  );
  return `With this content: ${named.join(", ")}.`;
}

/** What a place is sent first. */
export function askMessage({ text, title, ask, waits }: AskTold): OutMessage {
  return { ...PLAIN, text, title, ask: waits ? ask : null };
}

/** What a place is sent when nobody has answered. */
export function reminderMessage({ text, title, ask }: AskTold): OutMessage {
  return { ...PLAIN, text: `This still waits for an answer:\n\n${text}`, title: `Reminder: ${title}`, ask };
}

/** How something that was asked has ended. */
export interface AskEnd {
  readonly kind: Ask["kind"];
  readonly id: string;
  /** The record of the person who was asked; null: there is none. */
  readonly personId: string | null;
  /** What was asked. */
  readonly text: string;
  readonly outcome: { readonly text: string; readonly by: string | null };
}

/** The asks that a notice says are over; empty for every other notice. */
export function endsOf({ type, data }: Notice): AskEnd[] {
  switch (type) {
    case "question.answered":
      return [endOf("question", data, { text: `Answered: ${shownAnswer(data["answer"])}`, by: textOf(data["by"]) })];
    case "question.expired":
      return [endOf("question", data, { text: expiredText(textOf(data["answer"])), by: null })];
    case "approval.decided": {
      const reason = textOf(data["reason"]);
      const word = data["decision"] === "approve" ? "Approved" : "Refused";
      const outcome = { text: reason === null ? `${word}.` : `${word}: ${reason}`, by: textOf(data["by"]) };
      return [endOf("approval", data, outcome)];
    }
    case "approval.expired":
      return [endOf("approval", data, { text: "Nobody decided in time, so it was not done.", by: null })];
    case "task.completed":
    case "task.failed":
    case "task.cancelled":
      return leftOpen(data["closed"]).map((open) =>
        endOf(open["kind"] === "approval" ? "approval" : "question", open, {
          text: type === "task.cancelled" ? "The task was cancelled." : "The task has ended.",
          by: null,
        }),
      );
    default:
      return [];
  }
}

/** What those who were asked are told at the end. */
export function settledMessage(task: string, { kind, id, personId, text, outcome }: AskEnd): OutMessage {
  const ask: Ask = { kind, id, task, person: personId, choices: null, call: null, reason: null, expiresAt: null };
  return {
    ...PLAIN,
    text,
    title: kind === "question" ? "A question is settled" : "An approval is settled",
    ask,
    outcome,
  };
}

function endOf(kind: Ask["kind"], data: Readonly<Record<string, unknown>>, outcome: AskEnd["outcome"]): AskEnd {
  const id = textOf(getOwn(data, `${kind}_id`)) ?? textOf(data["id"]) ?? "";
  const text = kind === "question" ? (textOf(data["query"]) ?? "") : mayICall(textOf(data["tool"]) ?? "");
  return { kind, id, personId: textOf(data["person_id"]), text, outcome };
}

/** The reason stands beside the call, which each place shows below this. */
function mayICall(tool: string): string {
  return `May I call \`${tool}\`?`;
}

function expiredText(defaultAnswer: string | null): string {
  const stands = defaultAnswer === null ? "" : ` The agreed default stands: ${shownAnswer(defaultAnswer)}`;
  return `Nobody answered in time.${stands}`;
}

function leftOpen(closed: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(closed) ? (closed as readonly Readonly<Record<string, unknown>>[]) : [];
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function shownAnswer(answer: unknown): string {
  const text = textOf(answer) ?? "";
  return text.length > MAX_SHOWN_ANSWER ? `${text.slice(0, MAX_SHOWN_ANSWER).toWellFormed()}…` : text;
}
