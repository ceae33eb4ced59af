/** The listings of apps, actions and triggers, in the shapes of Composio's client. A page is made when it is read. */
import type { ToolkitListResponse, ToolkitRetrieveResponse } from "@composio/client/resources/toolkits";
import type { ToolListResponse } from "@composio/client/resources/tools";
import type { TriggersTypeListResponse } from "@composio/client/resources/triggers-types";
import { APPS, type DemoApp } from "./app-list.ts";
import type { Faults } from "./faults.ts";
import { getLogoUrl } from "./logos.ts";
import { type DemoAction, makeAction } from "./made-actions.ts";
import { WORKING_APPS } from "./working/working-apps.ts";

const MAX_PAGE = 1_000;
const DEFAULT_PAGE = 20;
const FIRST_VERSION = "20261105_00";
const CHANGED_VERSION = "20261126_00";
const CREATED_AT = "2026-01-12T09:00:00.000Z";
const UPDATED_AT = "2026-11-05T09:00:00.000Z";
const CHANGED_AT = "2026-11-26T09:00:00.000Z";

type Toolkit = ToolkitListResponse["items"][number];
type Tool = ToolListResponse["items"][number];
type Trigger = TriggersTypeListResponse["items"][number];

interface Page<Item> {
  readonly items: Item[];
  readonly next_cursor: string | null;
  readonly total_pages: number;
  readonly current_page: number;
  readonly total_items: number;
}

/** Null for a cursor that the server did not give. `origin`: where logos are. */
export function listToolkits(query: URLSearchParams, faults: Faults, origin: string): ToolkitListResponse | null {
  const apps = listApps(faults);
  return toPage(query, apps.length, (at) => {
    const app = apps[at];
    return app === undefined ? null : toToolkit(app, faults, origin);
  }) satisfies ToolkitListResponse | null;
}

export function listTools(query: URLSearchParams, faults: Faults): ToolListResponse | null {
  const slug = query.get("toolkit_slug")?.toLowerCase();
  const apps = listApps(faults).filter((app) => slug === undefined || app.slug === slug);
  const ends: number[] = [];
  let total = 0;
  for (const { actionCount } of apps) ends.push((total += actionCount));
  const orphans = faults.orders.orphan === true && slug === undefined ? 1 : 0;
  return toPage(query, total + orphans, (at) => {
    if (at === total) return toOrphan(faults);
    const which = findFirst(ends, at);
    const app = apps[which];
    return app === undefined ? null : toTool(app, getAction(app, at - (ends[which - 1] ?? 0)), faults);
  }) satisfies ToolListResponse | null;
}

export function listTriggers(query: URLSearchParams, faults: Faults): TriggersTypeListResponse | null {
  const wanted = (query.get("toolkit_slugs") ?? "").split(",").filter((slug) => slug !== "");
  const triggers = listApps(faults)
    .filter(({ slug }) => wanted.length === 0 || wanted.includes(slug))
    .flatMap((app) => Array.from({ length: app.triggerCount }, (_, at) => ({ app, at })));
  return toPage(query, triggers.length, (at) =>
    toTrigger(triggers[at], faults),
  ) satisfies TriggersTypeListResponse | null;
}

/** Null for an app that is not listed. */
export function getToolkit(slug: string, faults: Faults, origin: string): ToolkitRetrieveResponse | null {
  const app = listApps(faults).find((one) => one.slug === slug.toLowerCase());
  if (app === undefined) return null;
  const {
    slug: name,
    type,
    is_local_toolkit,
    auth_guide_url = null,
    deprecated,
    meta,
  } = toToolkit(app, faults, origin);
  return {
    slug: name,
    name: app.title,
    type,
    is_local_toolkit,
    auth_guide_url,
    enabled: true,
    meta: {
      ...meta,
      categories: meta.categories.map(({ id, name }) => ({ slug: id, name })),
      available_versions: [meta.version],
    },
    composio_managed_auth: toManagedSchemes(app).map((mode) => ({ mode, scopes: { available: [] } })),
    composio_managed_auth_schemes: toManagedSchemes(app),
    auth_config_details: toSchemes(app).map((mode) => ({
      name: mode.toLowerCase(),
      mode,
      fields: {
        auth_config_creation: { required: app.signIn === "own_client" ? [CLIENT_ID] : [], optional: [] },
        connected_account_initiation: { required: app.signIn === "key" ? [KEY] : [], optional: [] },
      },
    })),
    deprecated: { ...deprecated, rawProxyInfoByAuthSchemes: [] },
  } satisfies ToolkitRetrieveResponse;
}

const CLIENT_ID = { name: "client_id", displayName: "Client id", type: "string", description: "", required: true };
const KEY = { name: "generic_api_key", displayName: "API key", type: "string", description: "", required: true };

/** The app and the action of a name; null if no app has it. */
export function findAction(slug: string): { readonly app: DemoApp; readonly action: DemoAction } | null {
  for (const app of APPS) {
    if (!slug.startsWith(`${app.slug.toUpperCase()}_`)) continue;
    for (let at = 0; at < app.actionCount; at += 1) {
      const action = getAction(app, at);
      if (action.slug === slug) return { app, action };
    }
  }
  return null;
}

function listApps({ orders: { vanished = [] } }: Faults): readonly DemoApp[] {
  return vanished.length === 0 ? APPS : APPS.filter(({ slug }) => !vanished.includes(slug));
}

