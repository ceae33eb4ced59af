/** All apps as lists show them: those of the catalogue by their actions, then those of the directory by title. */
import { appCatalogueFromEnv } from "../../adapters/env/app-catalogue.ts";
import { directoryFromEnv } from "../../adapters/env/directory.ts";
import { addDirectoryStats, type DirectoryApp } from "../../core/apps/directory.ts";
import { findSecurityReason } from "../../core/mcp/outside-tools.ts";
import type { CatalogueApp, CatalogueSnapshot, CatalogueStats } from "../../core/ports/app-catalogue.ts";
import { TOOLS_MS } from "../../core/tenant/cost-rates.ts";
import type { AppContext } from "../http/context.ts";
import { chargeCost } from "../http/charge-cost.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { BUILT_IN } from "../mcp/access.ts";
import { listPublishedTools } from "../mcp/servers.ts";
import { readAddedApps } from "./added-apps.ts";
import { readAddedDirectoryApps } from "./directory-apps.ts";
import { matchWords } from "./match.ts";
import type { toActionView } from "./view.ts";

export interface ListedApps {
  /** Null before the first sync. */
  readonly snapshot: CatalogueSnapshot | null;
  readonly apps: readonly CatalogueApp[];
  readonly stats: CatalogueStats;
  readonly isAdded: (app: Pick<CatalogueApp, "app" | "provider">) => boolean;
  /** Those that are added, by provider and name. */
  readonly added: readonly Pick<CatalogueApp, "app" | "provider">[];
  /** What tasks have of an app of the directory; what the catalogue has of another. */
  readonly countActions: (app: CatalogueApp) => number;
  /** Null for an app of the catalogue. */
  readonly findEntry: (app: Pick<CatalogueApp, "app" | "provider">) => DirectoryApp | null;
}

const EMPTY: CatalogueStats = { apps: 0, actions: 0, triggers: 0, categories: [] };

/** Reads the catalogue; null before the first sync. */
export async function readSnapshot(c: AppContext): Promise<CatalogueSnapshot | null> {
  chargeCost(c.env, getTenant(c), TOOLS_MS);
  return unwrap(await appCatalogueFromEnv(c.env).snapshot());
}

export async function readListedApps(c: AppContext): Promise<ListedApps> {
  const [snapshot, workspace, servers] = await Promise.all([
    readSnapshot(c),
    readAddedApps(c),
    readAddedDirectoryApps(c),
  ]);
  const directory = directoryFromEnv(c.env);
  const isOfDirectory = ({ provider }: Pick<CatalogueApp, "provider">) => provider === "mcp";
  return {
    snapshot,
    apps: [...(snapshot?.apps ?? []), ...directory.map(({ app }) => app)],
    stats: addDirectoryStats(
      snapshot?.stats ?? EMPTY,
      directory.map(({ entry }) => entry),
    ),
    isAdded: (app) => (isOfDirectory(app) ? servers.has(app.app) : workspace.has(app.app)),
    added: [
      ...[...workspace.keys()].map((app) => ({ app, provider: "composio" as const })),
      ...[...servers.keys()].map((app) => ({ app, provider: "mcp" as const })),
    ],
    countActions: (app) => (isOfDirectory(app) ? (servers.get(app.app) ?? 0) : app.actionCount),
    findEntry: (app) =>
      isOfDirectory(app) ? (directory.find(({ entry }) => entry.app === app.app)?.entry ?? null) : null,
  };
}

/** The tools that tasks have of an app of the directory, as actions. Empty until its server was read. */
export async function listDirectoryActions(
  c: AppContext,
  { app }: DirectoryApp,
  search: string,
): Promise<ReturnType<ReturnType<typeof toActionView>>[]> {
  if (!(await readAddedDirectoryApps(c)).has(app)) return [];
  const matches = matchWords(search);
  const tools = unwrap(await listPublishedTools({ env: c.env, tenant: getTenant(c), builtIn: BUILT_IN }, app));
  return tools
    .map((tool) => ({
      tool,
      title: tool.origin.kind === "mcp" ? tool.origin.tool : tool.name,
      description: tool.summary,
    }))
    .filter((one) => matches(one, one.tool.name))
    .map(({ tool, title, description }) => ({
      name: tool.name,
      display_name: title,
      description,
      app_name: app,
      parameters: { ...tool.input },
      enabled: true,
      tags: [],
      effect: tool.effect,
      security: tool.security,
      because: findSecurityReason(tool),
      is_overridden: false,
      capabilities: [],
      is_destructive: false,
    }));
}
