/**
 * The catalogue of apps as a caller sees it: what there is, and what is connected. Every read works on one snapshot and on
 * stored connections, and none asks a provider.
 */
import { NO_PROVIDER_MESSAGE } from "../../core/connections/catalogue-app.ts";
import { createRoute, z } from "@hono/zod-openapi";
import { appsFromEnv } from "../../adapters/env/connections.ts";
import { findDirectoryApp } from "../../adapters/env/directory.ts";
import { integrationsFromEnv } from "../../adapters/env/integrations.ts";
import type { DescribedTrigger } from "../../core/apps/catalogue.ts";
import type { IntegrationState } from "../../core/apps/integrations.ts";
import { raise } from "../../core/base/errors.ts";
import { isoOrNull } from "../../core/base/iso.ts";
import { MAX_OF_OWNER } from "../../core/connections/rules.ts";
import type { CatalogueApp, CatalogueSnapshot } from "../../core/ports/app-catalogue.ts";
import { TOOLS_MS } from "../../core/tenant/cost-rates.ts";
import { readConnectionPage } from "../connections/read-page.ts";
import { answers, withKey } from "../http/answers.ts";
import { chargeCost } from "../http/charge-cost.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getPerson, getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { readAddedApps } from "./added-apps.ts";
import { refuseUnknownApp } from "./find-app.ts";
import { listDirectoryActions, type ListedApps, readListedApps, readSnapshot } from "./listed-apps.ts";
import { filterApps, matchWords } from "./match.ts";
import {
  ACTION_LIMIT,
  actionSchema,
  actionsQuery,
  APP_LIMIT,
  appParams,
  connectedAppsSchema,
  connectedQuery,
  integrationsSchema,
  marketplaceQuery,
  marketplaceSchema,
  statsSchema,
  triggerSchema,
} from "./schemas.ts";
import { type AppState, isConnected, judgeApps, splitAppKey, toAppKey } from "./states.ts";
import { toActionView, toConnectedApp, toMarketplaceApp, toTriggerView } from "./view.ts";

const shared = { tags: ["Apps"], ...withKey, method: "get" as const, middleware: [requireScope("tasks:read")] };

/** Actions for which reading costs as much as reading the tools of a tenant. */
const ACTIONS_PER_CHARGE = 200;

const MESSAGES: Readonly<Record<IntegrationState, string | null>> = {
  on: null,
  demo: "Demo apps: nothing here is real.",
  integrations_unavailable: NO_PROVIDER_MESSAGE,
};

const marketplace = createRoute({
  ...shared,
  operationId: "marketplace.list",
  path: "/api/tools/marketplace",
  summary: "List the apps of the catalogue, by the number of their actions, and then those of the directory",
  description:
    "The directory has apps whose makers run an MCP server: they need no provider. `is_connected` and `connect_states` are the caller's: of the key's person, and of the shared connections. Before the first sync, only the directory is listed.",
  request: { query: marketplaceQuery },
  responses: answers({ 200: { description: "A page of apps.", json: marketplaceSchema } }, [422]),
});

const stats = createRoute({
  ...shared,
  operationId: "marketplace.getStats",
  path: "/api/tools/stats",
  summary: "Show the figures of the catalogue",
  responses: answers({ 200: { description: "The figures.", json: statsSchema } }),
});

const connected = createRoute({
  ...shared,
  operationId: "marketplace.listConnected",
  path: "/api/tools/connected",
  summary: "List the apps that are added, connected or being connected",
  description: "By own and shared connections, those in use first. `GET /v1/connections` has each connection.",
  request: { query: connectedQuery },
  responses: answers({ 200: { description: "The apps.", json: connectedAppsSchema } }, [422]),
});

const workspace = createRoute({
  ...shared,
  operationId: "marketplace.listWorkspace",
  path: "/api/tools/workspace",
  summary: "List all apps that are added or have a connection, in any state",
  description: "Like `GET /api/tools/connected`, with the expired, failed and revoked ones.",
  request: { query: connectedQuery },
  responses: answers({ 200: { description: "The apps.", json: connectedAppsSchema } }, [422]),
});

const actions = createRoute({
  ...shared,
  operationId: "marketplace.listActions",
  path: "/api/tools/{app}/actions",
  summary: "List the actions of an app",
  request: { params: appParams, query: actionsQuery },
  responses: answers({ 200: { description: "The actions.", json: z.array(actionSchema) } }, [404, 422]),
});

