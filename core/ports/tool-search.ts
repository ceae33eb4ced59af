/** The search over the tools of a task. */
import type { Result } from "../base/errors.ts";
import type { ToolSpec } from "./model.ts";

/** Searches every tool of a task. */
export interface ToolSearchPort {
  /** Returns at most `limit` tools that match a request in plain words, the best first. */
  find(request: string, limit: number): Promise<Result<readonly ToolSpec[]>>;
}
