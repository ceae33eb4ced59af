/** The search over the tools of a task. */
import type { Result } from "../base/errors.ts";
import type { ToolSpec } from "./model.ts";

/** The tools that a task may use, also those that its model is not shown. */
export interface ToolSearchPort {
  /** At most `limit` of them that fit a request in plain words, the best first. */
  find(request: string, limit: number): Promise<Result<readonly ToolSpec[]>>;
}
