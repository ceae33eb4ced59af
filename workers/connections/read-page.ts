/** Reads pages of a tenant's connections, from this isolate's memory while nothing changed. */
import { connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { toCanonicalJson } from "../../core/base/canonical-json.ts";
import type { Result } from "../../core/base/errors.ts";
import type { Connection } from "../../core/connections/connection.ts";
import type { ConnectionQuery } from "../../core/ports/connection-table.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import { readTenantFacts } from "../http/tenant-facts.ts";
import { ConnectionPages } from "./list-cache.ts";

/** Of this isolate. */
const pages = new ConnectionPages();

export async function readConnectionPage(
  c: AppContext,
  query: ConnectionQuery,
): Promise<Result<readonly Connection[]>> {
  const tenant = getTenant(c);
  const { appsStamp: stamp } = await readTenantFacts(c);
  const key = `${tenant} ${toCanonicalJson(query)}`;
  return await pages.get({ key, stamp, now: Date.now() }, async () => {
    return await connectionTableFromEnv(c.env, tenant).list(query);
  });
}
