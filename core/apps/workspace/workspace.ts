/**
 * An app that a tenant added: which of its actions are enabled, and what the tenant says of them instead of the catalogue.
 * What is enabled is stored by name, so that a sync of the catalogue never widens it.
 */
import { failed, ok, type Result } from "../../base/errors.ts";
import { toCanonicalJson } from "../../base/canonical-json.ts";
import { getOwn } from "../../base/own-field.ts";
import type { CatalogueAction } from "../../ports/app-catalogue.ts";
import { getFormHash } from "./approved-form.ts";
import { MAX_APP_SOURCES } from "../../tool/source.ts";
import type { ActionClass } from "../effects/action-class.ts";

/** Apps of a tenant, and enabled actions of one app. */
export const MAX_WORKSPACE_APPS = MAX_APP_SOURCES;
export const MAX_ENABLED_ACTIONS = 2_000;
/** An app with at most this many actions starts with all of them. */
export const MAX_DEFAULT_ACTIONS = 100;
/** The provider's tag of the actions that most people use. */
const IMPORTANT = "important";

/** What an administrator says of an action instead of the catalogue. Absent fields stay the catalogue's. */
export interface ActionOverride extends Partial<ActionClass> {
  /** The override counts for an action of this form alone (`approved-form.ts`); absent: for every later one too. */
  readonly schemaHash?: string;
}

/** What a tenant stores of an app that it added. */
export interface AppConfiguration {
  /** Names of actions. */
  readonly enabledActions: readonly string[];
  /** By action. */
  readonly overrides: Readonly<Record<string, ActionOverride>>;
  /** The `schemaHash` at which an administrator enabled or approved an action, by action. */
  readonly approved: Readonly<Record<string, string>>;
}

/** The stored form. Equal configurations have equal texts, so that a change can name the one that it replaces. */
export function formatConfiguration({ enabledActions, overrides, approved }: AppConfiguration): string {
  return toCanonicalJson({ enabled_actions: enabledActions, overrides, approved });
}

export function parseConfiguration(text: string): AppConfiguration {
  const { enabled_actions: enabledActions, overrides, approved } = JSON.parse(text) as StoredConfiguration;
  return { enabledActions, overrides, approved };
}

interface StoredConfiguration extends Pick<AppConfiguration, "overrides" | "approved"> {
  readonly enabled_actions: readonly string[];
}

/** Its existence is the state `added`. */
export interface WorkspaceApp {
  /** The app's name in lower case. */
  readonly app: string;
  readonly configuration: AppConfiguration;
  /** From 1; grows with every change. */
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * Chooses the actions of an app that was just added: all of a small app, else the provider's important ones. A large app
 * that has none starts with the first ones.
 */
export function chooseDefaultActions(actions: readonly Pick<CatalogueAction, "action" | "tags">[]): readonly string[] {
  const names = (some: typeof actions) => some.slice(0, MAX_ENABLED_ACTIONS).map(({ action }) => action);
  if (actions.length <= MAX_DEFAULT_ACTIONS) return names(actions);
  const important = actions.filter(({ tags }) => tags.includes(IMPORTANT));
  return names(important.length > 0 ? important : actions.slice(0, MAX_DEFAULT_ACTIONS));
}

/**
 * Returns the override that counts for an action now; undefined without one. An action that destroys never counts as one
 * that only reads, also if it became one after the override was set.
 */
export function findOverride(
  { overrides }: Pick<AppConfiguration, "overrides">,
  { action, schemaHash, isDestructive }: Pick<CatalogueAction, "action" | "schemaHash" | "isDestructive">,
): ActionOverride | undefined {
  const override = getOwn(overrides, action);
  if (override === undefined || (override.schemaHash !== undefined && !isOfForm(override.schemaHash, schemaHash)))
    return undefined;
  if (!isDestructive || override.effect !== "none") return override;
  const { effect: _, ...rest } = override;
  return rest;
}

/** Lists the overrides that count now by action. `find` returns an action of the catalogue; undefined: it is not offered. */
export function listOverrides(
  configuration: Pick<AppConfiguration, "overrides">,
  find: (action: string) => Pick<CatalogueAction, "schemaHash" | "isDestructive"> | undefined,
): (readonly [action: string, override: Partial<ActionClass>])[] {
  return Object.keys(configuration.overrides).flatMap((action) => {
    const known = find(action) ?? { schemaHash: "", isDestructive: false };
    const found = findOverride(configuration, { action, ...known });
    if (found === undefined) return [];
    const { schemaHash: _, ...override } = found;
    return [[action, override] as const];
  });
}

function isOfForm(one: string, other: string): boolean {
  return getFormHash(one) === getFormHash(other);
}

/** Enables exactly these actions of the catalogue, as they are now. Overrides of other actions stay for a later time. */
export function enableActions(
  known: readonly Pick<CatalogueAction, "action" | "schemaHash">[],
  names: readonly string[],
  before: AppConfiguration | null,
): Result<AppConfiguration> {
  const enabled = [...new Set(names)];
  if (enabled.length > MAX_ENABLED_ACTIONS)
    return failed("invalid_input", `An app has at most ${MAX_ENABLED_ACTIONS} enabled actions. Enable fewer.`, {
      field: "actions",
    });
  const hashes = new Map(known.map(({ action, schemaHash }) => [action, schemaHash]));
  const unknown = enabled.find((name) => !hashes.has(name));
  if (unknown !== undefined)
    return failed("invalid_input", `The app has no action ${unknown}. GET /api/tools/{app}/actions lists them.`, {
      field: "actions",
    });
  const stillApproved = before?.approved ?? {};
  const wasEnabled = new Set(before?.enabledActions);
  const approved = enabled.map((name) => {
    const earlier = wasEnabled.has(name) ? getOwn(stillApproved, name) : undefined;
    return [name, earlier ?? hashes.get(name) ?? ""] as const;
  });
  return ok({ enabledActions: enabled, overrides: before?.overrides ?? {}, approved: Object.fromEntries(approved) });
}

/**
 * Replaces the overrides of an app. They may loosen what the catalogue says, except that an action that destroys never
 * counts as one that only reads: an agent that may only read would get it.
 */
export function overrideActions(
  known: readonly Pick<CatalogueAction, "action" | "isDestructive">[],
  overrides: AppConfiguration["overrides"],
  before: AppConfiguration,
): Result<AppConfiguration> {
  const byName = new Map(known.map((one) => [one.action, one]));
  for (const [action, override] of Object.entries(overrides)) {
    const found = byName.get(action);
    if (found === undefined) return refuse(action, "is no action of this app. GET /api/tools/{app}/actions lists them");
    if (override.effect === undefined && override.security === undefined)
      return refuse(action, "has neither an effect nor a security level. Set one, or leave the action out");
    if (found.isDestructive && override.effect === "none")
      return refuse(action, "destroys data or takes away rights, so its effect cannot be none. Set another effect");
  }
  return ok({ ...before, overrides });
}

function refuse(action: string, why: string) {
  return failed("invalid_input", `overrides: ${action} ${why}.`, { field: `overrides.${action}` });
}
