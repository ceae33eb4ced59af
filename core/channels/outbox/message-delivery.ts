/** Creates deliveries of messages to people, in the form that every channel reads. */
import { makeId } from "../../base/ids.ts";
import type { JsonState } from "../../tool/tool.ts";
import type { Delivery, DeliveryKind } from "./delivery.ts";
import type { OutMessage } from "./message.ts";
import type { Target } from "./targets.ts";

/** Limit of a delivery's text, which fits even when escaped as JSON. Longer text is truncated with a note. */
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
  /** When its cause happened, in milliseconds since the epoch. */
  readonly at: number;
  readonly random: Uint8Array;
  readonly refs?: readonly string[];
  readonly otherwise?: readonly Delivery[];
}

/** Creates a delivery that is sent as soon as its partition allows. */
export function createMessageDelivery(newMessage: NewMessage): Delivery {
  const { tenant, target, kind, task, about, message, at, random, refs = [], otherwise = [] } = newMessage;
  const id = makeId("delivery", at, random);
  return {
    id,
    tenant,
    channel: target.channel,
    to: target.to,
    kind,
    task,
    about,
    content: { ...message, text: truncateText(message.text) } satisfies JsonState & OutMessage,
    lane: getQueueKey(target, id),
    slot: null,
    keepAs: null,
    refs,
    notBefore: 0,
    otherwise,
    createdAt: at,
  };
}

/**
 * One destination is one partition. An endpoint may be retried for days, so each of its deliveries has a partition of
 * its own.
 */
function getQueueKey({ channel, to }: Target, id: string): string {
  return channel === "webhook" ? id : to;
}

/** The name under which a task's progress message is stored, for the next one to change and the result to close. */
export function getProgressName(task: string, { to }: Pick<Target, "to">): string {
  return `progress ${task} ${to}`;
}

/** A message with only a text and a title. */
export function createPlainMessage(title: string, text: string): OutMessage {
  return { text, files: [], sandbox: null, ask: null, outcome: null, isOver: false, title: toTitle(title) };
}

/** Escapes text for Markdown. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|~]/g, String.raw`\$&`);
}

/** The first non-empty line of a text, truncated to a title. */
export function toTitle(text: string): string {
  const line = text.split(/[\r\n]/).find((one) => one.trim() !== "") ?? "";
  const title = line.replace(/\s+/gu, " ").trim();
  return title.length <= MAX_TITLE_CHARACTERS ? title : `${truncate(title, MAX_TITLE_CHARACTERS - 1).trimEnd()}…`;
}

function truncateText(text: string): string {
  if (text.length <= MAX_TEXT_CHARACTERS) return text;
  return `${truncate(text, MAX_TEXT_CHARACTERS)}\n\n… (cut off: ${text.length} characters altogether; the task shows the rest)`;
}

/** The first characters, without half a surrogate pair at the end. */
function truncate(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}
