/** What an agent may do, in words that need no manual. The rules are those of the gateway. */
import type { Tool } from "../../api/types.generated.ts";
import { count, dollars } from "../../ui/amounts.ts";
import { durationInWords } from "../../ui/relative-time.ts";
import { toolboxTitle } from "../tools/tool-words.ts";
import {
  type AgentConfig,
  type ApprovalPolicy,
  type Decision,
  type Level,
  LEVELS,
  type Permission,
  PERMISSIONS,
  USUAL_APPROVAL_SECONDS,
  USUAL_STEPS,
} from "./agent-config.ts";
import { hostLines } from "./idempotent-hosts.ts";
import { isMatchedBy, isNamedBy } from "../../api/tool-patterns.ts";

export type WordedTool = Pick<
  Tool,
  "name" | "also_named" | "only_by_name" | "toolbox" | "permissions" | "security" | "effect"
>;

/** One thing about an agent. `danger` is what somebody should look at. */
export interface Statement {
  readonly tone: "may" | "may_not" | "danger";
  readonly text: string;
}

export interface WordsPart {
  readonly title: string;
  readonly statements: readonly Statement[];
}

/** Names that are joinWords one by one. */
const TOLD = 12;

/** All that is to say, the weightiest first. */
export function permissionsInWords(config: AgentConfig, tools: readonly WordedTool[]): readonly WordsPart[] {
  const reach = reachOf(config, tools);
  return [
    { title: "Permissions", statements: permissionWords(config) },
    { title: "Approval", statements: approvalWords(config, reach.usable) },
    { title: "Tools", statements: toolWords(config, tools, reach) },
    { title: "Hosts", statements: hostWords(config) },
    { title: "Files", statements: fileWords(config) },
    { title: "Limits", statements: limitWords(config) },
    { title: "When something is unclear", statements: unclearWords(config) },
  ];
}

export interface Reach {
  /** Tools that the patterns name. */
  readonly named: readonly WordedTool[];
  /** Those of them whose permissions the agent has. */
  readonly usable: readonly WordedTool[];
}

export function reachOf(
  { tools: patterns, permissions }: Pick<AgentConfig, "tools" | "permissions">,
  tools: readonly WordedTool[],
): Reach {
  const named = tools.filter((tool) => isNamedBy(tool, patterns));
  const had = new Set<string>(permissions);
  return { named, usable: named.filter((tool) => tool.permissions.every((permission) => had.has(permission))) };
}

/** What an agent with a permission does, and what one without it cannot. */
export const PERMISSION_WORDS: Readonly<Record<Permission, { readonly does: string; readonly isRisky: boolean }>> = {
  read: { does: "read its files, documents and memory", isRisky: false },
  write: { does: "write files, documents, memory and reminders", isRisky: false },
  exec: { does: "run commands and scripts, in a cage on its files", isRisky: true },
  network: { does: "reach outside Otto: the web, mail, Slack, servers", isRisky: true },
};

function permissionWords({ permissions }: AgentConfig): Statement[] {
  return PERMISSIONS.map((permission) => {
    const { does, isRisky } = PERMISSION_WORDS[permission];
    return permissions.includes(permission)
      ? { tone: isRisky ? "danger" : "may", text: `It may ${does}.` }
      : { tone: "may_not", text: `It may not ${does}.` };
  });
}

/** What the policy says of a tool; null: it depends on the arguments of the call. */
export function decisionOn(tool: WordedTool, policy: ApprovalPolicy | undefined): Decision | null {
  const rule = policy?.rules?.findLast((one) => isMatchedBy(tool, one.tool));
  if (rule !== undefined) return rule.decision;
  const level = LEVELS.find((one) => one === tool.security);
  if (level !== undefined) return policy?.[level] ?? usualDecision(level, tool);
  const [first, ...others] = LEVELS.map((one) => policy?.[one] ?? usualDecision(one, tool));
  return first !== undefined && others.every((one) => one === first) ? first : null;
}

function usualDecision(level: Level, { permissions }: Pick<WordedTool, "permissions">): Decision {
  if (level === "critical") return "ask";
  const reachesOut = permissions.includes("network") || permissions.includes("exec");
  return level === "dangerous" && reachesOut ? "ask" : "allow";
}

