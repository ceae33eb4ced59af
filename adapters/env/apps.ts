/** The provider of apps: Composio, or under `npm start` without a key the demo apps. */
import { type AppProviderParts, openComposio } from "../composio/composio.ts";
import { checkAddress, type Env, readText } from "./bindings.ts";
import { oncePerEnv } from "./once-per-env.ts";
import { checkSecret, settingsFromEnv } from "./settings.ts";

const COMPOSIO = "https://backend.composio.dev";

/** `demo`: nothing of it is real. */
export const APPS_STATUSES = ["on", "demo", "off"] as const;

export interface AppsSettings {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly isDemo: boolean;
}

/** The provider with the operator's key; null without that. One budget of requests serves an isolate. */
export function appProviderFromEnv(env: Env): AppProviderParts | null {
  return readAppsSettings(env) === null ? null : openProvider(env);
}

const openProvider = oncePerEnv((env: Env): AppProviderParts => {
  const settings = readAppsSettings(env);
  if (settings === null) throw new RangeError("COMPOSIO_API_KEY is not set");
  return openComposio({ ...settings, keyOf: "operator" });
});

export function appsStatusFromEnv(env: Env): (typeof APPS_STATUSES)[number] {
  const settings = readAppsSettings(env);
  if (settings === null) return "off";
  return settings.isDemo ? "demo" : "on";
}

/** Null without a provider. Throws a RangeError for invalid settings. */
export function readAppsSettings(env: Env): AppsSettings | null {
  // Demo apps are refused in production.
  settingsFromEnv(env);
  checkAddress(env.COMPOSIO_BASE_URL, "COMPOSIO_BASE_URL");
  checkSecret(env, "COMPOSIO_API_KEY");
  const isDemo = readsDemoApps(env);
  const apiKey = readText(env.COMPOSIO_API_KEY);
  if (apiKey === null) return null;
  if (isDemo && readText(env.COMPOSIO_BASE_URL) === null)
    throw new RangeError("COMPOSIO_BASE_URL is not set, and OTTO_DEMO_APPS is yes: `npm start` sets both");
  return { apiKey, baseUrl: readAppsAddress(env), isDemo };
}

/** Where the provider is, with whichever key. Without a trailing slash. */
export function readAppsAddress(env: Env): string {
  checkAddress(env.COMPOSIO_BASE_URL, "COMPOSIO_BASE_URL");
  return (readText(env.COMPOSIO_BASE_URL) ?? COMPOSIO).replace(/\/+$/, "");
}

function readsDemoApps(env: Env): boolean {
  const demo = readText(env.OTTO_DEMO_APPS);
  if (demo !== null && demo !== "yes" && demo !== "no") throw new RangeError("OTTO_DEMO_APPS has to be yes or no");
  return demo === "yes";
}
