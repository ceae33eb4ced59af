/** What waits for an administrator: actions that a sync changed, and names that say that they read. */
import { createRoute } from "@hono/zod-openapi";
import { approveChanges, listChanges } from "../../core/apps/workspace/changes.ts";
import { listNamedReaders } from "../../core/apps/effects/effect.ts";
import { type AppConfiguration, listOverrides } from "../../core/apps/workspace/workspace.ts";
import { ok, raise } from "../../core/base/errors.ts";
import type { CatalogueAction } from "../../core/ports/app-catalogue.ts";
import { answers, withKey } from "../http/answers.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { unwrap } from "../http/unwrap.ts";
import { readAddedApps } from "./added-apps.ts";
import { changeApp, failNotAdded, ifAdded, readPublished } from "./change-app.ts";
import { findApp, type FoundApp } from "./find-app.ts";
import { appParams } from "./schemas.ts";
import {
  appChangesSchema,
  approvedSchema,
  approveSchema,
  overrideListSchema,
  readingActionsSchema,
} from "./workspace-schemas.ts";

const shared = { tags: ["Apps"], ...withKey, middleware: [requireScope("admin")] };

const changes = createRoute({
  ...shared,
  method: "get",
  operationId: "workspace.listChanges",
  path: "/api/tools/{app}/changes",
  summary: "List enabled actions of an app that a sync changed",
  description:
    "Tasks have the approved form and description of a changed action until the change is approved. Actions that are no longer offered leave new tasks without an approval.",
  request: { params: appParams },
  responses: answers({ 200: { description: "The changes.", json: appChangesSchema } }, [404, 409]),
});

const approve = createRoute({
  ...shared,
  method: "post",
  operationId: "workspace.approveChanges",
  path: "/api/tools/{app}/changes/approve",
  summary: "Approve the changed actions of an app",
  description: "409 if the changes are others than those that `hash` names.",
  request: { params: appParams, body: { required: true, content: { "application/json": { schema: approveSchema } } } },
  responses: answers({ 200: { description: "They are approved.", json: approvedSchema } }, [404, 409, 413, 415, 422]),
});

const overrides = createRoute({
  ...shared,
  method: "get",
  operationId: "workspace.listOverrides",
  path: "/api/tools/{app}/overrides",
  summary: "List what administrators set of the actions of an app",
  request: { params: appParams },
  responses: answers({ 200: { description: "The overrides.", json: overrideListSchema } }, [404, 409]),
});

const readers = createRoute({
  ...shared,
  method: "get",
  operationId: "workspace.listReadingActions",
  path: "/api/tools/{app}/reading-actions",
  summary: "List actions whose names say that they read",
  description:
    "Empty for an app whose provider gives hints. To confirm some, set an override with the effect `none`, the level `cautious` and this `schema_hash`: it counts until the action changes.",
  request: { params: appParams },
  responses: answers({ 200: { description: "The actions.", json: readingActionsSchema } }, [404]),
});

export function appChangeRoutes(app: App): void {
  app.openapi(changes, async (c) => {
    const found = await findApp(c, c.req.valid("param").app);
    const { hash, changed, removed } = await readChanges(found, await readConfiguration(c, found));
    const listed = changed.map(({ action, title, parts, before, after }) => {
      return { name: action, display_name: title, parts: [...parts], before, after };
    });
    return c.json({ app_name: found.known.app.app, hash, changed: listed, removed: [...removed] }, 200);
  });

  app.openapi(approve, async (c) => {
    const found = await findApp(c, c.req.valid("param").app);
    const { known, place } = found;
    const { app: name } = known.app;
    const configuration = await readConfiguration(c, found);
    const { hash, changed, removed } = await readChanges(found, configuration);
    if (hash !== c.req.valid("json").hash)
      raise("conflict", `The changes of ${name} are others now. Read them again.`, { field: "hash" });
    const act = await createAuditEntry(c, "app.approve", name);
    const decide = ifAdded(known, (before) => ok(approveChanges(before, known.actions)));
    unwrap(await changeApp(place, known, decide, act));
    const reply = { status: "success" as const, approved_count: changed.length, removed_count: removed.length };
    return c.json({ ...reply, app_name: name }, 200);
  });

  app.openapi(overrides, async (c) => {
    const found = await findApp(c, c.req.valid("param").app);
    const { overrides: set } = await readConfiguration(c, found);
    const byName = new Map(found.known.actions.map((one) => [one.action, one]));
    const current = new Map(listOverrides({ overrides: set }, (action) => byName.get(action)));
    const listed = Object.entries(set).map(([name, { effect = null, security = null, schemaHash = null }]) => {
      const known = byName.get(name) ?? null;
      const title = known?.title ?? name;
      const given = { name, display_name: title, effect, security, schema_hash: schemaHash };
      return { ...given, is_current: current.has(name), computed: known === null ? null : toComputed(known) };
    });
    return c.json({ app_name: found.known.app.app, overrides: listed }, 200);
  });

  app.openapi(readers, async (c) => {
    const { known } = await findApp(c, c.req.valid("param").app);
    const byName = new Map(known.actions.map((one) => [one.action, one]));
    const listed = listNamedReaders(known.actions).flatMap(({ action, hasReadScopes }) => {
      const one = byName.get(action);
      if (one === undefined || one.isDestructive) return [];
      const { title, schemaHash } = one;
      return [{ name: action, display_name: title, has_read_scopes: hasReadScopes, schema_hash: schemaHash }];
    });
    return c.json({ app_name: known.app.app, actions: listed }, 200);
  });
}

function toComputed({ effect, security, because }: CatalogueAction) {
  return { effect, security, because };
}

async function readChanges({ place, known }: FoundApp, configuration: AppConfiguration) {
  const published = unwrap(await readPublished(place, known.app.app));
  return await listChanges(configuration, known.actions, published);
}

/** Refuses an app that is not added. */
async function readConfiguration(c: AppContext, { known }: FoundApp): Promise<AppConfiguration> {
  const added = (await readAddedApps(c)).get(known.app.app);
  return added?.configuration ?? unwrap(failNotAdded(known));
}
