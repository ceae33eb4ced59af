/**
 * Where a conversation stands: the request that is open, and the calls that were made for it. Everything is read from the
 * messages, so any process can take over at any step.
 */
import type { Message, RequestedCall } from "../../../core/messages.ts";
import type { ActionKind, Planned, Understood } from "./intent.ts";
import { unmarkData } from "../../../core/prompt/mark-data.ts";
import { understand } from "./request.ts";
import { TASK_FIELD } from "./words.ts";

/**
 * A call that was made and what came of it. `content` is null when the conversation holds no result; `changed` is what
 * stands before a result to say that a person put other arguments in the place of these.
 */
export interface MadeCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly content: string | null;
  readonly changed: string | null;
  readonly failed: boolean;
  readonly kind: ActionKind | null;
}

/** How the result of a call begins whose arguments a person changed (`core/task-answers.ts`): one line. */
const CHANGED = /^A person approved this with other arguments\b[^\n]*(?=\n)/;

/** The open request. */
export interface Progress extends Understood {
  readonly made: readonly MadeCall[];
}

/** Reads a conversation. An answer without calls closes the request before it. */
export function readProgress(messages: readonly Message[]): Progress {
  let from = 0;
  for (const [index, message] of messages.entries()) {
    const isAnswer = message.role === "assistant" && (message.calls ?? []).length === 0;
    if (isAnswer && index < messages.length - 1) from = index + 1;
  }
  const open = messages.slice(from);
  const planned: Planned[] = [];
  const says: string[] = [];
  const unknown: string[] = [];
  for (const message of open) {
    if (message.role !== "user") continue;
    const understood = understand(message.content, lastPathOf(planned));
    planned.push(...withDate(understood.planned, planned));
    says.push(...understood.says);
    unknown.push(...understood.unknown);
  }
  return { planned, says, unknown, made: madeCalls(open) };
}

/** A note bears a date: a message that wants one, and asks for no time itself, looks the date up first. */
function withDate(planned: readonly Planned[], before: readonly Planned[]): readonly Planned[] {
  const wantsNote = planned.some(({ action }) => action.kind === "write" && action.content.kind === "note");
  const hasClock = [...before, ...planned].some(({ action }) => action.kind === "clock");
  if (!wantsNote || hasClock) return planned;
  return [{ action: { kind: "clock", place: null, there: false }, after: false }, ...planned];
}

function lastPathOf(planned: readonly Planned[]): string | null {
  for (const { action } of [...planned].reverse()) if ("path" in action && action.kind !== "list") return action.path;
  return null;
}

function madeCalls(messages: readonly Message[]): MadeCall[] {
  const results = new Map<string, string>();
  for (const message of messages) if (message.role === "tool") results.set(message.callId, unmarkData(message.content));
  return messages
    .flatMap((message) => (message.role === "assistant" ? (message.calls ?? []) : []))
    .map((call) => madeCall(call, results));
}

function madeCall(call: RequestedCall, results: ReadonlyMap<string, string>): MadeCall {
  const told = results.get(call.id) ?? null;
  const changed = told === null ? null : (CHANGED.exec(told)?.[0] ?? null);
  const content = changed === null ? told : (told ?? "").slice(changed.length + 1);
  const given = parseArguments(call.arguments);
  return {
    name: call.name,
    arguments: given,
    content,
    changed,
    failed: content !== null && isError(content),
    kind: kindOf(call.name, given),
  };
}

/** True when what went wrong ends the work. A subagent that failed is a result, as long as another brought something. */
export function hasStopped(made: readonly MadeCall[]): boolean {
  const failed = made.filter((call) => call.failed);
  const dispatched = made.filter((call) => call.kind === "dispatch");
  return (
    failed.some((call) => call.kind !== "dispatch") || (failed.length > 0 && dispatched.every((call) => call.failed))
  );
}

function parseArguments(written: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(written);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

/** Results that say that a call went wrong, in plain text or as JSON. */
function isError(content: string): boolean {
  return /^Error(?:\s*\(|:)/.test(content) || /^\{\s*"ok"\s*:\s*false\b/.test(content);
}

/** What a call was for, from the names of its arguments: a last call has no tool list to look it up in. */
function kindOf(name: string, given: Record<string, unknown>): ActionKind | null {
  const names = Object.keys(given);
  const has = (pattern: RegExp): boolean => names.some((field) => pattern.test(field));
  const called = name.toLowerCase();
  if (has(TASK_FIELD)) return "dispatch";
  if (has(/^(?:.*_)?ur[li]$/i)) return "fetch";
  if (has(/wait/i) || has(/^(?:query|question)$/i)) return "ask";
  if (has(/seconds?|secs|duration|delay/i)) return "wait";
  if (has(/file|path|document/i)) {
    if (has(/^(?:.*_)?(?:contents?|text|body|data)$/i)) return "write";
    if (/attach|deliver/.test(called)) return "attach";
    return /list|dir/.test(called) ? "list" : "read";
  }
  if (/list|dir/.test(called)) return "list";
  if (has(/zone|tz/i) || /time|date|clock|now/.test(called)) return "clock";
  return null;
}
