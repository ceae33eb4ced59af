/** Slack messages that people act on: questions, approvals, progress, and their outcome. */
import { formatThrough, TOO_LONG_TO_SHOW } from "../../people/format-call.ts";
import type { Ask, OutMessage, ApprovalCall } from "../outbox/message.ts";
import { findTaskOfWait } from "../../base/ids.ts";
import { MAX_BUTTON_VALUE_CHARACTERS, type SlackAction, type SlackVerb, toActionId, toActionValue } from "./actions.ts";
import type { OpenQuestion } from "./open-questions.ts";
import { escapeText, truncateText, splitEscaped } from "./escape.ts";
import { MAX_SECTION_CHARACTERS, toFallback, toSectionBlock, toSections } from "./pack.ts";
import type { SlackJson, SlackContent } from "../../ports/slack.ts";
import { escapeCodeLine } from "./mrkdwn.ts";
import { formatEditableArguments } from "./views.ts";

/** With more choices, the card has a select. */
const MAX_BUTTONS = 5;
/** Slack's limit for the label of a button or an option. */
const MAX_LABEL_CHARACTERS = 75;
const MAX_OPTIONS = 100;
/** Sections of a card's text; longer text is cut with a note. */
const MAX_CARD_SECTIONS = 4;
/** Characters of one section of arguments. Arguments take several sections if needed. */
const MAX_ARGUMENT_CHARACTERS = 2_500;
const MAX_REASON_CHARACTERS = 1_000;

/** Questions among which a person chooses. */
const MAX_LISTED_QUESTIONS = 10;

/**
 * A question or an approval with its buttons, also as a reminder. `isDirect`: in direct messages, where any message may
 * be the answer.
 */
export function renderAskCard(
  { text, ask }: Pick<OutMessage, "text"> & { readonly ask: Ask },
  isDirect = false,
): SlackContent {
  const sections = [
    ...toCardSections(text),
    ...(ask.call === null ? [] : toCallSections(ask.call, ask.reason)),
    ...(ask.account === undefined ? [] : [escapeText(truncateText(formatThrough(ask.account), MAX_REASON_CHARACTERS))]),
    ...listLongChoices(ask),
  ];
  const blocks = [...sections.map(toSectionBlock), ...createButtons(ask), ...createContext(ask, isDirect)];
  return { text: toFallback(sections.join("\n")), blocks };
}

/**
 * Asks a person which of several open questions a message answers. A button answers with the message; one that is too
 * long for a button is written again in a window.
 */
export function renderWhichCard(text: string, open: readonly OpenQuestion[], hasFiles: boolean): SlackContent {
  const head = `${WHICH}${hasFiles ? ` ${FILES_AGAIN}` : ""}`;
  const blocks = open
    .slice(0, MAX_LISTED_QUESTIONS)
    .flatMap(({ id, query }) => [
      toSectionBlock(escapeText(truncateText(query.replace(/\s+/g, " "), MAX_REASON_CHARACTERS))),
      { type: "actions", elements: [createReplyButton(id, text)] },
    ]);
  return { text: head, blocks: [toSectionBlock(head), ...blocks] };
}

const WHICH = "Several questions are open here, so your message has answered none. Which one does it answer?";
const FILES_AGAIN = "Send its files again, in the thread of that question.";

function createReplyButton(ask: string, text: string): SlackJson {
  const about = { task: findTaskOfWait(ask) ?? "", ask, choice: null };
  const reply = { ...about, verb: "reply", text } as const;
  const isShort = text !== "" && toActionValue(reply).length <= MAX_BUTTON_VALUE_CHARACTERS;
  return isShort ? createButton("Answer this one", reply) : createButton("Answer…", { ...about, verb: "answer" });
}

/** A card after the decision, without its buttons. */
export function renderSettledCard({ text, outcome }: Pick<OutMessage, "text" | "outcome">): SlackContent {
  const by = outcome?.by == null ? "" : ` — ${escapeText(truncateText(outcome.by, MAX_LABEL_CHARACTERS))}`;
  const ended = `*${escapeText(truncateText(outcome?.text ?? "Ended", MAX_REASON_CHARACTERS)).replaceAll("*", "")}*${by}`;
  const sections = [...toCardSections(text), ended];
  return { text: toFallback(sections.join("\n")), blocks: sections.map(toSectionBlock) };
}

/** A task's progress, with a Stop button while it runs. */
export function renderProgressCard(
  { text, isOver }: Pick<OutMessage, "text" | "isOver">,
  task: string | null,
): SlackContent {
  const [section = "…"] = toCardSections(text);
  const stop = createButton("Stop", { verb: "stop", task: task ?? "", ask: null, choice: null }, "danger");
  const context = { type: "context", elements: [{ type: "mrkdwn", text: section, verbatim: true }] };
  const actions = task === null || isOver ? [] : [{ type: "actions", elements: [stop] }];
  return { text: toFallback(section), blocks: [context, ...actions] };
}