const triggers = createRoute({
  ...shared,
  operationId: "marketplace.listTriggers",
  path: "/api/tools/{app}/triggers",
  summary: "List the events of an app that can begin a task",
  request: { params: appParams },
  responses: answers({ 200: { description: "The triggers.", json: z.array(triggerSchema) } }, [404]),
});

const integrations = createRoute({
  ...shared,
  operationId: "integrations.getStatus",
  path: "/api/tools/integrations/status",
  summary: "Show whether a provider of apps serves the tenant",
  responses: answers({ 200: { description: "The state.", json: integrationsSchema } }),
});

export function appCatalogueRoutes(app: App): void {
  app.openapi(marketplace, async (c) => {
    const query = c.req.valid("query");
    const { app: name = "", category = "", search = "", provider, offset = 0, include } = query;
    const limit = query.limit ?? (include === undefined ? APP_LIMIT.usual : APP_LIMIT.withTriggers);
    if (include !== undefined) refuseManyTriggers(limit, "limit");
    const [listed, states] = await Promise.all([readListedApps(c), readStates(c)]);
    const found = filterApps(listed.apps, { app: name, category, search, provider });
    const page = found.slice(offset, offset + limit);
    const read = await readTriggers(c, include === undefined ? null : listed.snapshot, page);
    const apps = page.map((one) =>
      toMarketplaceApp(one, {
        ...toFacts(listed, one),
        state: states.get(toAppKey(one.provider, one.app)),
        triggers: read.get(one.app) ?? [],
      }),
    );
    const reply = {
      apps,
      total_apps: found.length,
      total_actions: found.reduce((sum, one) => sum + listed.countActions(one), 0),
      categories: listed.stats.categories.map((one) => one.category),
      last_synced: isoOrNull(listed.snapshot?.syncedAt ?? null),
    };
    return c.json(reply, 200);
  });

  app.openapi(stats, async (c) => {
    const [{ snapshot, stats: figures }, states] = await Promise.all([readListedApps(c), readStates(c)]);
    const reply = {
      total_apps: figures.apps,
      total_actions: figures.actions,
      total_triggers: figures.triggers,
      categories: figures.categories.map(({ category, apps }) => ({ category, apps })),
      connected_apps: [...states.values()].filter(isConnected).length,
      last_synced: isoOrNull(snapshot?.syncedAt ?? null),
    };
    return c.json(reply, 200);
  });

  app.openapi(connected, async (c) => {
    const isOpen = ({ best }: AppState) => best.status === "active" || best.status === "pending";
    return c.json(await readConnected(c, c.req.valid("query").include, isOpen), 200);
  });

  app.openapi(workspace, async (c) => c.json(await readConnected(c, c.req.valid("query").include, () => true), 200));

  app.openapi(actions, async (c) => {
    const { search = "", limit = ACTION_LIMIT.usual, offset = 0 } = c.req.valid("query");
    const entry = findDirectoryApp(c.env, c.req.valid("param").app.toLowerCase());
    if (entry !== null) {
      chargeCost(c.env, getTenant(c), TOOLS_MS);
      return c.json((await listDirectoryActions(c, entry, search)).slice(offset, offset + limit), 200);
    }
    const { snapshot, app: name } = await findListedApp(c, c.req.valid("param").app);
    const all = unwrap(await snapshot.actionsOf(name));
    const matches = matchWords(search);
    const page = all.filter((one) => matches(one, one.action)).slice(offset, offset + limit);
    chargeCost(c.env, getTenant(c), (TOOLS_MS * page.length) / ACTIONS_PER_CHARGE);
    const configuration = (await readAddedApps(c)).get(name)?.configuration ?? null;
    return c.json(page.map(toActionView(configuration)), 200);
  });

  app.openapi(triggers, async (c) => {
    if (findDirectoryApp(c.env, c.req.valid("param").app.toLowerCase()) !== null) return c.json([], 200);
    const { snapshot, app: name } = await findListedApp(c, c.req.valid("param").app);
    return c.json(unwrap(await snapshot.triggersOf(name)).map(toTriggerView), 200);
  });

  app.openapi(integrations, async (c) => {
    const { status, servedBy } = unwrap(await integrationsFromEnv(c.env, getTenant(c)));
    return c.json({ status, message: MESSAGES[status], served_by: servedBy }, 200);
  });
}

