/** Shows a task's progress in a conversation: what it does, without arguments or results. */
import { getOwn } from "../../base/own-field.ts";
import { isTerminalEvent } from "../../task/events.ts";
import { readIdTime } from "../../base/ids.ts";
import { type Delivery, getOutboxName } from "../outbox/delivery.ts";
import {
  createMessageDelivery,
  createPlainMessage,
  escapeMarkdown,
  getProgressName,
} from "../outbox/message-delivery.ts";
import type { Notice } from "../../task/notice.ts";
import type { Target } from "../outbox/targets.ts";
import { truncateText } from "./escape.ts";

/** A shorter task shows no progress. */
const FIRST_MS = 1_500;
/** Time between two changes of the message. */
const EVERY_MS = 3_000;
const MAX_TOOL_CHARACTERS = 60;

const WAITS: Readonly<Record<string, string>> = {
  waiting_input: "Waiting for an answer…",
  waiting_approval: "Waiting for an approval…",
  waiting_subagents: "Waiting for its subagents…",
  sleeping: "Waiting…",
};

/** The progress in Markdown; null when the notice changes nothing. */
export function formatProgress({ type, data }: Pick<Notice, "type" | "data">): string | null {
  switch (type) {
    case "task.started":
    case "task.resumed":
      return "Working on it…";
    case "step.started":
      return data["step"] === 1 ? null : `Working on it: step ${Number(data["step"])}…`;
    case "call.started":
      return typeof data["tool"] === "string" ? `Working on it: ${toWords(data["tool"])}…` : null;
    case "subtask.created":
      return "Working on it: a subagent has started…";
    case "task.waiting":
      return formatWait(data);
    default:
      return null;
  }
}

/** The thread names the app; only its owner gets a link. An open question comes first, because anyone may answer it. */
function formatWait({ status, pending }: Notice["data"]): string | null {
  const waits = (Array.isArray(pending) ? pending : []) as readonly {
    readonly kind?: unknown;
    readonly app?: unknown;
  }[];
  const app = waits.find(({ kind }) => kind === "connection")?.app;
  const isAsked = waits.some(({ kind }) => kind === "question");
  if (status === "waiting_input" && typeof app === "string" && !isAsked)
    return `Waiting for an account of ${escapeMarkdown(truncateText(app, MAX_TOOL_CHARACTERS))}…`;
  return getOwn(WAITS, String(status)) ?? null;
}

/** Formats a tool's name, which contains only letters, digits, `_`, `.` and `-`. */
function toWords(tool: string): string {
  return truncateText(tool.replace(/[^a-zA-Z0-9]+/g, " ").trim(), MAX_TOOL_CHARACTERS);
}

/**
 * When to show a change that happened at `at`: at first, then every three seconds, so that only the latest change is
 * shown. All in milliseconds since the epoch.
 */
export function getProgressTime(task: string, at: number): number {
  const first = (readIdTime(task) ?? at) + FIRST_MS;
  return first + EVERY_MS * Math.max(0, Math.ceil((at - first) / EVERY_MS));
}

/** Derives at least 10 pseudo-random bytes from the text. */
type RandomOf = (seed: string) => Promise<Uint8Array>;

/** A progress message for each conversation of the task; at the task's end, their cancellation. */
export async function planProgress(
  tenant: string,
  notice: Notice,
  randomOf: RandomOf,
): Promise<{ deliveries: Delivery[]; cancelled: { outbox: string; about: string }[] }> {
  const { facts, type } = notice;
  const targets = facts.deliver.flatMap(({ channel, to }) => (channel === "slack" ? [{ channel, to }] : []));
  const isShown = facts.parentId === null && !facts.isHidden;
  if (!isShown || targets.length === 0) return { deliveries: [], cancelled: [] };
  if (isTerminalEvent(type)) {
    const cancelled = targets.map((target) => {
      return { outbox: getOutboxName({ tenant, ...target }), about: getProgressName(facts.task, target) };
    });
    return { deliveries: [], cancelled };
  }
  const text = formatProgress(notice);
  if (text === null) return { deliveries: [], cancelled: [] };
  const deliveries = targets.map(async (target) => {
    const random = await randomOf(`progress ${facts.task} ${notice.seq} ${target.to}`);
    return createProgressDelivery(tenant, target, notice, { text, random });
  });
  return { deliveries: await Promise.all(deliveries), cancelled: [] };
}

function createProgressDelivery(
  tenant: string,
  target: Target,
  notice: Notice,
  { text, random }: { readonly text: string; readonly random: Uint8Array },
): Delivery {
  const { task } = notice.facts;
  const name = getProgressName(task, target);
  const at = Date.parse(notice.at);
  const message = createPlainMessage("Progress", text);
  const delivery = createMessageDelivery({ tenant, target, kind: "progress", task, about: name, message, at, random });
  return { ...delivery, slot: name, keepAs: name, refs: [name], notBefore: getProgressTime(task, at) };
}
