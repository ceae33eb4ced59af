/** What one version of an agent changed, by field, in words where there are words for it. */
import type { AgentConfig } from "./agent-config.ts";
import { permissionsInWords, type WordedTool } from "./permissions-in-words.ts";
import { sameJson } from "../../ui/schema-form/json-value.ts";

export interface FieldChange {
  readonly field: string;
  readonly title: string;
  /** Members that came and went, of a list of texts; null for what is no such list. */
  readonly lists: { readonly added: readonly string[]; readonly removed: readonly string[] } | null;
  /** As text: JSON, or the text itself. Empty: it was not there. */
  readonly before: string;
  readonly after: string;
}

const TITLES: Readonly<Record<string, string>> = {
  name: "Name",
  model: "Model",
  fallbacks: "Fallback models",
  instructions: "Instructions",
  tools: "Tools",
  permissions: "Permissions",
  approval: "Approval",
  budget: "Limits",
  sandbox: "Files",
  allowed_domains: "Hosts that it may reach",
  idempotent_hosts: "Hosts that honour Idempotency-Key",
  on_unknown: "Unknown outcomes",
  capability_gate: "App actions outside the request",
  memory: "Memory",
  skills: "Skills",
  tool_config: "Settings of tools",
};

/** The fields that differ, in the order of the form. */
export function fieldChanges(before: AgentConfig, after: AgentConfig): readonly FieldChange[] {
  const old: Readonly<Record<string, unknown>> = { ...before };
  const now: Readonly<Record<string, unknown>> = { ...after };
  const fields = [...new Set([...Object.keys(TITLES), ...Object.keys(old), ...Object.keys(now)])];
  return fields
    .filter((field) => !sameJson(old[field], now[field]))
    .map((field) => ({
      field,
      title: TITLES[field] ?? field,
      lists: compareLists(old[field], now[field]),
      before: toText(old[field]),
      after: toText(now[field]),
    }));
}

/** What the agent may do now and could not before, and what it may not do any more: sentences that came and went. */
export function wordChanges(
  before: AgentConfig,
  after: AgentConfig,
  tools: readonly WordedTool[],
): { readonly came: readonly string[]; readonly went: readonly string[] } {
  const old = sentences(before, tools);
  const now = sentences(after, tools);
  return { came: now.filter((text) => !old.includes(text)), went: old.filter((text) => !now.includes(text)) };
}

function sentences(config: AgentConfig, tools: readonly WordedTool[]): readonly string[] {
  return permissionsInWords(config, tools).flatMap(({ statements }) => statements.map(({ text }) => text));
}

function compareLists(before: unknown, after: unknown): FieldChange["lists"] {
  const old = asTexts(before);
  const now = asTexts(after);
  if (old === null || now === null) return null;
  const added = now.filter((text) => !old.includes(text));
  const removed = old.filter((text) => !now.includes(text));
  // A list in another order has members that neither came nor went.
  return added.length + removed.length === 0 ? null : { added, removed };
}

function asTexts(value: unknown): readonly string[] | null {
  if (value === undefined) return [];
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : null;
}

function toText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
