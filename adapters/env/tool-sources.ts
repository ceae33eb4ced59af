/** The sources of tenants' own tools. */
import type { Env } from "./bindings.ts";
import { systemClock } from "./clock.ts";
import { databaseFromEnv } from "./database.ts";
import { blobsFromEnv } from "./files.ts";
import { tenantsFromEnv } from "./tenants.ts";
import { openToolSources } from "../files/tool-sources.ts";
import type { ToolSourcesPort } from "../../core/tool/source.ts";

export function toolSourcesFromEnv(env: Env): ToolSourcesPort {
  return openToolSources({
    table: databaseFromEnv(env).toolSources,
    blobs: blobsFromEnv(env),
    tenantOf: tenantsFromEnv(env),
    clock: systemClock,
  });
}
