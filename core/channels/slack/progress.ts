/** What a conversation is shown of a task at work: what it does, never with what. */
import { getOwn } from "../../base/own-field.ts";
import { isTerminalEvent } from "../../task/events.ts";
import { readIdTime } from "../../base/ids.ts";
import { type Delivery, outboxOf } from "../outbox/delivery.ts";
import { messageDelivery, plainMessage, progressName } from "../outbox/message-delivery.ts";
import type { Notice } from "../../task/notice.ts";
import type { Target } from "../outbox/targets.ts";
import { cutText } from "./escape.ts";

/** A task that ends sooner shows no progress. */
const FIRST_MS = 1_500;
/** Between two changes of the message. */
const EVERY_MS = 3_000;
const MAX_TOOL_CHARACTERS = 60;

const WAITS: Readonly<Record<string, string>> = {
  waiting_input: "Waiting for an answer…",
  waiting_approval: "Waiting for an approval…",
  waiting_subagents: "Waiting for its subagents…",
  sleeping: "Waiting…",
};

/** In Markdown; null: it changes nothing that is shown. */
export function progressText({ type, data }: Pick<Notice, "type" | "data">): string | null {
  switch (type) {
    case "task.started":
    case "task.resumed":
      return "Working on it…";
    case "step.started":
      return data["step"] === 1 ? null : `Working on it: step ${Number(data["step"])}…`;
    case "call.started":
      return typeof data["tool"] === "string" ? `Working on it: ${inWords(data["tool"])}…` : null;
    case "subtask.created":
      return "Working on it: a subagent has begun…";
    case "task.waiting":
      return getOwn(WAITS, String(data["status"])) ?? null;
    default:
      return null;
  }
}

/** A tool's name as words: it holds letters, digits, `_`, `.` and `-` only. */
function inWords(tool: string): string {
  return cutText(tool.replace(/[^a-zA-Z0-9]+/g, " ").trim(), MAX_TOOL_CHARACTERS);
}

/**
 * The moment at which what happened at `at` is shown: the first one, or one of those that follow every three seconds. What
 * happens in between is shown then, if it is still the latest. All in milliseconds since the epoch.
 */
export function progressMoment(task: string, at: number): number {
  const first = (readIdTime(task) ?? at) + FIRST_MS;
  return first + EVERY_MS * Math.max(0, Math.ceil((at - first) / EVERY_MS));
}

/** Gives at least 10 bytes that look random, the same for the same text. */
type RandomOf = (seed: string) => Promise<Uint8Array>;

/** What a notice makes necessary: a message in each conversation, or, at the end of the task, that none leaves any more. */
export async function progressOf(
  tenant: string,
  notice: Notice,
  randomOf: RandomOf,
): Promise<{ deliveries: Delivery[]; calledOff: { outbox: string; about: string }[] }> {
  const { facts, type } = notice;
  const targets = facts.deliver.flatMap(({ channel, to }) => (channel === "slack" ? [{ channel, to }] : []));
  const isShown = facts.parentId === null && !facts.isHidden;
  if (!isShown || targets.length === 0) return { deliveries: [], calledOff: [] };
  if (isTerminalEvent(type)) {
    const calledOff = targets.map((target) => {
      return { outbox: outboxOf({ tenant, ...target }), about: progressName(facts.task, target) };
    });
    return { deliveries: [], calledOff };
  }
  const text = progressText(notice);
  if (text === null) return { deliveries: [], calledOff: [] };
  const deliveries = targets.map(async (target) => {
    const random = await randomOf(`progress ${facts.task} ${notice.seq} ${target.to}`);
    return progressDelivery(tenant, target, notice, { text, random });
  });
  return { deliveries: await Promise.all(deliveries), calledOff: [] };
}

function progressDelivery(
  tenant: string,
  target: Target,
  notice: Notice,
  { text, random }: { readonly text: string; readonly random: Uint8Array },
): Delivery {
  const { task } = notice.facts;
  const name = progressName(task, target);
  const at = Date.parse(notice.at);
  const message = plainMessage("Progress", text);
  const delivery = messageDelivery({ tenant, target, kind: "progress", task, about: name, message, at, random });
  return { ...delivery, slot: name, keepAs: name, refs: [name], notBefore: progressMoment(task, at) };
}