/** What the caller's tenant has of an app. */
function toFacts({ isAdded, countActions, findEntry }: ListedApps, app: CatalogueApp) {
  return { isAdded: isAdded(app), actionCount: countActions(app), entry: findEntry(app) };
}

/** Reads the state of each app for the caller. A key without a person has the shared connections alone. */
async function readStates(c: AppContext): Promise<ReadonlyMap<string, AppState>> {
  const query = { person: getPerson(c)?.id ?? null, limit: 2 * MAX_OF_OWNER };
  return judgeApps(unwrap(await readConnectionPage(c, query)), Date.now());
}

/** Finds an app by its name in any case. Tasks that began earlier still read a removed one, and so does its page. */
async function findListedApp(c: AppContext, given: string): Promise<{ snapshot: CatalogueSnapshot; app: string }> {
  const snapshot = await readSnapshot(c);
  const app = given.toLowerCase();
  return snapshot?.apps.some((one) => one.app === app) === true ? { snapshot, app } : refuseUnknownApp("app_name");
}

/** Reads the triggers of apps, by the app's name. `snapshot` null: they are not asked for. */
async function readTriggers(
  c: AppContext,
  snapshot: CatalogueSnapshot | null,
  apps: readonly CatalogueApp[],
): Promise<ReadonlyMap<string, readonly DescribedTrigger[]>> {
  if (snapshot === null) return new Map();
  const some = apps.filter(({ triggerCount }) => triggerCount > 0);
  chargeCost(c.env, getTenant(c), TOOLS_MS * some.length);
  const read = new Map<string, readonly DescribedTrigger[]>();
  // One after another: the file of an app holds all its actions with their schemas.
  for (const { app } of some) read.set(app, unwrap(await snapshot.triggersOf(app)));
  return read;
}

function refuseManyTriggers(apps: number, field: string): void {
  if (apps > APP_LIMIT.withTriggers)
    raise(
      "invalid_input",
      `With triggers, a reply has at most ${APP_LIMIT.withTriggers} apps. Ask for fewer, or omit include.`,
      { field },
    );
}

/** Reads the apps that are added, or have a connection in a wanted state: those in use first, then by title. */
async function readConnected(
  c: AppContext,
  include: "triggers" | undefined,
  isWanted: (state: AppState) => boolean,
): Promise<z.infer<typeof connectedAppsSchema>> {
  const [listed, states] = await Promise.all([readListedApps(c), readStates(c)]);
  const known = new Map(listed.apps.map((one) => [toAppKey(one.provider, one.app), one]));
  const wanted = new Map([...states].filter(([, state]) => isWanted(state)));
  const keys = new Set([...wanted.keys(), ...listed.added.map(({ app, provider }) => toAppKey(provider, app))]);
  const rows = [...keys].flatMap((key) => known.get(key) ?? []);
  if (include !== undefined) refuseManyTriggers(rows.length, "include");
  const titles = await readTitles(c, rows.length < keys.size);
  const read = await readTriggers(c, include === undefined ? null : listed.snapshot, rows);
  const apps = [...keys].map((key) => {
    const { app, provider } = splitAppKey(key);
    const [one, state] = [known.get(key), wanted.get(key)];
    if (one !== undefined)
      return toConnectedApp(one, { ...toFacts(listed, one), state, triggers: read.get(app) ?? [] });
    const isAdded = provider === "composio" && listed.isAdded({ app, provider });
    return toConnectedApp({ app, provider, title: titles.get(app) ?? app }, { state, isAdded, triggers: [] });
  });
  const sorted = apps.toSorted(
    (one, other) =>
      Number(other.is_connected) - Number(one.is_connected) || one.display_name.localeCompare(other.display_name, "en"),
  );
  return { apps: sorted, total: sorted.length };
}

/** Reads how people call the tenant's own apps, if any is asked for. */
async function readTitles(c: AppContext, isNeeded: boolean): Promise<ReadonlyMap<string, string>> {
  if (!isNeeded) return new Map();
  const own = unwrap(await appsFromEnv(c.env, getTenant(c)).all());
  return new Map(own.map(({ app, title }) => [app, title]));
}
