/** Messages that are sent to a task while it runs. */
import type { Failure } from "../base/errors.ts";
import { splitAtRanges } from "../model/label-parts.ts";
import { joinMessages } from "../model/label-messages.ts";
import { getLabelName, PRINCIPAL } from "../provenance/label.ts";
import type { Command } from "./commands.ts";
import type { Turn } from "./turn.ts";

/**
 * The most characters of messages that wait for the next step. The state stores them in its one row of at most 2 MB.
 */
const MAX_STEERING_CHARACTERS = 100_000;

type MessageSent = Extract<Command, { type: "message" }>;

/** Adds a message for the next step, or returns why none follows. */
export function addMessage(turn: Turn, { text, own = text.length, outside }: MessageSent): Failure | null {
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
  const sent = splitAtRanges(text, outside ?? [[own, text.length]], PRINCIPAL);
  turn.set({ steering: [...steering, ...sent] });
  const label = getLabelName(joinMessages(sent));
  turn.emit("message.completed", { role: "user", text, label });
  return null;
}

function failure(message: string): Failure {
  return { code: "conflict", message };
}