function getAction(app: DemoApp, at: number): DemoAction {
  const working = WORKING_APPS.find(({ slug }) => slug === app.slug);
  const action = working?.actions[at];
  if (working === undefined || action === undefined) return makeAction(app, at);
  const { slug, title, description, tags, parameters, required } = action;
  return {
    slug,
    title,
    description,
    tags,
    scopes: working.scopes,
    input: { type: "object", properties: parameters, required },
    output: { type: "object", properties: { data: { type: "object" } } },
  };
}

/** A page of at most `limit` items from the cursor, which is the index of the first one. */
function toPage<Item>(query: URLSearchParams, total: number, get: (at: number) => Item | null): Page<Item> | null {
  const limit = Math.min(Math.max(1, Number(query.get("limit") ?? DEFAULT_PAGE) || DEFAULT_PAGE), MAX_PAGE);
  const cursor = query.get("cursor");
  const start = cursor === null ? 0 : Number(Buffer.from(cursor, "base64url").toString());
  if (!Number.isInteger(start) || start < 0 || (cursor !== null && start >= total)) return null;
  const end = Math.min(start + limit, total);
  const items: Item[] = [];
  for (let at = start; at < end; at += 1) {
    const item = get(at);
    if (item !== null) items.push(item);
  }
  const next_cursor = end < total ? Buffer.from(String(end)).toString("base64url") : null;
  const current_page = Math.floor(start / limit) + 1;
  return { items, next_cursor, total_pages: Math.ceil(total / limit), current_page, total_items: total };
}

/** The index of the first end that is greater. */
function findFirst(ends: readonly number[], at: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

function isChanged(slug: string, { orders: { changed = [] } }: Faults): boolean {
  return changed.includes(slug);
}

function getVersion(slug: string, faults: Faults): string {
  return isChanged(slug, faults) ? CHANGED_VERSION : FIRST_VERSION;
}

function toSchemes({ signIn }: DemoApp): string[] {
  if (signIn === "none") return ["NO_AUTH"];
  return [signIn === "key" ? "API_KEY" : "OAUTH2"];
}

function toManagedSchemes({ signIn }: DemoApp): string[] {
  return signIn === "oauth" ? ["OAUTH2"] : [];
}

function toToolkit(app: DemoApp, faults: Faults, origin: string): Toolkit {
  const { slug, title, category, actionCount, triggerCount, signIn } = app;
  return {
    slug,
    name: title,
    type: "native",
    auth_schemes: toSchemes(app),
    composio_managed_auth_schemes: toManagedSchemes(app),
    is_local_toolkit: false,
    no_auth: signIn === "none",
    auth_guide_url: signIn === "own_client" ? `https://docs.example.com/auth/${slug}` : null,
    deprecated: { toolkitId: slug },
    meta: {
      created_at: CREATED_AT,
      updated_at: isChanged(slug, faults) ? CHANGED_AT : UPDATED_AT,
      description: describeApp(app),
      logo: getLogoUrl(origin, slug),
      app_url: null,
      categories: [{ id: category.id, name: category.name }],
      triggers_count: triggerCount,
      tools_count: actionCount,
      version: getVersion(slug, faults),
    },
  } satisfies Toolkit;
}

function describeApp({ slug, title, category }: DemoApp): string {
  const working = WORKING_APPS.find((app) => app.slug === slug);
  return (
    working?.description ?? `${title} is for ${category.name.toLowerCase()}. A demo app: its actions change nothing.`
  );
}

function toTool(app: Pick<DemoApp, "slug" | "title" | "signIn">, action: DemoAction, faults: Faults): Tool {
  const version = getVersion(app.slug, faults);
  const toolkit = { slug: app.slug, name: app.title, logo: "" };
  return {
    slug: action.slug,
    name: action.title,
    description: action.description,
    toolkit,
    // Some schemas are invalid, as a provider may have them.
    input_parameters: action.input as Tool["input_parameters"],
    no_auth: app.signIn === "none",
    available_versions: [version],
    version,
    output_parameters: action.output as Tool["output_parameters"],
    scopes: [...action.scopes],
    scope_requirements: null,
    tags: [...action.tags],
    is_deprecated: false,
    deprecated: {
      displayName: action.title,
      version,
      available_versions: [version],
      is_deprecated: false,
      toolkit: { logo: "" },
    },
  } satisfies Tool;
}

function toOrphan(faults: Faults): Tool {
  const app = { slug: "forgottenapp", title: "Forgotten app", signIn: "oauth" as const };
  const input = { type: "object", properties: {} };
  const texts = {
    title: "List records",
    description: "Lists records of an app that is not listed.",
    tags: [],
    scopes: [],
  };
  return toTool(app, { slug: "FORGOTTENAPP_LIST_RECORDS", ...texts, input, output: null }, faults);
}

function toTrigger(wanted: { readonly app: DemoApp; readonly at: number } | undefined, faults: Faults): Trigger | null {
  if (wanted === undefined) return null;
  const { app, at } = wanted;
  const noun = app.category.nouns[at % app.category.nouns.length] ?? app.category.nouns[0];
  const what = noun.replaceAll("_", " ").toLowerCase();
  return {
    slug: `${app.slug.toUpperCase()}_NEW_${noun}_TRIGGER`,
    name: `New ${what}`,
    description: `Fires when a ${what} is created in ${app.title}.`,
    instructions: "",
    type: "poll",
    toolkit: { slug: app.slug, name: app.title, logo: "" },
    config: { type: "object", properties: { interval: { type: "integer", minimum: 1, default: 1 } } },
    payload: { type: "object", properties: { id: { type: "string" } } },
    version: getVersion(app.slug, faults),
  } satisfies Trigger;
}
