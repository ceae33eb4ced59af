/** The tools that tenants brought. */
import type { Env } from "./bindings.ts";
import { systemClock } from "./clock.ts";
import { databaseFromEnv } from "./database.ts";
import { blobsFromEnv } from "./files.ts";
import { tenantsFromEnv } from "./tenants.ts";
import { openToolSources } from "../files/tool-sources.ts";
import type { ToolSourcesPort } from "../../core/tool/source.ts";

/** The sources of the tenants' own tools. */
export function toolSourcesFromEnv(env: Env): ToolSourcesPort {
  return openToolSources({
    table: databaseFromEnv(env).toolSources,
    blobs: blobsFromEnv(env),
    tenantOf: tenantsFromEnv(env),
    clock: systemClock,
  });
}
