/** Apps of the catalogue as people connect to them, and what their provider knows an owner by. */
import type { Account } from "./account.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { CatalogueApp } from "../ports/app-catalogue.ts";
import type { AppClient } from "./app-client.ts";
import { OPERATOR_KEY } from "./provider-key.ts";

/** Why nothing of the provider works without its key. Clients of document 002 know this sentence. */
export const NO_PROVIDER_MESSAGE = "Integrations are disabled — no Composio API key is configured.";

const SCHEMES_OF_PERSON: ReadonlySet<string> = new Set(["API_KEY", "BEARER_TOKEN", "BASIC"]);

/** True for a scheme without a client: the provider's page asks the person for what it needs. */
export function isSchemeOfPerson(scheme: string): boolean {
  return SCHEMES_OF_PERSON.has(scheme);
}

/** Why nobody connects an account of an app that works without one. */
export function describeOpenApp(title: string): string {
  return `${title} needs no account. Its actions can be used at once.`;
}

/** Why nobody can connect an app for which the provider has no client. `guideUrl`: the page that says how to set one up. */
export function describeMissingClient(title: string, guideUrl: string | null): string {
  const guide = guideUrl === null ? "" : ` ${guideUrl} describes it.`;
  return `${title} needs a client of its own, which an administrator sets up at Composio first.${guide}`;
}

/**
 * What a consent at the provider covers: the app, through the key that serves the tenant. So an account does not count once
 * another key serves it.
 */
export async function hashCatalogueApp(app: string, key: string = OPERATOR_KEY): Promise<string> {
  return await sha256Hex(JSON.stringify(["composio", app, ...(key === OPERATOR_KEY ? [] : [key])]));
}

/** The owner of an account at a provider that stores tokens. Without a person: the tenant's shared one. */
export function toEntity(tenant: string, person: string | null): string {
  return `${tenant}.${person ?? "shared"}`;
}

/** True for an app whose accounts the provider of the catalogue stores. */
export function isCatalogueApp({ provider }: Pick<Account, "provider">): boolean {
  return provider === "composio";
}

/** The app as people connect to it. `key` names the key that serves the tenant; null: none, and nobody can connect. */
export async function toCatalogueClient(app: CatalogueApp, key: string | null): Promise<AppClient> {
  const unavailable = key === null ? NO_PROVIDER_MESSAGE : findObstacle(app);
  return {
    app: app.app,
    provider: "composio",
    title: app.title,
    per: "either",
    kind: "composio",
    scopes: [],
    fields: [],
    hosts: [],
    settingsHash: await hashCatalogueApp(app.app, key ?? OPERATOR_KEY),
    ...(unavailable === null ? {} : { unavailable }),
  };
}

/** Finds why nobody can connect an app, as far as the catalogue says; null if people can. */
function findObstacle({ title, status, isOpen, authSchemes, managedSchemes, guideUrl }: CatalogueApp): string | null {
  if (isOpen) return describeOpenApp(title);
  if (status === "removed") return `${title} is no longer in the catalogue.`;
  if (managedSchemes.length > 0 || authSchemes.some(isSchemeOfPerson)) return null;
  return describeMissingClient(title, guideUrl);
}
