/** Turns enabled actions of the catalogue into tools of a tenant: their names, effects and accounts. */
import { getOwn } from "../../base/own-field.ts";
import type { ToolApp } from "../../connections/account.ts";
import { CUT_AT, cutName, MAX_MODEL_NAME } from "../../gateway/model-names.ts";
import type { CatalogueAction, CatalogueApp } from "../../ports/app-catalogue.ts";
import { getFormHash } from "./approved-form.ts";
import { ACTION_PREFIX, type OutsideTool, toAppSource } from "../../tool/source.ts";
import { findClassNow, findStricterClass, isStricterClass } from "../effects/action-class.ts";
import { type ActionOverride, type AppConfiguration, findOverride } from "./workspace.ts";

/** The time limit of one call. */
const TIMEOUT_MS = 60_000;

/** Returns the name of an action's tool. One that is too long for a model is cut, and ends with ten digits of its SHA-1. */
export async function getActionToolName(action: string): Promise<string> {
  const plain = `${ACTION_PREFIX}${action}`;
  return plain.length <= MAX_MODEL_NAME ? plain : await cutName(plain, plain);
}

/**
 * Finds an action by the provider's name in any case, or by the name of its tool, also by one that was cut. `actions` is by
 * name. Null for an unknown name.
 */
export async function findAction<Action>(actions: ReadonlyMap<string, Action>, name: string): Promise<Action | null> {
  const isTool = name.startsWith(ACTION_PREFIX);
  const found = actions.get((isTool ? name.slice(ACTION_PREFIX.length) : name).toUpperCase());
  if (found !== undefined) return found;
  if (!isTool || name.length !== MAX_MODEL_NAME) return null;
  const start = name.slice(ACTION_PREFIX.length, CUT_AT);
  for (const [action, one] of actions)
    if (action.startsWith(start) && (await getActionToolName(action)) === name) return one;
  return null;
}

/** Converts one action. `app` says whether its calls need an account. */
export async function toOutsideTool(
  action: CatalogueAction,
  app: Pick<CatalogueApp, "isOpen">,
  override: ActionOverride = {},
): Promise<OutsideTool> {
  const { effect = action.effect, security = action.security } = override;
  const judged = { effect: action.effect, security: action.security };
  const account = findToolApp(action, app);
  return {
    name: await getActionToolName(action.action),
    summary: getSummary(action),
    toolbox: toAppSource(action.app),
    category: "api",
    permissions: ["network"],
    security,
    effect,
    timeoutMs: TIMEOUT_MS,
    input: action.input,
    // What apps return often differs from what they describe, and a result that exists is worth more than its schema.
    output: null,
    origin: {
      kind: "app",
      provider: "composio",
      app: action.app,
      action: action.action,
      version: action.version,
      capabilities: action.capabilities,
      isDestructive: action.isDestructive,
      ...(isStricterClass(judged, { effect, security }) ? { judged } : {}),
    },
    ...(account === null ? {} : { app: account }),
  };
}

/** Returns what models read of an action. */
export function getSummary({ description, title }: Pick<CatalogueAction, "description" | "title">): string {
  return description === "" ? title : description;
}

/** Returns the account that calls of an action need; null if none. `app` null: the catalogue does not list it. */
export function findToolApp(
  { app: name, isOpen }: Pick<CatalogueAction, "app" | "isOpen">,
  app: Pick<CatalogueApp, "isOpen"> | null,
): ToolApp | null {
  return isOpen || app?.isOpen === true ? null : { app: name, provider: "composio", owner: "either", scopes: [] };
}

/**
 * Returns the tools of an app's enabled actions, by their names. An action that the catalogue no longer has is left out.
 * One whose schemas, hints or description changed stays as `published` has it until an administrator approves it, and is
 * left out if it was not published.
 */
export async function toAppTools(
  { app, actions }: { readonly app: Pick<CatalogueApp, "isOpen">; readonly actions: readonly CatalogueAction[] },
  configuration: AppConfiguration,
  published: readonly OutsideTool[],
): Promise<OutsideTool[]> {
  const enabled = new Set(configuration.enabledActions);
  const earlier = new Map(
    published.flatMap((tool) => (tool.origin.kind === "app" ? [[tool.origin.action, tool]] : [])),
  );
  const tools: OutsideTool[] = [];
  for (const action of actions.toSorted((one, other) => (one.action < other.action ? -1 : 1))) {
    if (!enabled.has(action.action)) continue;
    const approved = getOwn(configuration.approved, action.action);
    const before = earlier.get(action.action);
    const override = findOverride(configuration, action);
    const now = await toOutsideTool(action, app, override);
    if (approved === action.schemaHash) tools.push(now);
    else if (before !== undefined) {
      const tightened = tighten(before, override);
      const isText = approved !== undefined && getFormHash(approved) === getFormHash(action.schemaHash);
      tools.push(isText ? describeAs(now, tightened) : tightened);
    }
  }
  return tools;
}

/**
 * Applies the override that counts now to a tool that waits for an approval, as far as that is stricter: what an
 * administrator restricts counts at once, and an override of another form of the action counts no longer.
 */
function tighten(tool: OutsideTool, override: ActionOverride = {}): OutsideTool {
  return tool.origin.kind === "app" ? { ...tool, ...findClassNow(tool, tool.origin, override) } : tool;
}

/**
 * Returns an action of the same form with the text that was approved. What was read of its words stays too, as far as it
 * is stricter.
 */
function describeAs(now: OutsideTool, { summary, origin, ...before }: OutsideTool): OutsideTool {
  if (now.origin.kind !== "app" || origin.kind !== "app") return now;
  const { capabilities, isDestructive } = origin;
  const read = { capabilities, isDestructive: isDestructive || now.origin.isDestructive };
  return { ...now, ...findStricterClass(now, before), summary, origin: { ...now.origin, ...read } };
}