function approvalWords({ approval: policy }: AgentConfig, usable: readonly WordedTool[]): Statement[] {
  const levels = LEVELS.flatMap((level): Statement[] => {
    const decision = policy?.[level];
    return decision === undefined ? [] : [{ tone: chooseTone(decision, level), text: levelText(level, decision) }];
  });
  const rules = (policy?.rules ?? []).map(({ tool, decision }): Statement => {
    const subject = /[*?[]/.test(tool) ? `every tool that fits “${tool}”` : tool;
    return { tone: decision === "deny" ? "may_not" : "may", text: ruleText(subject, decision) };
  });
  const asks = usable.filter((tool) => decisionOn(tool, policy) === "ask");
  const denied = usable.filter((tool) => decisionOn(tool, policy) === "deny");
  const open = usable.filter((tool) => decisionOn(tool, policy) === "allow" && isDangerous(tool));
  return [
    ...(policy === undefined || levels.length + rules.length === 0 ? [USUAL] : [...levels, ...rules]),
    ...list("may", "Asks a person before it uses", asks),
    ...list("may_not", "Never uses", denied),
    ...list("danger", "Uses without asking, although dangerous:", open),
    {
      tone: "may",
      text: `A person has ${durationInWords((policy?.expires_s ?? USUAL_APPROVAL_SECONDS) * 1000)} to decide; after that the call counts as refused.`,
    },
  ];
}

const USUAL: Statement = {
  tone: "may",
  text: "It asks before anything critical, and before anything dangerous that reaches outside its own files. All else runs without asking.",
};

function levelText(level: Level, decision: Decision): string {
  if (decision === "allow") return `It does ${level} things without asking.`;
  return decision === "ask" ? `It asks before anything ${level}.` : `It never does anything ${level}.`;
}

function ruleText(subject: string, decision: Decision): string {
  if (decision === "allow") return `It uses ${subject} without asking.`;
  return decision === "ask" ? `It asks before it uses ${subject}.` : `It never uses ${subject}.`;
}

function chooseTone(decision: Decision, level: Level): Statement["tone"] {
  if (decision === "deny") return "may_not";
  return decision === "allow" && (level === "dangerous" || level === "critical") ? "danger" : "may";
}

function isDangerous({ security, permissions }: WordedTool): boolean {
  const reachesOut = permissions.includes("network") || permissions.includes("exec");
  return security === "critical" || (security === "dangerous" && reachesOut);
}

function toolWords(
  { tools: patterns }: AgentConfig,
  tools: readonly WordedTool[],
  { named, usable }: Reach,
): Statement[] {
  const empty = patterns.filter((pattern) => !tools.some((tool) => isMatchedBy(tool, pattern)));
  const lacking = named.filter((tool) => !usable.includes(tool));
  const boxes = [...new Set(tools.map(({ toolbox }) => toolbox))];
  return [
    usable.length === 0
      ? { tone: "may_not", text: "It has no tools: it can only answer." }
      : { tone: "may", text: `It has ${usable.length} of ${tools.length} tools.` },
    ...boxes.flatMap((box): Statement[] => {
      const all = tools.filter(({ toolbox }) => toolbox === box);
      const had = usable.filter(({ toolbox }) => toolbox === box);
      if (had.length === 0) return [];
      const what = had.length === all.length && had.length > 1 ? `all ${had.length}` : names(had);
      return [{ tone: "may", text: `${toolboxTitle(box)}: ${what}` }];
    }),
    ...list("may_not", "Named, but it lacks a permission for", lacking),
    ...empty.map((pattern): Statement => ({ tone: "danger", text: `“${pattern}” fits no tool that there is now.` })),
  ];
}

function hostWords({
  allowed_domains: hosts,
  idempotent_hosts: keyed = [],
  tool_config = {},
  permissions,
}: AgentConfig): Statement[] {
  const set = tool_config["web"]?.["allowed_domains"];
  const listed = hosts ?? (Array.isArray(set) ? set.map(String) : undefined);
  const reaches: Statement = !permissions.includes("network")
    ? { tone: "may_not", text: "It reaches no host: it lacks the permission." }
    : listed === undefined || listed.length === 0
      ? { tone: "may_not", text: "Its tools reach no host, because none is listed." }
      : listed.includes("*")
        ? { tone: "danger", text: "Its tools reach every public host." }
        : { tone: "may", text: `Its tools reach ${joinWords(listed)}, and no other host.` };
  return keyed.length === 0
    ? [reaches]
    : [
        reaches,
        {
          tone: "may",
          text: `${joinWords(hostLines(keyed))} recognise a repeated request, so that it is safe to repeat.`,
        },
      ];
}

function fileWords({ sandbox: own, tool_config = {} }: AgentConfig): Statement[] {
  const sandbox: Readonly<Record<string, unknown>> = { ...own, ...tool_config["files"] };
  const { allowed_paths: paths, denied_patterns: denied, extensions, allow_write } = sandbox;
  return [
    allow_write === false
      ? { tone: "may_not", text: "It cannot write into its sandbox." }
      : { tone: "may", text: "It works in a sandbox of its own." },
    ...(Array.isArray(paths)
      ? [
          {
            tone: "may",
            text: `It sees only ${paths.length === 0 ? "nothing in it" : joinWords(paths.map(String))}.`,
          } as const,
        ]
      : []),
    Array.isArray(denied)
      ? {
          tone: "may_not",
          text:
            denied.length === 0
              ? "No file is hidden from it, secrets neither."
              : `Hidden from it: ${joinWords(denied.map(String))}.`,
        }
      : { tone: "may_not", text: "Files that look like secrets are hidden from it (.env, keys, .git)." },
    ...(Array.isArray(extensions)
      ? [{ tone: "may", text: `Only files that end in ${joinWords(extensions.map(String))}.` } as const]
      : []),
  ];
}

function limitWords({ budget = {} }: AgentConfig): Statement[] {
  const { max_steps = USUAL_STEPS, max_tokens, max_cost_usd, max_duration_s } = budget;
  const money: Statement =
    max_cost_usd === undefined
      ? { tone: "danger", text: "No limit of money of its own." }
      : { tone: "may", text: `It spends at most ${dollars(max_cost_usd)} on a task.` };
  return [
    { tone: "may", text: `A task takes at most ${count(max_steps)} steps.` },
    money,
    ...(max_tokens === undefined ? [] : [{ tone: "may", text: `At most ${count(max_tokens)} tokens.` } as const]),
    ...(max_duration_s === undefined
      ? []
      : [
          {
            tone: "may",
            text: `At most ${durationInWords(max_duration_s * 1000)}, without the time that people take.`,
          } as const,
        ]),
  ];
}

const GATE_WORDS = {
  enforce: { tone: "may_not", text: "App actions outside the request are blocked." },
  ask: {
    tone: "may",
    text: "App actions outside the request: asks before a write, and blocks what destroys.",
  },
  off: { tone: "may", text: "App actions outside the request run by the approval rules; what destroys asks first." },
} as const satisfies Record<string, Statement>;

function unclearWords({ on_unknown, capability_gate, memory, skills }: AgentConfig): Statement[] {
  return [
    ...(capability_gate === undefined ? [] : [GATE_WORDS[capability_gate]]),
    on_unknown === "ask"
      ? { tone: "may", text: "Unknown outcomes: waits for a person's decision." }
      : { tone: "may", text: "Unknown outcomes: tells the model and continues." },
    ...(memory?.summaries === false
      ? [{ tone: "may_not", text: "Its tasks leave no summary in memory." } as const]
      : []),
    ...(skills?.match === "explicit"
      ? [{ tone: "may_not", text: "Only skills that somebody names are brought in." } as const]
      : []),
    ...(skills?.names === undefined || skills.names.length === 0
      ? []
      : [{ tone: "may", text: `Every task works under ${joinWords(skills.names)}.` } as const]),
  ];
}

function list(tone: Statement["tone"], lead: string, tools: readonly WordedTool[]): Statement[] {
  return tools.length === 0 ? [] : [{ tone, text: `${lead} ${names(tools)}.` }];
}

function names(tools: readonly WordedTool[]): string {
  return joinWords(tools.map(({ name }) => name));
}

function joinWords(words: readonly string[]): string {
  const shown = words.slice(0, TOLD);
  const more = words.length - shown.length;
  if (more > 0) return `${shown.join(", ")} and ${more} more`;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1) ?? ""}`;
}
