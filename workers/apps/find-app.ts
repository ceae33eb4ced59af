/** Finds the app of the catalogue that a request names. */
import { raise } from "../../core/base/errors.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { findKnownApp, type KnownApp } from "./change-app.ts";
import type { AppPlace } from "../connections/apps.ts";

export interface FoundApp {
  readonly place: AppPlace;
  readonly known: KnownApp;
}

/** `given` is the app's name in any case. */
export async function findApp(c: AppContext, given: string): Promise<FoundApp> {
  const place = { env: c.env, tenant: getTenant(c) };
  const known = unwrap(await findKnownApp(place, given.toLowerCase()));
  if (known === null) {
    const message = "The catalogue has no app of this name. GET /api/tools/marketplace lists them.";
    raise("not_found", message, { field: "app_name" });
  }
  return { place, known };
}
