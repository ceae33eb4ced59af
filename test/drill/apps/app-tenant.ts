/** The tenant of the apps' drill: a synced catalogue with an orphan, its apps added, and a person with an account of each. */
import type { DemoServer } from "../../../scripts/demo-apps/server.ts";
import { controlDemoApps, followLink } from "../../mock-servers/demo-apps.ts";
import { Browser } from "../accounts/browser.ts";
import { ApiClient } from "../api-client.ts";
import type { DrillTenant, Stage } from "../stage.ts";
import { until } from "../started-system.ts";
import { ACTIONS } from "./actions.ts";

const SYNC_MS = 300_000;
const ADDED_WITHIN_MS = 60_000;
const PERSON = "ana@demo.example";
const AGENT = {
  tools: ["*"],
  permissions: ["network"],
  approval: { rules: [{ tool: "*", decision: "allow" }] },
  capability_gate: "off",
  budget: { max_steps: 100 },
};

export interface AppTenant {
  /** Of the person. */
  readonly api: ApiClient;
  /** Agents that tell the model of an unknown outcome, and that ask a person. */
  readonly telling: string;
  readonly asking: string;
}

/** Opens the tenant and syncs the catalogue, which lists an action of an app that no listing has. */
export async function openAppTenant(
  stage: Stage,
  demo: DemoServer,
  name: string,
  say: (line: string) => void,
): Promise<AppTenant> {
  const tenant = await makeAppTenant(stage, name);
  await controlDemoApps(demo.url, { orphan: true });
  const seconds = await syncCatalogue(tenant.api);
  say(`  the catalogue was synced in ${Math.round(seconds)} s`);
  return await connectApps(stage, tenant);
}

/** Makes the tenant, without apps. */
export async function makeAppTenant(stage: Stage, name: string): Promise<DrillTenant> {
  return await stage.makeTenant(name, AGENT);
}

/** Adds the apps of the catalogue, and connects a person's account of each. */
export async function connectApps(stage: Stage, tenant: DrillTenant): Promise<AppTenant> {
  for (const app of new Set(ACTIONS.map((one) => one.app))) await addApp(tenant.api, app);
  const made = await tenant.api.must<{ id: string }>("POST", "/v1/people", { name: "Ana" });
  const order = { name: "key of Ana", scopes: ["tasks:read", "tasks:write", "tools:call"], person: made.id };
  const { key } = await tenant.api.must<{ key: string }>("POST", "/v1/keys", order);
  const api = new ApiClient(stage.system.url, key);
  for (const app of new Set(ACTIONS.map((one) => one.app))) await connect(stage, api, app);
  const asks = { name: "asks", instructions: "Follow the script.", ...AGENT, on_unknown: "ask" };
  const { id } = await tenant.api.must<{ id: string }>("POST", "/v1/agents", asks);
  return { api, telling: tenant.agent, asking: id };
}

/** Runs the first sync. Gives the seconds until the catalogue is there: apps of the directory are listed before, without actions. */
export async function syncCatalogue(api: ApiClient): Promise<number> {
  const from = performance.now();
  await api.must("POST", "/api/tools/sync", {});
  await until(
    async () => (await api.must<{ total_actions: number }>("GET", "/api/tools/stats")).total_actions > 0,
    SYNC_MS,
    () => "the catalogue was not synced in five minutes",
    200,
  );
  return (performance.now() - from) / 1_000;
}

/** Adds an app, enables the drill's actions of it, and gives them their classes. */
async function addApp(api: ApiClient, app: string): Promise<void> {
  const ofApp = ACTIONS.filter((one) => one.app === app);
  await api.must("POST", "/api/tools/add-to-workspace", { app_name: app });
  await api.must("POST", `/api/tools/${app}/actions`, { actions: ofApp.map(({ action }) => action) });
  const overrides = Object.fromEntries(ofApp.map(({ action, effect }) => [action, { effect }]));
  await api.must("PUT", `/api/tools/${app}/overrides`, { overrides });
}

async function connect(stage: Stage, api: ApiClient, app: string): Promise<void> {
  await until(
    async () => {
      const link = await api.must<{ redirect_url: string }>("POST", "/api/tools/connect", { app_name: app });
      const browser = new Browser(stage.system.url);
      const gone = await browser.visit(`${new URL(link.redirect_url).pathname}/go`, { unattended: "on" });
      if (gone.status !== 303 || gone.location === null) throw new Error(`the link of ${app} answered ${gone.status}`);
      const back = await followLink(gone.location, PERSON);
      const page = await browser.visit(back.pathname + back.search);
      return page.status < 400 && page.status > 0;
    },
    ADDED_WITHIN_MS,
    () => `${app} could not be connected`,
    500,
  );
}
