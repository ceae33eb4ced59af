/** Messages that are sent to a task while it runs. */
import { extendIntent } from "../apps/intent/task-apps.ts";
import type { Failure } from "../base/errors.ts";
import type { Actor } from "../connections/actors.ts";
import { type LabelledText, splitAtRanges } from "../model/label-parts.ts";
import { joinMessages } from "../model/label-messages.ts";
import { getLabelName, OPERATOR, PRINCIPAL } from "../provenance/label.ts";
import type { Command } from "./commands.ts";
import type { Turn } from "./turn.ts";

/**
 * The most characters of messages that wait for the next step. The state stores them in its one row of at most 2 MB.
 */
const MAX_STEERING_CHARACTERS = 100_000;

type MessageSent = Extract<Command, { type: "message" }>;

/** Adds a message for the next step, or returns why none follows. */
export function addMessage(turn: Turn, command: MessageSent): Failure | null {
  const { text } = command;
  const { phase, steering, facts } = turn.state;
  if (facts.kind === "call") return failure("This is a single call of a tool: it reads no messages.");
  if (phase.name === "ended") return failure(`The task is ${phase.status}: it reads no more messages.`);
  const call = phase.name === "condensing" ? phase.retry : "final" in phase ? phase : null;
  if (call?.final === true) {
    return failure("The task has no steps left and is giving its last answer: it reads no more messages.");
  }
  const before = steering.reduce((sum, { content }) => sum + content.length, 0);
  if (before + text.length > MAX_STEERING_CHARACTERS) {
    return failure("The task has not read its last messages yet. Send this again after its next step.");
  }
  const { parts, author } = readMessage(command);
  // Otto's own note never refuses what a person wrote.
  const hasRoom = before + text.length + (command.hint ?? "").length <= MAX_STEERING_CHARACTERS;
  turn.set({ steering: [...steering, ...parts, ...(hasRoom ? toHintParts(command) : [])] });
  turn.addActor(author);
  addToIntent(turn, parts);
  const label = getLabelName(joinMessages(parts));
  turn.emit("message.completed", { role: "user", text, label, by: formatActor(author) });
  return null;
}

/** Adds what a message asks for of the task's apps. Its parts that may not instruct ask for nothing. */
function addToIntent(turn: Turn, parts: readonly LabelledText[]): void {
  const { facts, intent: before = facts.apps?.intent } = turn.state;
  if (before === undefined) return;
  const intent = extendIntent(before, parts);
  if (intent !== before) turn.set({ intent });
}

/**
 * Reads a message as parts with their labels, and its author. A part that may instruct and the author are one fact: no
 * other place makes such a part of a message. Pasted text has the author who pasted it.
 */
function readMessage({ text, own = text.length, outside, by = null }: MessageSent): {
  readonly parts: readonly LabelledText[];
  readonly author: Actor | null;
} {
  return { parts: splitAtRanges(text, outside ?? [[own, text.length]], PRINCIPAL), author: by };
}

/** Otto's own text after a message. It asks for nothing in the name of the author, and is no part of what they wrote. */
function toHintParts({ hint = "" }: MessageSent): LabelledText[] {
  return hint === "" ? [] : [{ role: "user", content: `\n\n${hint}`, label: OPERATOR, continues: true }];
}

/** The author of a text, as events show it; null if unknown. */
function formatActor(actor: Actor | null): { readonly person_id: string | null; readonly name: string } | null {
  return actor === null ? null : { person_id: actor.person, name: actor.name };
}

function failure(message: string): Failure {
  return { code: "conflict", message };
}
