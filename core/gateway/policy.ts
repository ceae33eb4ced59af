/** The approval policy: allow, ask, or deny. Decided by tool pattern, else by security level, else by the default. */
import type { ApprovalPolicy } from "../agents/agent.ts";
import type { SecurityLevel, Tool } from "../tool/tool.ts";
import { matchesTool } from "./envelope.ts";

export type PolicyDecision = "allow" | "ask" | "deny";

/** A decision and its reason, as the end of a sentence. */
export interface PolicyRuling {
  readonly decision: PolicyDecision;
  readonly because: string;
}

const VERBS: Readonly<Record<PolicyDecision, string>> = {
  allow: "allows",
  ask: "requires approval of",
  deny: "denies",
};

/**
 * Decides a call. By default safe and cautious calls run; dangerous ones run inside the task's own sandbox and ask when
 * they reach outside (`reachesOutside`: the tool needs `network` or `exec`, unless it says more of this call); critical
 * ones always ask. The last matching rule wins.
 */
export function decidePolicy(
  tool: Pick<Tool, "name" | "alsoNamed" | "permissions">,
  level: SecurityLevel,
  policy: ApprovalPolicy | undefined,
  reachesOutside = tool.permissions.includes("network") || tool.permissions.includes("exec"),
): PolicyRuling {
  const rule = policy?.rules?.findLast((candidate) => matchesTool(tool, candidate.tool));
  if (rule !== undefined) {
    const { decision } = rule;
    return { decision, because: `the agent's policy ${VERBS[decision]} ${describeTools(rule.tool)}` };
  }
  const levelDecision = policy?.[level];
  if (levelDecision !== undefined) {
    return { decision: levelDecision, because: `the agent's policy ${VERBS[levelDecision]} ${level} calls` };
  }
  return getDefaultRuling(level, reachesOutside);
}

/** Describes a rule's tools: one by name, or those that match a pattern. */
function describeTools(pattern: string): string {
  return `${/[*?[]/.test(pattern) ? "tools that fit" : "the tool"} ${JSON.stringify(pattern)}`;
}

function getDefaultRuling(level: SecurityLevel, reachesOutside: boolean): PolicyRuling {
  switch (level) {
    case "safe":
    case "cautious":
      return { decision: "allow", because: `${level} calls run unless the agent's policy says otherwise` };
    case "dangerous":
      return reachesOutside
        ? {
            decision: "ask",
            because:
              "dangerous calls that reach outside the sandbox need approval unless the agent's policy says otherwise",
          }
        : {
            decision: "allow",
            because: "dangerous calls run inside the sandbox unless the agent's policy says otherwise",
          };
    case "critical":
      return { decision: "ask", because: "critical calls need approval unless the agent's policy says otherwise" };
  }
}
