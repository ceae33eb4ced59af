/**
 * For whom the tasks of a hook act: the person who set it with their own key. A call adds nothing to that. A change by
 * anybody else of what steers the tasks, or of who may call, ends it.
 */
import { toCanonicalJson } from "../../base/canonical-json.ts";
import type { HookConfig } from "./hook.ts";

/** What a request says about it. `me` sets it; null ends it; absent: unchanged, if the change allows. */
export type RequestedCaller = "me" | null | undefined;

export interface HookChange {
  readonly before: HookConfig;
  readonly after: HookConfig;
  /** True if the request gives another secret. */
  readonly hasSecret: boolean;
  /** The person of the request's key; null without one. */
  readonly by: string | null;
}

/** Returns the person for whom the tasks act after a change; null: nobody. `before` is the person until then. */
export function changeHookCaller(before: string | null, asked: RequestedCaller, change: HookChange): string | null {
  if (asked === "me") return change.by;
  if (asked === null || before === null) return null;
  return change.by === before || !isSteering(change) ? before : null;
}

function isSteering({ before, after, hasSecret }: HookChange): boolean {
  return hasSecret || toCanonicalJson(listSteering(before)) !== toCanonicalJson(listSteering(after));
}

/** What decides which tasks there are, what they do, and who reads their results. */
function listSteering({ agent, project, prompt, events, deliver }: HookConfig): readonly unknown[] {
  return [agent, project, prompt, events, deliver].map((part) => part ?? null);
}
