/** What a button, a select or a window of Otto's says of itself, and how that is read when somebody used it. */
import { z } from "zod";
import { parseJson } from "../../base/parse-json.ts";

/** `answer` and `edit` open a window; the others are done by the click. */
export const SLACK_VERBS = ["answer", "choose", "approve", "refuse", "edit", "stop"] as const;
export type SlackVerb = (typeof SLACK_VERBS)[number];

/** What is to be done, to which task. */
export interface SlackAction {
  readonly verb: SlackVerb;
  readonly task: string;
  /** The question or approval; null: the task itself is meant. */
  readonly ask: string | null;
  /** Of `choose`: the place of the choice among those of the question, from 0. */
  readonly choice: number | null;
}

/** What a window keeps in its `private_metadata`: the card from which it was opened. */
export interface SlackWindow {
  readonly task: string;
  readonly ask: string;
  readonly channel: string;
  readonly ts: string;
}

const PREFIX = "otto:";

/** Ids of actions are unique in a block, so each choice has one of its own. */
export function actionId({ verb, choice }: Pick<SlackAction, "verb" | "choice">): string {
  return choice === null ? `${PREFIX}${verb}` : `${PREFIX}${verb}:${choice}`;
}

/** At most 150 characters: Slack takes no more of the value of an option. */
export function actionValue({ task, ask, choice }: Omit<SlackAction, "verb">): string {
  return JSON.stringify({ task, ...(ask !== null && { ask }), ...(choice !== null && { choice }) });
}

const value = z.object({
  task: z.string().max(100),
  ask: z.string().max(200).optional(),
  choice: z.int().nonnegative().optional(),
});

/** Null: it is none of Otto's. `text` is the button's value, or that of the option that was selected. */
export function readAction(id: string, text: string): SlackAction | null {
  const verb = verbOf(id);
  const read = value.safeParse(parseJson(text));
  if (verb === null || !read.success) return null;
  const { task, ask = null, choice = null } = read.data;
  const isWhole = verb === "stop" || (ask !== null && (verb !== "choose" || choice !== null));
  return isWhole ? { verb, task, ask, choice } : null;
}

/** The verb of an action's id, or of the `callback_id` of a window; null: it is none of Otto's. */
export function verbOf(id: string): SlackVerb | null {
  const [, named] = /^otto:([a-z]+)(?::\d+)?$/.exec(id) ?? [];
  return SLACK_VERBS.find((verb) => verb === named) ?? null;
}

const window = z.object({ task: z.string(), ask: z.string(), channel: z.string(), ts: z.string() });

/** Of a window's `private_metadata`; null: it is none of Otto's. */
export function readWindow(text: string): SlackWindow | null {
  const read = window.safeParse(parseJson(text));
  return read.success ? read.data : null;
}
