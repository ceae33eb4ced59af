/** The message about a stopped tenant, for people and tasks. */
import type { TenantStop } from "./budget-tree.ts";

/** Formats who stopped the tenant, why, and how to release it. */
export function formatStopMessage({ by, byOperator, reason }: TenantStop): string {
  const who = byOperator ? "The operator" : by;
  const why = reason === null ? "" : ` (${reason})`;
  const hint = byOperator
    ? "Only the operator can release it."
    : "Release it with POST /v1/kill-switch/release and a key of the scope admin.";
  return `${who} stopped this tenant${why}. ${hint}`;
}
