/** The apps of a tenant's workspace: adding and removing them, and which of their actions are enabled. */
import { createRoute, type z } from "@hono/zod-openapi";
import { findDirectoryApp } from "../../adapters/env/directory.ts";
import { getFormHash } from "../../core/apps/workspace/approved-form.ts";
import type { DirectoryApp } from "../../core/apps/directory.ts";
import { findAction } from "../../core/apps/workspace/outside-tools.ts";
import {
  type ActionOverride,
  type AppConfiguration,
  chooseDefaultActions,
  enableActions,
  overrideActions,
} from "../../core/apps/workspace/workspace.ts";
import { ok, raise } from "../../core/base/errors.ts";
import { storable } from "../../core/base/storable.ts";
import type { CatalogueAction } from "../../core/ports/app-catalogue.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { TOOLS_MS } from "../../core/tenant/cost-rates.ts";
import { answers, withKey } from "../http/answers.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import { chargeCost } from "../http/charge-cost.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { changeApp, type Decide, ifAdded, removeApp } from "./change-app.ts";
import { addDirectoryApp, removeDirectoryApp } from "./directory-apps.ts";
import { findApp, type FoundApp } from "./find-app.ts";
import type { AppPlace } from "../connections/apps.ts";
import { checkAppName } from "./names.ts";
import { appParams } from "./schemas.ts";
import {
  addAppSchema,
  addedAppSchema,
  appChangeSchema,
  enabledSchema,
  enableSchema,
  overriddenSchema,
  overridesSchema,
} from "./workspace-schemas.ts";

const shared = { tags: ["Apps"], ...withKey, middleware: [requireScope("admin")] };

/** Actions whose publication costs as much as reading the tools of a tenant. */
const ACTIONS_PER_CHARGE = 100;

