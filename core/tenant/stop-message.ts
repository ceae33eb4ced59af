/** What people and tasks are told of a stopped tenant. */
import type { TenantStop } from "./budget-tree.ts";

/** Who stopped it, why, and how it goes on. */
export function stopMessage({ by, byOperator, reason }: TenantStop): string {
  const who = byOperator ? "The operator" : by;
  const why = reason === null ? "" : ` (${reason})`;
  const wayOut = byOperator
    ? "Only the operator can release it."
    : "Release it with POST /v1/kill-switch/release and a key of the scope admin.";
  return `${who} stopped this tenant${why}. ${wayOut}`;
}