function toCardSections(text: string): string[] {
  const sections = toSections(text);
  return sections.length <= MAX_CARD_SECTIONS ? sections : [...sections.slice(0, MAX_CARD_SECTIONS), "_(cut here)_"];
}

/** Why the call waits, and its exact arguments. The question above names the tool. */
function toCallSections({ arguments: given }: ApprovalCall, reason: string | null): string[] {
  const why = reason === null || reason === "" ? [] : [escapeText(truncateText(reason, MAX_REASON_CHARACTERS))];
  const whole = escapeCodeLine(JSON.stringify(given, null, 2) ?? "");
  const sections = splitEscaped(whole, MAX_ARGUMENT_CHARACTERS).map((part) => `\`\`\`\n${part}\n\`\`\``);
  const call = given === null ? [`_${TOO_LONG_TO_SHOW}_`] : sections;
  return [...why, ...call];
}

/** The full choices, when a button or an option would cut one. */
function listLongChoices({ choices }: Ask): string[] {
  if (choices === null || choices.every((choice) => choice.length <= MAX_LABEL_CHARACTERS)) return [];
  const lines = choices.map((choice, index) => `${index + 1}. ${escapeText(choice.replace(/\s+/g, " "))}`);
  const [first = "", ...rest] = splitEscaped(lines.join("\n"), MAX_SECTION_CHARACTERS - 1);
  return [rest.length > 0 ? `${first}…` : first];
}

function createButtons(ask: Ask): SlackJson[] {
  const about = { task: ask.task, ask: ask.id };
  const act = (label: string, verb: SlackVerb, style?: "primary" | "danger") =>
    createButton(label, { ...about, verb, choice: null }, style);
  if (ask.kind === "approval") {
    const isVisible = ask.call !== null && ask.call.arguments !== null;
    const approve = isVisible ? [act("Approve", "approve", "primary")] : [];
    const edit = isVisible && formatEditableArguments(ask.call) !== null ? [act("Edit…", "edit")] : [];
    return [{ type: "actions", elements: [...approve, act("Refuse", "refuse", "danger"), ...edit] }];
  }
  const choices = (ask.choices ?? []).slice(0, MAX_OPTIONS);
  const options = choices.map((label, choice) => ({ label, action: { ...about, verb: "choose", choice } as const }));
  const first =
    choices.length <= MAX_BUTTONS
      ? options.map(({ label, action }) => createButton(label, action))
      : [createSelect(options)];
  return [{ type: "actions", elements: [...first, act("Answer…", "answer")] }];
}

function createSelect(chosen: readonly { readonly label: string; readonly action: SlackAction }[]): SlackJson {
  return {
    type: "static_select",
    action_id: toActionId({ verb: "choose", choice: null }),
    placeholder: toLabel("Choose"),
    options: chosen.map(({ label, action }) => ({ text: toLabel(label), value: toActionValue(action) })),
  };
}

function createButton(label: string, action: SlackAction, style?: "primary" | "danger"): SlackJson {
  return {
    type: "button",
    action_id: toActionId(action),
    text: toLabel(label),
    value: toActionValue(action),
    ...(style !== undefined && { style }),
  };
}

function toLabel(label: string): SlackJson {
  const text = label.replace(/\s+/g, " ").trim();
  return { type: "plain_text", text: truncateText(text === "" ? "…" : text, MAX_LABEL_CHARACTERS), emoji: false };
}

function createContext({ kind, expiresAt }: Ask, isDirect: boolean): SlackJson[] {
  const how = kind === "approval" ? [] : [toContextBlock(isDirect ? HOW_DIRECTLY : HOW_IN_THREAD)];
  return [...how, ...createExpiry(expiresAt)];
}

/** How a question is answered. */
const HOW_DIRECTLY = "To answer, write a message here or use a button. To request something else, mention me.";
const HOW_IN_THREAD = "To answer, reply in this thread or use a button.";

function toContextBlock(text: string): SlackJson {
  return { type: "context", elements: [{ type: "mrkdwn", text }] };
}

/** The expiry in the reader's time zone (https://docs.slack.dev/messaging/formatting-message-text/#date-formatting). */
function createExpiry(expiresAt: string | null): SlackJson[] {
  const at = expiresAt === null ? Number.NaN : Date.parse(expiresAt);
  if (expiresAt === null || Number.isNaN(at)) return [];
  const text = `Until <!date^${Math.floor(at / 1000)}^{date_short_pretty} {time}|${escapeText(expiresAt)}>`;
  return [toContextBlock(text)];
}
