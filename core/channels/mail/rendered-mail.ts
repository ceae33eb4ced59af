/** Renders a delivery as a mail to a person: Markdown and a subject. */
import type { Ask, ApprovalCall, OutMessage } from "../outbox/message.ts";
import { escapeMarkdown } from "../outbox/message-delivery.ts";
import { formatThrough, TOO_LONG_TO_SHOW } from "../../people/format-call.ts";
import { REPLY_MARK } from "./reply-text.ts";

const MAX_SUBJECT = 200;

/** What rendering needs besides the message. */
export interface MailContext {
  /** Whether the mail has an address for replies. */
  readonly canReply: boolean;
  /** For an approval: whether the recipient may decide it. */
  readonly mayApprove: boolean;
  /** Files that are not attached, with the reason. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
}

/** The subject: the title, or the text without one. */
export function renderSubject({ title, text }: Pick<OutMessage, "title" | "text">): string {
  const words = toOneLine(title === "" ? text : title);
  return truncate(words === "" ? "Otto" : words);
}

/** The Markdown, which is also the plain text. */
export function renderText(message: OutMessage, context: MailContext): string {
  const { text, ask, outcome } = message;
  const parts = [
    ask !== null && context.canReply ? REPLY_MARK : "",
    text,
    ask === null ? "" : renderAsk(ask, context),
    outcome === null ? "" : `${outcome.text}${outcome.by === null ? "" : ` (${outcome.by})`}`,
    context.skipped.length === 0 ? "" : renderSkipped(context.skipped),
  ];
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}

function renderAsk(ask: Ask, context: MailContext): string {
  const { choices, call, reason, expiresAt, account } = ask;
  const parts = [
    choices === null ? "" : `Choices:\n\n${choices.map((choice) => `- ${toOneLine(choice)}`).join("\n")}`,
    call === null ? "" : `The call that waits: \`${call.tool}\``,
    call === null || hasHiddenArguments(ask) ? "" : toFence(call),
    account === undefined ? "" : `${escapeMarkdown(toOneLine(formatThrough(account)))}.`,
    reason === null ? "" : reason,
    renderReplyHint(ask, context),
    expiresAt === null ? "" : `It expires at ${expiresAt.replace("T", " ").replace(/\.\d+Z$|Z$/, " UTC")}.`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** True for an approval with arguments that are too long to show. */
function hasHiddenArguments({ call }: Ask): boolean {
  return call !== null && call.arguments === null;
}

function renderReplyHint(ask: Ask, { canReply, mayApprove }: MailContext): string {
  const { kind } = ask;
  if (kind === "approval" && !mayApprove) return "You cannot decide this. It needs a person who may approve.";
  if (!canReply) return "Replies to this mail are not read: answer where you use Otto.";
  if (kind === "question") return "Answer by replying to this mail: what you write above the line counts.";
  if (hasHiddenArguments(ask)) return `${TOO_LONG_TO_SHOW} To do so, reply **REFUSE** to this mail, above the line.`;
  return "Reply **APPROVE** or **REFUSE** to this mail, above the line. The text after the word is stored as your reason.";
}

function renderSkipped(files: MailContext["skipped"]): string {
  return `Not attached:\n\n${files.map(({ path, why }) => `- ${toOneLine(path)}: ${why}`).join("\n")}`;
}

/** A code fence that the arguments cannot close. */
function toFence(call: ApprovalCall): string {
  return `\`\`\`\n${JSON.stringify(call.arguments, null, 2).replaceAll("```", "'''")}\n\`\`\``;
}

/** One line without control characters, as a header needs. */
function toOneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .toWellFormed();
}

function truncate(text: string): string {
  return text.length <= MAX_SUBJECT ? text : `${text.slice(0, MAX_SUBJECT - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
