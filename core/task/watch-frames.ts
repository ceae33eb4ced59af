/**
 * What a task's object sends to its watchers. Each frame is formatted once, as the text of the event stream that the
 * watchers pass on without reading it. `WatchBuffer` collects what happens within a window, so that the frames per
 * second are bounded for every task.
 *
 * 1. Events come in the order of the log, each once. A watcher joins frames by `from` and `to`, and reads the log where
 *    they do not fit.
 * 2. The terminal event comes in a frame of its own, as JSON: its output gets the addresses of files in the Worker.
 */
import { formatEvent } from "../lib/event-stream.ts";
import { isTerminalEvent, type NewEvent, type TaskEvent } from "./events.ts";
import { getStatus, isWaiting } from "./status.ts";
import type { TaskState } from "./state.ts";

/** The path of a watcher's upgrade request: everything as text, or a sign when the task may have settled. */
export const WATCH_PATHS = { stream: "/watch/stream", settled: "/watch/settled" } as const;
/** The frame for watchers that wait for the end: the task has ended, or waits. */
export const SETTLED_FRAME = "settled";

/** A piece of text that the model is writing. It is not part of the log. */
export interface Delta {
  readonly step: number;
  readonly attempt: number;
  readonly text: string;
}

/**
 * The JSON text on the WebSocket of a watcher of an earlier release (`GET https://task/watch`), and of the terminal event:
 * new events in order, or a delta.
 */
export type WatchFrame = { readonly events: readonly TaskEvent[] } | { readonly delta: Delta };

/** Text of an event stream with the events `from` to `to` of the log; both are 0 when it has deltas only. */
export interface TextFrame {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Parses a frame. Throws for text that is neither form. */
export function parseWatchFrame(data: string): WatchFrame | TextFrame {
  if (data.startsWith("{")) return JSON.parse(data) as WatchFrame;
  const [head, from, to] = /^(\d+) (\d+)\n/.exec(data) ?? [];
  if (head === undefined) throw new Error("a frame of a task's watcher is not readable");
  return { from: Number(from), to: Number(to), text: data.slice(head.length) };
}

/** True for a frame without events. */
export function isDeltaFrame(data: string): boolean {
  return data.startsWith("0 0\n") || data.startsWith('{"delta"');
}

/** Characters that are sent without waiting for the end of the window. */
const MAX_CHARACTERS = 250_000;
/** Least delay of a frame after a quiet time: the end of a step and the begin of the next are one frame. */
const FIRST_MS = 20;
/** Window of a task with few watchers: shorter than a person notices. */
const MIN_WINDOW_MS = 25;
/** Each watcher adds so much: a task sends at most 200 frames a second to its first 50 watchers. */
const WINDOW_MS_PER_WATCHER = 5;
/** Window of a task with many watchers: four frames a second for each, as in the tenant's feed. */
const MAX_WINDOW_MS = 250;
/**
 * The window of a frame that nobody waits for is multiplied by the watchers divided by the first number, and by the second
 * number at most. A frame costs 75 µs for each watcher, and with a slow model each step would be one.
 */
const [WATCHERS_PER_TIME, MAX_TIMES] = [4, 12];

/**
 * When to send the next frame of a task with this number of watchers, whose last one was sent at `sentAt`. `isAwaited`: it
 * has text that appears as the model writes it, or a person has to act.
 */
export function computeFrameAt(watchers: number, sentAt: number, now: number, isAwaited: boolean): number {
  const windowMs = Math.min(MAX_WINDOW_MS, Math.max(MIN_WINDOW_MS, watchers * WINDOW_MS_PER_WATCHER));
  const times = isAwaited ? 1 : Math.min(MAX_TIMES, Math.max(1, watchers / WATCHERS_PER_TIME));
  return Math.max(sentAt + windowMs * times, now + Math.max(FIRST_MS, windowMs / 4));
}

/** The events and deltas that are not sent yet. */
export class WatchBuffer {
  private readonly taskId: string;
  private text = "";
  private from = 0;
  private to = 0;
  private terminal: TaskEvent | null = null;
  private delta: Delta | null = null;
  private hasAwaited = false;

  constructor(taskId: string) {
    this.taskId = taskId;
  }

  /** True when there is no reason to wait for the end of the window. */
  get isFull(): boolean {
    return this.terminal !== null || this.text.length + (this.delta?.text.length ?? 0) > MAX_CHARACTERS;
  }

  /** True when a person reads along, or has to act. */
  get isAwaited(): boolean {
    return this.hasAwaited;
  }

  add(event: TaskEvent, now: number): void {
    this.hasAwaited ||= event.type === "task.waiting";
    if (isTerminalEvent(event.type)) {
      this.terminal = event;
      return;
    }
    this.endDelta(now);
    if (this.from === 0) this.from = event.seq;
    this.to = event.seq;
    this.text += formatEvent(event.type, event.data, event.seq);
  }

  /** Joins pieces of the same reply. */
  addDelta(delta: Delta, now: number): void {
    if (this.delta?.step !== delta.step || this.delta.attempt !== delta.attempt) this.endDelta(now);
    this.delta = { ...delta, text: (this.delta?.text ?? "") + delta.text };
    this.hasAwaited = true;
  }

  /** Removes and returns the frames, in order. */
  take(now: number): string[] {
    this.endDelta(now);
    const { text, from, to, terminal } = this;
    this.text = "";
    this.from = 0;
    this.to = 0;
    this.terminal = null;
    this.hasAwaited = false;
    const frames = text === "" ? [] : [`${from} ${to}\n${text}`];
    return terminal === null ? frames : [...frames, JSON.stringify({ events: [terminal] } satisfies WatchFrame)];
  }

  private endDelta(now: number): void {
    if (this.delta === null) return;
    this.text += formatDelta(this.taskId, this.delta, now);
    this.delta = null;
  }
}

/** Formats a delta for an event stream: without `id`, because it has no position in the log. */
export function formatDelta(taskId: string, delta: Delta, now: number): string {
  return formatEvent("message.delta", { task_id: taskId, at: new Date(now).toISOString(), ...delta });
}

/**
 * True for an event after which the task may have settled. With an error, its model is retried or its tenant is stopped:
 * the task itself does not wait.
 */
export function maySettle({ type, data }: NewEvent): boolean {
  return isTerminalEvent(type) || (type === "task.waiting" && data["error"] === undefined);
}

/** True for a task that has ended, or that waits for a person, its subtasks or a time. */
export function hasSettled(state: TaskState): boolean {
  return state.phase.name === "ended" || (state.phase.name === "parked" && isWaiting(getStatus(state)));
}
