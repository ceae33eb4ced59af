/** For which actions of an app people are asked to consent. */
import { appCatalogueFromEnv } from "./app-catalogue.ts";
import type { Env } from "./bindings.ts";
import { databaseFromEnv } from "./database.ts";
import { ok, type Result } from "../../core/base/errors.ts";

/** Those that the tenant enabled; of an app that it did not add, those that only read. The provider derives the fewest scopes from them. */
export async function listConsentActions(env: Env, tenant: string, app: string): Promise<Result<readonly string[]>> {
  const added = await databaseFromEnv(env).workspaceApps.find(tenant, app);
  if (!added.ok) return added;
  if (added.value !== null) return ok(added.value.configuration.enabledActions);
  const snapshot = await appCatalogueFromEnv(env).snapshot();
  if (!snapshot.ok || snapshot.value === null) return snapshot.ok ? ok([]) : snapshot;
  const actions = await snapshot.value.actionsOf(app);
  if (!actions.ok) return actions;
  return ok(actions.value.filter(({ effect }) => effect === "none").map(({ action }) => action));
}
