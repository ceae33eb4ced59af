/** What the model's process writes down and tells the bench. Times are those of `bench/clock.ts`. */

/** A model call. */
export interface ModelCall {
  readonly task: string;
  /** Counts from 1. */
  readonly step: number;
  /** Size of the request. */
  readonly bytes: number;
  /** When the request was whole. */
  readonly at: number;
  /** When the reply was handed to the socket. */
  readonly repliedAt: number;
}

/** A request of a tool. */
export interface ToolRequest {
  readonly task: string;
  readonly step: number;
  readonly at: number;
  readonly repliedAt: number;
}

/** Everything since the last look. */
export interface Seen {
  readonly calls: readonly ModelCall[];
  readonly requests: readonly ToolRequest[];
}

/** The replies that are counted: all, answers and questions of tasks; those of subtasks are not. */
export type Counted = "calls" | "answers" | "questions";

/** What the bench sends; each is answered with its `id`. */
export type Ask =
  | { readonly id: number; readonly type: "until"; readonly what: Counted; readonly count: number }
  | { readonly id: number; readonly type: "take" };

/** Messages to the model's process. The first has the id 0 and says where the model listens. */
export type Reply =
  | { readonly id: 0; readonly url: string; readonly toolHost: string }
  | { readonly id: number; readonly seen: Seen | null };
