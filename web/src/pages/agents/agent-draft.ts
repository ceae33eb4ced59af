/** An agent while it is edited: every field as it is typed, and the way to a configuration and back without loss. */
import { readNumber } from "../../ui/typed-number.ts";
import {
  type AgentConfig,
  type ApprovalPolicy,
  type Decision,
  LEVELS,
  type Level,
  type Permission,
} from "./agent-config.ts";
import { hostLines, readHostLines } from "./idempotent-hosts.ts";

/** A list of texts, one on each line; null: the agent says nothing of it. */
export type Lines = string | null;

export interface AgentDraft {
  readonly name: string;
  readonly model: string;
  readonly fallbacks: Lines;
  readonly instructions: string;
  readonly tools: readonly string[];
  readonly permissions: readonly Permission[];
  readonly levels: Readonly<Record<Level, Decision | "">>;
  readonly rules: readonly { readonly tool: string; readonly decision: Decision }[];
  readonly expires_s: string;
  readonly max_steps: string;
  readonly max_tokens: string;
  readonly max_cost_usd: string;
  readonly max_duration_s: string;
  readonly allowed_paths: Lines;
  readonly denied_patterns: Lines;
  readonly extensions: Lines;
  readonly allow_write: "" | "true" | "false";
  readonly allowed_domains: Lines;
  readonly idempotent_hosts: Lines;
  readonly on_unknown: "" | "tell" | "ask";
  readonly capability_gate: "" | "enforce" | "ask" | "off";
  readonly summaries: "" | "true" | "false";
  readonly tag_boost: string;
  readonly min_score: string;
  readonly match: "" | "auto" | "explicit";
  readonly skills: Lines;
  /** JSON. */
  readonly tool_config: string;
}

/** What a new agent begins with: it reads, it reaches nothing, it asks before what is dangerous. */
export const NEW_AGENT: AgentConfig = { name: "", instructions: "", tools: ["*"], permissions: ["read"] };

export function draftOf(config: AgentConfig): AgentDraft {
  const { approval = {}, budget = {}, sandbox = {}, memory = {}, skills = {} } = config;
  return {
    name: config.name,
    model: config.model ?? "",
    fallbacks: toLines(config.fallbacks),
    instructions: config.instructions,
    tools: config.tools,
    permissions: config.permissions,
    levels: {
      safe: approval.safe ?? "",
      cautious: approval.cautious ?? "",
      dangerous: approval.dangerous ?? "",
      critical: approval.critical ?? "",
    },
    rules: approval.rules ?? [],
    expires_s: numberText(approval.expires_s),
    max_steps: numberText(budget.max_steps),
    max_tokens: numberText(budget.max_tokens),
    max_cost_usd: numberText(budget.max_cost_usd),
    max_duration_s: numberText(budget.max_duration_s),
    allowed_paths: toLines(sandbox.allowed_paths),
    denied_patterns: toLines(sandbox.denied_patterns),
    extensions: toLines(sandbox.extensions),
    allow_write: flagText(sandbox.allow_write),
    allowed_domains: toLines(config.allowed_domains),
    idempotent_hosts: config.idempotent_hosts === undefined ? null : hostLines(config.idempotent_hosts).join("\n"),
    on_unknown: config.on_unknown ?? "",
    capability_gate: config.capability_gate ?? "",
    summaries: flagText(memory.summaries),
    tag_boost: numberText(memory.tag_boost),
    min_score: numberText(memory.min_score),
    match: skills.match ?? "",
    skills: toLines(skills.names),
    tool_config: config.tool_config === undefined ? "" : JSON.stringify(config.tool_config, null, 2),
  };
}

export type ReadDraft =
  | { readonly ok: true; readonly config: AgentConfig }
  | { readonly ok: false; readonly faults: Readonly<Record<string, string>> };

