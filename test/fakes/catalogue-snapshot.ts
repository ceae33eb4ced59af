/** A snapshot of the catalogue in memory, as a sync would have compiled it. */
import type { ActionJudgement, DescribedTrigger } from "../../core/apps/catalogue.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { CatalogueAction, CatalogueApp, CatalogueSnapshot } from "../../core/ports/app-catalogue.ts";

/** What a test says of an app: its name, and what differs from the default. */
export type GivenApp = Partial<CatalogueApp> & {
  readonly app: string;
  readonly actions?: readonly (Partial<CatalogueAction> & { readonly action: string })[];
  readonly triggers?: readonly string[];
};

const SAFE: ActionJudgement = {
  effect: "none",
  security: "cautious",
  because: "Its hints say that it only reads.",
  capabilities: ["message.read"],
  isDestructive: false,
};

/** Makes a snapshot. `syncedAt` is in milliseconds since the epoch. */
export function makeSnapshot(given: readonly GivenApp[], syncedAt = Date.UTC(2026, 10, 27)): CatalogueSnapshot {
  const actions = new Map(given.map((one) => [one.app, (one.actions ?? []).map((each) => toAction(one.app, each))]));
  const triggers = new Map(given.map((one) => [one.app, (one.triggers ?? []).map((name) => toTrigger(one.app, name))]));
  const apps = given.map(toApp).toSorted((one, other) => other.actionCount - one.actionCount);
  const categories = Map.groupBy(
    apps.flatMap((one) => one.categories),
    (category) => category,
  );
  const find = async <Value>(all: ReadonlyMap<string, Value>, app: string): Promise<Result<Value>> => {
    const found = all.get(app);
    return await Promise.resolve(found === undefined ? failed("not_found", "There is no such app.") : ok(found));
  };
  return {
    hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    syncedAt,
    stats: {
      apps: apps.length,
      actions: apps.reduce((sum, { actionCount }) => sum + actionCount, 0),
      triggers: apps.reduce((sum, { triggerCount }) => sum + triggerCount, 0),
      categories: Array.from(categories, ([category, all]) => ({ category, apps: all.length })).toSorted(
        (one, other) => other.apps - one.apps,
      ),
    },
    apps,
    actions: async () => {
      const listed = [...actions.values()].flat().map((one) => {
        return { ...one, parameters: Object.keys(one.input["properties"] ?? {}) };
      });
      return await Promise.resolve(ok(listed));
    },
    actionsOf: async (app) => await find(actions, app),
    triggersOf: async (app) => await find(triggers, app),
  };
}

function toApp({ actions = [], triggers = [], ...given }: GivenApp): CatalogueApp {
  return {
    title: given.app,
    description: "",
    logoUrl: null,
    logo: null,
    categories: [],
    actionCount: actions.length,
    triggerCount: triggers.length,
    authSchemes: ["OAUTH2"],
    managedSchemes: ["OAUTH2"],
    isOpen: false,
    guideUrl: null,
    version: null,
    updatedAt: null,
    provider: "composio",
    status: "active",
    ...given,
  };
}

function toAction(app: string, given: Partial<CatalogueAction> & { readonly action: string }): CatalogueAction {
  return {
    app,
    title: given.action,
    description: "",
    tags: [],
    scopes: [],
    input: { type: "object", properties: {} },
    output: null,
    version: "20261101_00",
    isOpen: false,
    schemaHash: "0",
    ...SAFE,
    ...given,
  };
}

/** The settings of a trigger. */
const CONFIG = { type: "object", properties: { interval: { type: "integer", minimum: 1 } } };

function toTrigger(app: string, trigger: string): DescribedTrigger {
  return { trigger, app, title: trigger, description: "", config: CONFIG, payload: null };
}