const add = createRoute({
  ...shared,
  method: "post",
  operationId: "workspace.addApp",
  path: "/api/tools/add-to-workspace",
  summary: "Add an app to the workspace",
  description:
    "Of the catalogue: enables all its actions if it has at most 100, else those that its provider calls important, else the first 100. New tasks have them. An app cannot be added while an import or an MCP server has its name. Of the directory: adds its MCP server, to which each person connects an account; its tools are read when the first one is connected. A server that cannot be used is refused, and nothing is added.",
  request: { body: { required: true, content: { "application/json": { schema: addAppSchema } } } },
  responses: answers({ 200: { description: "The app is added.", json: addedAppSchema } }, [404, 409, 413, 415, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "workspace.removeApp",
  path: "/api/tools/remove-from-workspace/{app}",
  summary: "Remove an app from the workspace",
  description:
    "New tasks do not have its actions, and running ones are refused them within seconds. Connections stay: they count again when the app is added again. Of an app of the directory they are disconnected, because its MCP server is removed.",
  request: { params: appParams },
  responses: answers({ 200: { description: "The app is removed.", json: appChangeSchema } }, [404]),
});

const enable = createRoute({
  ...shared,
  method: "post",
  operationId: "workspace.enableActions",
  path: "/api/tools/{app}/actions",
  summary: "Enable exactly these actions of an app",
  description: "Running tasks lose what is disabled within seconds; new tasks have what is enabled.",
  request: {
    params: appParams,
    body: { required: true, content: { "application/json": { schema: enableSchema } } },
  },
  responses: answers({ 200: { description: "They are enabled.", json: enabledSchema } }, [404, 409, 413, 415, 422]),
});

const override = createRoute({
  ...shared,
  method: "put",
  operationId: "workspace.setOverrides",
  path: "/api/tools/{app}/overrides",
  summary: "Set the effect and the security level of actions",
  description:
    "Counts instead of what the catalogue says, also for later versions of the action. An action that destroys data or takes away rights cannot have the effect `none`.",
  request: {
    params: appParams,
    body: { required: true, content: { "application/json": { schema: overridesSchema } } },
  },
  responses: answers({ 200: { description: "They count.", json: overriddenSchema } }, [404, 409, 413, 415, 422]),
});

export function workspaceAppRoutes(app: App): void {
  app.openapi(add, async (c) => {
    const entry = findDirectoryApp(c.env, c.req.valid("json").app_name.toLowerCase());
    if (entry !== null) return c.json(await addEntry(c, entry), 200);
    const { place, known } = await findApp(c, c.req.valid("json").app_name);
    const { app: name, title, status } = known.app;
    if (status === "removed") raise("not_found", `${title} is no longer offered by its provider. Add another app.`);
    unwrap(await checkAppName(place, name));
    const act = await createAuditEntry(c, "app.add", name);
    const names = chooseDefaultActions(known.actions);
    let isNew = true;
    const decide: Decide = (before) => {
      isNew = before === null;
      return before === null ? enableActions(known.actions, names, null) : ok(before);
    };
    const made = await change(c, { place, known }, decide, act);
    const count = made.enabledActions.length;
    const enabled = `${count} of its ${known.actions.length} actions ${count === 1 ? "is" : "are"} enabled.`;
    const message = isNew ? `${title} was added. ${enabled}` : `${title} is already added. ${enabled}`;
    return c.json({ status: isNew ? ("success" as const) : ("already_added" as const), message, app_name: name }, 200);
  });

  app.openapi(remove, async (c) => {
    const name = c.req.valid("param").app.toLowerCase();
    const entry = findDirectoryApp(c.env, name);
    if (entry !== null) return c.json(await removeEntry(c, entry), 200);
    const place = getPlace(c);
    const act = await createAuditEntry(c, "app.remove", name);
    // A name that cannot be stored was never added.
    if (storable(name) !== name || !unwrap(await removeApp(place, name, act))) refuseNotAdded();
    return c.json({ status: "success" as const, message: `${name} was removed.`, app_name: name }, 200);
  });

  app.openapi(enable, async (c) => {
    const { place, known } = await findApp(c, c.req.valid("param").app);
    const names = await readNames(known.actions, c.req.valid("json").actions, "actions");
    const act = await createAuditEntry(c, "app.enable", known.app.app);
    const decide = ifAdded(known, (before) => enableActions(known.actions, names, before));
    const made = await change(c, { place, known }, decide, act);
    const reply = { status: "success" as const, enabled_count: made.enabledActions.length, app_name: known.app.app };
    return c.json(reply, 200);
  });

  app.openapi(override, async (c) => {
    const { place, known } = await findApp(c, c.req.valid("param").app);
    const given = Object.entries(c.req.valid("json").overrides);
    const names = await readNames(known.actions, Object.keys(c.req.valid("json").overrides), "overrides");
    const overrides = Object.fromEntries(
      given.map(([, one], at) => [names[at] ?? "", toOverride(one, names[at] ?? "", known.actions)]),
    );
    const act = await createAuditEntry(c, "app.override", known.app.app);
    const logged = { ...act, details: toDetails(overrides) };
    const decide = ifAdded(known, (before) => overrideActions(known.actions, overrides, before));
    const made = await change(c, { place, known }, decide, logged);
    const count = Object.keys(made.overrides).length;
    return c.json({ status: "success" as const, overridden_count: count, app_name: known.app.app }, 200);
  });
}

async function addEntry(c: AppContext, entry: DirectoryApp): Promise<z.infer<typeof addedAppSchema>> {
  const { app, title } = entry;
  chargeCost(c.env, getTenant(c), TOOLS_MS);
  if (!(await addDirectoryApp(c, entry)))
    return { status: "already_added", message: `${title} is already added.`, app_name: app };
  const message = `${title} was added. Its actions are read when the first account is connected.`;
  return { status: "success", message, app_name: app };
}

async function removeEntry(c: AppContext, entry: DirectoryApp): Promise<z.infer<typeof appChangeSchema>> {
  if (!(await removeDirectoryApp(c, entry))) refuseNotAdded();
  const message = `${entry.title} was removed, and its accounts were disconnected.`;
  return { status: "success", message, app_name: entry.app };
}

function refuseNotAdded(): never {
  raise("not_found", "This app is not added to this workspace. GET /api/tools/workspace lists those that are.");
}

function getPlace(c: AppContext): AppPlace {
  return { env: c.env, tenant: getTenant(c) };
}

async function change(
  c: AppContext,
  { place, known }: FoundApp,
  decide: Decide,
  act: AuditEntry,
): Promise<AppConfiguration> {
  chargeCost(c.env, place.tenant, (TOOLS_MS * known.actions.length) / ACTIONS_PER_CHARGE);
  return unwrap(await changeApp(place, known, decide, act)).configuration;
}

/** Returns the provider's names of actions that are named in any form. */
async function readNames(
  actions: readonly CatalogueAction[],
  given: readonly string[],
  field: string,
): Promise<readonly string[]> {
  const byName = new Map(actions.map(({ action }) => [action, action]));
  const names: string[] = [];
  for (const name of given) {
    const found = await findAction(byName, name);
    if (found === null)
      raise("invalid_input", `The app has no action ${name}. GET /api/tools/{app}/actions lists them.`, { field });
    names.push(found);
  }
  return names;
}

type GivenOverride = z.infer<typeof overridesSchema>["overrides"][string];

/** Reads an override. One that was given for other schemas or hints than the present ones is refused. */
function toOverride(
  { effect, security, schema_hash: schemaHash }: GivenOverride,
  action: string,
  actions: readonly CatalogueAction[],
): ActionOverride {
  const present = actions.find((one) => one.action === action)?.schemaHash;
  const form = schemaHash === undefined ? undefined : getFormHash(schemaHash);
  if (form !== undefined && form !== getFormHash(present ?? ""))
    raise("conflict", `${action} changed meanwhile. Read it again and set its override for that form.`, {
      field: `overrides.${action}`,
    });
  return {
    ...(effect === undefined ? {} : { effect }),
    ...(security === undefined ? {} : { security }),
    ...(form === undefined ? {} : { schemaHash: form }),
  };
}

/** Acts whose details name more actions than this name the first ones. */
const MAX_DETAILS = 100;

function toDetails(overrides: AppConfiguration["overrides"]): Readonly<Record<string, string>> {
  const entries = Object.entries(overrides).slice(0, MAX_DETAILS);
  return Object.fromEntries(
    entries.map(([action, { effect, security }]) => [action, [effect, security].filter(Boolean).join(", ")]),
  );
}
