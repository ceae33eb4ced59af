/** Encodes what a button, a select or a modal of Otto's does, and reads it when a person uses it. */
import { z } from "zod";
import { parseJson } from "../../base/parse-json.ts";

/** `answer` and `edit` open a modal; a click completes the others. `reply` answers with a text that was written before. */
export const SLACK_VERBS = ["answer", "reply", "choose", "approve", "refuse", "edit", "stop"] as const;
export type SlackVerb = (typeof SLACK_VERBS)[number];

/** An action on a task. */
export interface SlackAction {
  readonly verb: SlackVerb;
  readonly task: string;
  /** The question or approval; null for an action on the task itself. */
  readonly ask: string | null;
  /** For `choose`: the index of the choice, from 0. */
  readonly choice: number | null;
  /** For `reply`: the answer. */
  readonly text?: string;
}

/** The `private_metadata` of a modal: the card that opened it. */
export interface SlackWindow {
  readonly task: string;
  readonly ask: string;
  readonly channel: string;
  readonly ts: string;
}

const PREFIX = "otto:";

/** Action ids are unique in a block, so each choice has its own. */
export function toActionId({ verb, choice }: Pick<SlackAction, "verb" | "choice">): string {
  return choice === null ? `${PREFIX}${verb}` : `${PREFIX}${verb}:${choice}`;
}

/** Slack's limit for the value of a button. */
export const MAX_BUTTON_VALUE_CHARACTERS = 2_000;

/** Without a text at most 150 characters, Slack's limit for the value of an option. */
export function toActionValue({ task, ask, choice, text }: Omit<SlackAction, "verb">): string {
  return JSON.stringify({
    task,
    ...(ask !== null && { ask }),
    ...(choice !== null && { choice }),
    ...(text !== undefined && { text }),
  });
}

const value = z.object({
  task: z.string().max(100),
  ask: z.string().max(200).optional(),
  choice: z.int().nonnegative().optional(),
  text: z.string().max(MAX_BUTTON_VALUE_CHARACTERS).optional(),
});

/** Null for a foreign action. `text` is the button's value, or that of the selected option. */
export function readAction(id: string, text: string): SlackAction | null {
  const verb = findVerb(id);
  const read = value.safeParse(parseJson(text));
  if (verb === null || !read.success) return null;
  const { task, ask = null, choice = null, text: reply } = read.data;
  const isWhole =
    verb === "stop" ||
    (ask !== null && (verb !== "choose" || choice !== null) && (verb !== "reply" || reply !== undefined));
  if (!isWhole) return null;
  return { verb, task, ask, choice, ...(verb === "reply" && reply !== undefined && { text: reply }) };
}

/** The verb of an action's id or a modal's `callback_id`; null for a foreign one. */
export function findVerb(id: string): SlackVerb | null {
  const [, named] = /^otto:([a-z]+)(?::\d+)?$/.exec(id) ?? [];
  return SLACK_VERBS.find((verb) => verb === named) ?? null;
}

const window = z.object({ task: z.string(), ask: z.string(), channel: z.string(), ts: z.string() });

/** Reads a modal's `private_metadata`; null for a foreign one. */
export function readWindow(text: string): SlackWindow | null {
  const read = window.safeParse(parseJson(text));
  return read.success ? read.data : null;
}
