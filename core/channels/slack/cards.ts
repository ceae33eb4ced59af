/** Messages with which people do something: questions, approvals, what a task does now, and what became of them. */
import { TOO_LONG_TO_SHOW } from "../../people/format-call.ts";
import type { Ask, AskedCall, OutMessage } from "../outbox/message.ts";
import { actionId, actionValue, type SlackAction, type SlackVerb } from "./actions.ts";
import { cutText, escapeText, partsOf } from "./escape.ts";
import { codeLine } from "./mrkdwn.ts";
import { fallbackOf, MAX_SECTION_CHARACTERS, sectionBlock, sectionsOf } from "./pack.ts";
import type { SlackJson, SlackContent } from "../../ports/slack.ts";
import { editableArguments } from "./views.ts";

/** More choices than these are a list to select from. */
const MAX_BUTTONS = 5;
/** Of a button or an option, as Slack takes them. */
const MAX_LABEL_CHARACTERS = 75;
const MAX_OPTIONS = 100;
/** Sections of a text on a card; what is longer is cut, and says so. */
const MAX_CARD_SECTIONS = 4;
/** Of one section of arguments; there are as many as it takes. */
const MAX_ARGUMENT_CHARACTERS = 2_500;
const MAX_REASON_CHARACTERS = 1_000;

/** A question or an approval, with what answers it; a reminder of one likewise. */
export function askCard({ text, ask }: Pick<OutMessage, "text"> & { readonly ask: Ask }): SlackContent {
  const said = [
    ...cardSections(text),
    ...(ask.call === null ? [] : callSections(ask.call, ask.reason)),
    ...listed(ask),
  ];
  const blocks = [...said.map(sectionBlock), ...buttonsOf(ask), ...contextOf(ask)];
  return { text: fallbackOf(said.join("\n")), blocks };
}

/** A card once it was decided, without its buttons. */
export function settledCard({ text, outcome }: Pick<OutMessage, "text" | "outcome">): SlackContent {
  const by = outcome?.by == null ? "" : ` — ${escapeText(cutText(outcome.by, MAX_LABEL_CHARACTERS))}`;
  const ended = `*${escapeText(cutText(outcome?.text ?? "Over", MAX_REASON_CHARACTERS)).replaceAll("*", "")}*${by}`;
  const said = [...cardSections(text), ended];
  return { text: fallbackOf(said.join("\n")), blocks: said.map(sectionBlock) };
}

/** What a task does now, with a button that stops it; once it is over, without. */
export function progressCard({ text, isOver }: Pick<OutMessage, "text" | "isOver">, task: string | null): SlackContent {
  const [said = "…"] = cardSections(text);
  const stop = button("Stop", { verb: "stop", task: task ?? "", ask: null, choice: null }, "danger");
  const context = { type: "context", elements: [{ type: "mrkdwn", text: said, verbatim: true }] };
  const actions = task === null || isOver ? [] : [{ type: "actions", elements: [stop] }];
  return { text: fallbackOf(said), blocks: [context, ...actions] };
}

function cardSections(text: string): string[] {
  const sections = sectionsOf(text);
  return sections.length <= MAX_CARD_SECTIONS ? sections : [...sections.slice(0, MAX_CARD_SECTIONS), "_(cut here)_"];
}

/** Why the call waits, and with exactly what it would be made. Which tool it is stands above it, in what is asked. */
function callSections({ arguments: given }: AskedCall, reason: string | null): string[] {
  const why = reason === null || reason === "" ? [] : [escapeText(cutText(reason, MAX_REASON_CHARACTERS))];
  const whole = codeLine(JSON.stringify(given, null, 2) ?? "");
  const shown = partsOf(whole, MAX_ARGUMENT_CHARACTERS).map((part) => `\`\`\`\n${part}\n\`\`\``);
  const call = given === null ? [`_${TOO_LONG_TO_SHOW}_`] : shown;
  return [...why, ...call];
}

/** The choices in full, where a button or an option would cut one. */
function listed({ choices }: Ask): string[] {
  if (choices === null || choices.every((choice) => choice.length <= MAX_LABEL_CHARACTERS)) return [];
  const lines = choices.map((choice, index) => `${index + 1}. ${escapeText(choice.replace(/\s+/g, " "))}`);
  const [first = "", ...rest] = partsOf(lines.join("\n"), MAX_SECTION_CHARACTERS - 1);
  return [rest.length > 0 ? `${first}…` : first];
}

function buttonsOf(ask: Ask): SlackJson[] {
  const about = { task: ask.task, ask: ask.id };
  const act = (label: string, verb: SlackVerb, style?: "primary" | "danger") =>
    button(label, { ...about, verb, choice: null }, style);
  if (ask.kind === "approval") {
    const isSeen = ask.call !== null && ask.call.arguments !== null;
    const approve = isSeen ? [act("Approve", "approve", "primary")] : [];
    const edit = isSeen && editableArguments(ask.call) !== null ? [act("Edit…", "edit")] : [];
    return [{ type: "actions", elements: [...approve, act("Refuse", "refuse", "danger"), ...edit] }];
  }
  const choices = (ask.choices ?? []).slice(0, MAX_OPTIONS);
  const chosen = choices.map((label, choice) => ({ label, action: { ...about, verb: "choose", choice } as const }));
  const first =
    choices.length <= MAX_BUTTONS ? chosen.map(({ label, action }) => button(label, action)) : [selectOf(chosen)];
  return [{ type: "actions", elements: [...first, act("Answer…", "answer")] }];
}

function selectOf(chosen: readonly { readonly label: string; readonly action: SlackAction }[]): SlackJson {
  return {
    type: "static_select",
    action_id: actionId({ verb: "choose", choice: null }),
    placeholder: plain("Choose"),
    options: chosen.map(({ label, action }) => ({ text: plain(label), value: actionValue(action) })),
  };
}

function button(label: string, action: SlackAction, style?: "primary" | "danger"): SlackJson {
  return {
    type: "button",
    action_id: actionId(action),
    text: plain(label),
    value: actionValue(action),
    ...(style !== undefined && { style }),
  };
}

function plain(label: string): SlackJson {
  const text = label.replace(/\s+/g, " ").trim();
  return { type: "plain_text", text: cutText(text === "" ? "…" : text, MAX_LABEL_CHARACTERS), emoji: false };
}

/** Until when there is time, in the reader's own zone (https://docs.slack.dev/messaging/formatting-message-text/#date-formatting). */
function contextOf({ expiresAt }: Ask): SlackJson[] {
  const at = expiresAt === null ? Number.NaN : Date.parse(expiresAt);
  if (expiresAt === null || Number.isNaN(at)) return [];
  const text = `Until <!date^${Math.floor(at / 1000)}^{date_short_pretty} {time}|${escapeText(expiresAt)}>`;
  return [{ type: "context", elements: [{ type: "mrkdwn", text }] }];
}