/** The configuration that the API is sent, or what is no number and no JSON, by the API's names of the fields. */
export function readDraft(draft: AgentDraft): ReadDraft {
  const faults: Record<string, string> = {};
  const number = (field: string, text: string, isWhole: boolean): number | undefined => {
    const read = readNumber(text, { isWhole });
    if (read.kind === "fault") faults[field] = read.fault;
    return read.kind === "number" ? read.value : undefined;
  };
  const budget = given({
    max_steps: number("budget.max_steps", draft.max_steps, true),
    max_tokens: number("budget.max_tokens", draft.max_tokens, true),
    max_cost_usd: number("budget.max_cost_usd", draft.max_cost_usd, false),
    max_duration_s: number("budget.max_duration_s", draft.max_duration_s, false),
  });
  const sandbox = given({
    allowed_paths: toList(draft.allowed_paths),
    denied_patterns: toList(draft.denied_patterns),
    extensions: toList(draft.extensions),
    allow_write: toFlag(draft.allow_write),
  });
  const memory = given({
    summaries: toFlag(draft.summaries),
    tag_boost: number("memory.tag_boost", draft.tag_boost, false),
    min_score: number("memory.min_score", draft.min_score, false),
  });
  const hosts = toList(draft.idempotent_hosts);
  const approval = given(toApproval(draft, number("approval.expires_s", draft.expires_s, true)));
  const tool_config = parseSettings(draft.tool_config, faults);
  if (Object.keys(faults).length > 0) return { ok: false, faults };
  return {
    ok: true,
    config: {
      name: draft.name,
      instructions: draft.instructions,
      tools: [...draft.tools],
      permissions: [...draft.permissions],
      ...present({
        model: draft.model.trim() === "" ? undefined : draft.model.trim(),
        fallbacks: toList(draft.fallbacks),
        approval,
        budget,
        sandbox,
        allowed_domains: toList(draft.allowed_domains),
        idempotent_hosts: hosts === undefined ? undefined : readHostLines(hosts),
        on_unknown: draft.on_unknown === "" ? undefined : draft.on_unknown,
        capability_gate: draft.capability_gate === "" ? undefined : draft.capability_gate,
        memory,
        skills: given({ match: draft.match === "" ? undefined : draft.match, names: toList(draft.skills) }),
        tool_config,
      }),
    },
  };
}

function toApproval({ levels, rules }: AgentDraft, expires_s: number | undefined): ApprovalPolicy {
  const decided = LEVELS.flatMap((level) => (levels[level] === "" ? [] : [[level, levels[level]] as const]));
  return {
    ...(Object.fromEntries(decided) as ApprovalPolicy),
    ...(rules.length === 0 ? {} : { rules: [...rules] }),
    ...(expires_s === undefined ? {} : { expires_s }),
  };
}

function parseSettings(text: string, faults: Record<string, string>): AgentConfig["tool_config"] {
  if (text.trim() === "") return undefined;
  try {
    // The API validates the content.
    return JSON.parse(text) as NonNullable<AgentConfig["tool_config"]>;
  } catch (thrown) {
    faults["tool_config"] = `This is not JSON: ${thrown instanceof Error ? thrown.message : ""}`;
    return undefined;
  }
}

function toLines(list: readonly string[] | undefined): Lines {
  return list === undefined ? null : list.join("\n");
}

function toList(lines: Lines): string[] | undefined {
  if (lines === null) return undefined;
  return lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function numberText(value: number | undefined): string {
  return value === undefined ? "" : String(value);
}

function flagText(value: boolean | undefined): "" | "true" | "false" {
  return value === undefined ? "" : value ? "true" : "false";
}

function toFlag(text: "" | "true" | "false"): boolean | undefined {
  return text === "" ? undefined : text === "true";
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the members that are not given. */
function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** The same; undefined when none is given. */
function given<T extends object>(members: T): Present<T> | undefined {
  const left = present(members);
  return Object.keys(left).length === 0 ? undefined : left;
}
