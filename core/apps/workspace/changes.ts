/**
 * What a sync changed of an app's enabled actions. Tasks keep the tools that were published until an administrator approves
 * the change, so that a provider cannot turn a reading action into one that writes, ask for more than before, or put other
 * words before a model.
 */
import { toCanonicalJson } from "../../base/canonical-json.ts";
import { getOwn } from "../../base/own-field.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { CatalogueAction } from "../../ports/app-catalogue.ts";
import type { OutsideTool } from "../../tool/source.ts";
import type { ActionClass } from "../effects/action-class.ts";
import { getSummary } from "./outside-tools.ts";
import { type AppConfiguration, findOverride } from "./workspace.ts";

/** What of an action changed. `hints`: its title, tags or output, without an effect on its class or level. */
export const CHANGED_PARTS = ["input", "effect", "security", "description", "hints"] as const;
export type ChangedPart = (typeof CHANGED_PARTS)[number];

/** An action as tasks read it. */
interface ReadAction extends ActionClass {
  /** What models read of it, plain text; null if it did not change. */
  readonly description: string | null;
}

/** An enabled action whose schemas, hints or description are other than those that were approved. */
export interface ChangedAction {
  readonly action: string;
  readonly title: string;
  readonly parts: readonly ChangedPart[];
  /** As tasks have it; null if it is not published. */
  readonly before: ReadAction | null;
  readonly after: ReadAction;
}

export interface AppChanges {
  /** SHA-256 in hex of what an approval names; null without changes. */
  readonly hash: string | null;
  readonly changed: readonly ChangedAction[];
  /** Enabled actions that the catalogue no longer has. Later tasks do not have them. */
  readonly removed: readonly string[];
}

/** Lists the changes by name. `published`: the tools that tasks have now. */
export async function listChanges(
  configuration: AppConfiguration,
  actions: readonly CatalogueAction[],
  published: readonly OutsideTool[],
): Promise<AppChanges> {
  const { changed, removed } = findChanged(configuration, actions);
  if (changed.length === 0 && removed.length === 0) return { hash: null, changed: [], removed };
  const tools = new Map(published.flatMap((tool) => (tool.origin.kind === "app" ? [[tool.origin.action, tool]] : [])));
  const described = changed.map((action) => describeChange(configuration, action, tools.get(action.action) ?? null));
  const named = [changed.map(({ action, schemaHash }) => [action, schemaHash]), removed];
  return { hash: await sha256Hex(toCanonicalJson(named)), changed: described, removed };
}

/** True if an enabled action waits for an approval. */
export function hasChanged(configuration: AppConfiguration, actions: readonly CatalogueAction[]): boolean {
  return findChanged(configuration, actions).changed.length > 0;
}

/** Approves all changes: changed actions count as they are now, and removed ones are no longer enabled. */
export function approveChanges(configuration: AppConfiguration, actions: readonly CatalogueAction[]): AppConfiguration {
  const { changed, removed } = findChanged(configuration, actions);
  const lost = new Set(removed);
  const now = Object.fromEntries(changed.map(({ action, schemaHash }) => [action, schemaHash]));
  const approved = Object.entries({ ...configuration.approved, ...now }).filter(([action]) => !lost.has(action));
  return {
    ...configuration,
    enabledActions: configuration.enabledActions.filter((action) => !lost.has(action)),
    approved: Object.fromEntries(approved),
  };
}

function findChanged({ enabledActions, approved }: AppConfiguration, actions: readonly CatalogueAction[]) {
  const byName = new Map(actions.map((one) => [one.action, one]));
  const sorted = enabledActions.toSorted();
  const present = sorted.flatMap((name) => byName.get(name) ?? []);
  return {
    changed: present.filter(({ action, schemaHash }) => getOwn(approved, action) !== schemaHash),
    removed: sorted.filter((name) => !byName.has(name)),
  };
}

function describeChange(
  configuration: AppConfiguration,
  action: CatalogueAction,
  before: OutsideTool | null,
): ChangedAction {
  const { effect = action.effect, security = action.security } = findOverride(configuration, action) ?? {};
  const text = getSummary(action);
  const hasText = before?.summary !== text;
  const parts: ChangedPart[] = [];
  if (before !== null) {
    if (toCanonicalJson(before.input) !== toCanonicalJson(action.input)) parts.push("input");
    if (before.effect !== effect) parts.push("effect");
    if (before.security !== security) parts.push("security");
    if (hasText) parts.push("description");
  }
  return {
    action: action.action,
    title: action.title,
    parts: parts.length === 0 ? ["hints"] : parts,
    before: before === null ? null : { ...toClass(before), description: hasText ? before.summary : null },
    after: { effect, security, description: hasText ? text : null },
  };
}

function toClass({ effect, security }: ActionClass): ActionClass {
  return { effect, security };
}
