/** How the steps of a long task fold: what is far back stands as one line for every twenty of them. */
import type { Step } from "./timeline-items.ts";

/** Steps of one group. */
const GROUP = 20;
/** The last steps, which never fold. */
const KEPT = 10;

export interface StepGroup {
  readonly kind: "group";
  readonly from: number;
  readonly to: number;
  readonly steps: readonly Step[];
}

export type Block = StepGroup | { readonly kind: "step"; readonly step: Step };

/**
 * The blocks of a timeline. `seen` is how many steps there were when it was last folded: what a reader has before their eyes
 * does not fold under them. What came before the first step stays as it is.
 */
export function groupSteps(steps: readonly Step[], seen: number): Block[] {
  const isPrelude = steps[0]?.step === 0;
  const blocks: Block[] = isPrelude && steps[0] !== undefined ? [{ kind: "step", step: steps[0] }] : [];
  let next = isPrelude ? 1 : 0;
  while (next + GROUP + KEPT <= Math.min(seen, steps.length)) {
    const group = steps.slice(next, next + GROUP);
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) break;
    blocks.push({ kind: "group", from: first.step, to: last.step, steps: group });
    next += GROUP;
  }
  return [...blocks, ...steps.slice(next).map((step): Block => ({ kind: "step", step }))];
}

export interface GroupSummary {
  readonly calls: number;
  /** Calls that failed, were refused, or whose outcome nobody knows. */
  readonly failed: number;
  /** From the beginning of the first step to the end of the last; null when the log does not say. */
  readonly durationMs: number | null;
}

export function summaryOf({ steps }: StepGroup): GroupSummary {
  const calls = steps.flatMap(({ items }) => items.filter((item) => item.kind === "call"));
  const [from, to] = [steps[0]?.startedAt, steps.at(-1)?.completedAt];
  return {
    calls: calls.length,
    failed: calls.filter(({ state }) => state !== "confirmed" && state !== "intended").length,
    durationMs: from == null || to == null ? null : Date.parse(to) - Date.parse(from),
  };
}

/** Whether a group holds the call with this id. */
export function hasCall({ steps }: StepGroup, callId: string | undefined): boolean {
  return callId !== undefined && steps.some(({ items }) => items.some((item) => isCall(item, callId)));
}

function isCall(item: Step["items"][number], callId: string): boolean {
  return item.kind === "call" && item.callId === callId;
}
