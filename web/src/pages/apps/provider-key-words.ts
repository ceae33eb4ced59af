/** Whose Composio key serves, in words. */
import type { ProviderKeyStatus } from "../../api/types.generated.ts";

const SERVED: Readonly<Record<ProviderKeyStatus["served_by"], string>> = {
  own: "Your own key serves this workspace, with its own rate limit and bill.",
  operator: "The operator's key serves this workspace. A key of your own project has its own rate limit and bill.",
  demo: "Demo apps serve this workspace.",
  none: "No key serves this workspace, so apps by Composio cannot be connected. Save a key of your own project at Composio.",
};

export function describeServedBy({ served_by: by }: Pick<ProviderKeyStatus, "served_by">): string {
  return SERVED[by];
}

/** Begins with a space; empty without any. */
export function describeExpired(count: number): string {
  if (count === 0) return "";
  return count === 1
    ? " 1 account has to be connected again."
    : ` ${count.toLocaleString("en")} accounts have to be connected again.`;
}
