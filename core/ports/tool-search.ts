/** The search over the tools of a task. */
import type { Result } from "../base/errors.ts";
import type { ToolSpec } from "./model.ts";

/** What a search found. */
export interface FoundTools {
  /** The best first. */
  readonly tools: readonly ToolSpec[];
  /** At most three apps that could serve the request and are not connected. */
  readonly unconnected: readonly string[];
}

/** Searches every tool of a task. */
export interface ToolSearchPort {
  /** Returns at most `limit` tools that match a request in plain words. */
  find(request: string, limit: number): Promise<Result<FoundTools>>;
}
