/** Finds the app of the catalogue that a request names. */
import { findDirectoryApp } from "../../adapters/env/directory.ts";
import { raise } from "../../core/base/errors.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { findKnownApp, type KnownApp } from "./change-app.ts";
import type { AppPlace } from "../connections/apps.ts";
import { refuseDirectoryApp } from "./directory-apps.ts";

export interface FoundApp {
  readonly place: AppPlace;
  readonly known: KnownApp;
}

/** `given` is the app's name in any case. One of the directory has no actions in the catalogue, and is refused. */
export async function findApp(c: AppContext, given: string): Promise<FoundApp> {
  const entry = findDirectoryApp(c.env, given.toLowerCase());
  if (entry !== null) refuseDirectoryApp(entry, "app");
  const place = { env: c.env, tenant: getTenant(c) };
  const known = unwrap(await findKnownApp(place, given.toLowerCase()));
  return known === null ? refuseUnknownApp("app_name") : { place, known };
}

/** Refuses a name that no app of the catalogue has. `field` gave it. */
export function refuseUnknownApp(field: string): never {
  const message = "The catalogue has no app of this name. GET /api/tools/marketplace lists them.";
  raise("not_found", message, { field });
}
