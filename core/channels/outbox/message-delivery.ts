/** Deliveries that say something to people, in the form that every channel reads. */
import { makeId } from "../../base/ids.ts";
import type { JsonState } from "../../tool/tool.ts";
import type { Delivery, DeliveryKind } from "./delivery.ts";
import type { OutMessage } from "./message.ts";
import type { Target } from "./targets.ts";

/** Characters of a text that one delivery holds: escaped as JSON it still fits. What is over is cut off, and says so. */
const MAX_TEXT_CHARACTERS = 80_000;
const MAX_TITLE_CHARACTERS = 100;

/** A message for one target. `random` is at least 10 bytes: with `at`, it makes the id. */
export interface NewMessage {
  readonly tenant: string;
  readonly target: Target;
  readonly kind: DeliveryKind;
  readonly task: string | null;
  readonly about: string | null;
  readonly message: OutMessage;
  /** When what it tells of happened, in milliseconds since the epoch. */
  readonly at: number;
  readonly random: Uint8Array;
  readonly refs?: readonly string[];
  readonly otherwise?: readonly Delivery[];
}

/** Leaves as soon as its lane lets it. */
export function messageDelivery(asked: NewMessage): Delivery {
  const { tenant, target, kind, task, about, message, at, random, refs = [], otherwise = [] } = asked;
  const id = makeId("delivery", at, random);
  return {
    id,
    tenant,
    channel: target.channel,
    to: target.to,
    kind,
    task,
    about,
    content: { ...message, text: cutText(message.text) } satisfies JsonState & OutMessage,
    lane: laneOf(target, id),
    slot: null,
    keepAs: null,
    refs,
    notBefore: 0,
    otherwise,
    createdAt: at,
  };
}

/** What is said in one place is said in order. An endpoint may be tried for days, which holds up nothing else. */
function laneOf({ channel, to }: Target, id: string): string {
  return channel === "webhook" ? id : to;
}

/** Under which name the message that shows a task's progress in a place is kept, for the next to change and the result to close. */
export function progressName(task: string, { to }: Pick<Target, "to">): string {
  return `progress ${task} ${to}`;
}

/** A message with a text and a title, and nothing else. */
export function plainMessage(title: string, text: string): OutMessage {
  return { text, files: [], sandbox: null, ask: null, outcome: null, isOver: false, title: titleOf(title) };
}

/** The first line of a text that holds something, short enough for a title. */
export function titleOf(text: string): string {
  const line = text.split(/[\r\n]/).find((one) => one.trim() !== "") ?? "";
  const title = line.replace(/\s+/gu, " ").trim();
  return title.length <= MAX_TITLE_CHARACTERS ? title : `${cutAt(title, MAX_TITLE_CHARACTERS - 1).trimEnd()}…`;
}

function cutText(text: string): string {
  if (text.length <= MAX_TEXT_CHARACTERS) return text;
  return `${cutAt(text, MAX_TEXT_CHARACTERS)}\n\n… (cut off: ${text.length} characters in all; the task shows the rest)`;
}

/** The first characters, with no half of a pair at the end. */
function cutAt(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}
