/** What Otto tells a person by mail: the words around what a delivery says, in Markdown, and its subject. */
import type { Ask, AskedCall, OutMessage } from "../outbox/message.ts";
import { TOO_LONG_TO_SHOW } from "../../people/format-call.ts";
import { REPLY_MARK } from "./reply-text.ts";

const MAX_SUBJECT = 200;

/** What the message itself does not say. */
export interface Told {
  /** Whether the mail has an address that a reply to it counts at. */
  readonly canReply: boolean;
  /** Of an approval: whether the person that it goes to may decide it. */
  readonly mayApprove: boolean;
  /** Files that do not go with the mail, with the reason. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
}

/** A title says itself what it is the title of. */
export function toldSubject({ title, text }: Pick<OutMessage, "title" | "text">): string {
  const words = oneLine(title === "" ? text : title);
  return cut(words === "" ? "Otto" : words);
}

/** Markdown, which is also the plain form. */
export function toldText(message: OutMessage, told: Told): string {
  const { text, ask, outcome } = message;
  const parts = [
    ask !== null && told.canReply ? REPLY_MARK : "",
    text,
    ask === null ? "" : askText(ask, told),
    outcome === null ? "" : `${outcome.text}${outcome.by === null ? "" : ` (${outcome.by})`}`,
    told.leftOut.length === 0 ? "" : leftOutText(told.leftOut),
  ];
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}

function askText(ask: Ask, told: Told): string {
  const { choices, call, reason, expiresAt } = ask;
  const parts = [
    choices === null ? "" : `Choices:\n\n${choices.map((choice) => `- ${oneLine(choice)}`).join("\n")}`,
    call === null ? "" : `The call that waits: \`${call.tool}\``,
    call === null || isUnseen(ask) ? "" : fenced(call),
    reason === null ? "" : reason,
    howToAnswer(ask, told),
    expiresAt === null ? "" : `It expires at ${expiresAt.replace("T", " ").replace(/\.\d+Z$|Z$/, " UTC")}.`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** True for an approval whose arguments no channel shows. */
function isUnseen({ call }: Ask): boolean {
  return call !== null && call.arguments === null;
}

function howToAnswer(ask: Ask, { canReply, mayApprove }: Told): string {
  const { kind } = ask;
  if (kind === "approval" && !mayApprove) return "You cannot decide this. Somebody who may approve has to.";
  if (!canReply) return "Mail cannot be answered here: answer where you use Otto.";
  if (kind === "question") return "Answer by replying to this mail: what you write above the line counts.";
  if (isUnseen(ask)) return `${TOO_LONG_TO_SHOW} To do so, reply **REFUSE** to this mail, above the line.`;
  return "Reply **APPROVE** or **REFUSE** to this mail, above the line. What follows the word is kept as your reason.";
}

function leftOutText(files: Told["leftOut"]): string {
  return `Not attached:\n\n${files.map(({ path, why }) => `- ${oneLine(path)}: ${why}`).join("\n")}`;
}

/** A fence that the text itself cannot close. */
function fenced(call: AskedCall): string {
  return `\`\`\`\n${JSON.stringify(call.arguments, null, 2).replaceAll("```", "'''")}\n\`\`\``;
}

/** Fit for a header: one line without control characters. */
function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .toWellFormed();
}

function cut(text: string): string {
  return text.length <= MAX_SUBJECT ? text : `${text.slice(0, MAX_SUBJECT - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
