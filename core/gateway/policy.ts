/** The approval policy: allow, ask, or deny. Decided by tool pattern, else by security level, else by the default. */
import { fnmatch } from "../fnmatch.ts";
import type { ApprovalPolicy } from "../agent.ts";
import type { SecurityLevel, Tool } from "../tool.ts";

export type PolicyDecision = "allow" | "ask" | "deny";

/**
 * The decision on a call. By default safe and cautious calls run; dangerous ones run when they stay inside the task's own
 * sandbox and ask when they reach outside (the tool needs `network` or `exec`); critical ones always ask. Of the rules
 * that match, the last one wins.
 */
export function decidePolicy(
  tool: Pick<Tool, "name" | "permissions">,
  level: SecurityLevel,
  policy: ApprovalPolicy | undefined,
): PolicyDecision {
  const rule = policy?.rules?.findLast((candidate) => fnmatch(tool.name, candidate.tool));
  return rule?.decision ?? policy?.[level] ?? defaultDecision(tool, level);
}

function defaultDecision(tool: Pick<Tool, "permissions">, level: SecurityLevel): PolicyDecision {
  switch (level) {
    case "safe":
    case "cautious":
      return "allow";
    case "dangerous":
      return tool.permissions.includes("network") || tool.permissions.includes("exec") ? "ask" : "allow";
    case "critical":
      return "ask";
  }
}
