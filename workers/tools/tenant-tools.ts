/** The tools of a tenant: the built-in ones, and those of its sources. */
import type { Env } from "../../adapters/env/bindings.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { PinnedSource } from "../../core/tool/source.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { catalogue } from "../../tools/catalogue.generated.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { openPinnedTools } from "./pinned.ts";

/** Returns the built-in tools and those of the tenant's sources. */
export async function listTools(c: AppContext, sources: readonly PinnedSource[]): Promise<readonly Tool[]> {
  return unwrap(await listTenantTools(c.env, { tenant: getTenant(c), sources }));
}

/** The same for a tenant without a request. Fails while the bucket is unavailable. */
export async function listTenantTools(
  env: Env,
  of: { readonly tenant: string; readonly sources: readonly PinnedSource[] },
): Promise<Result<readonly Tool[]>> {
  if (of.sources.length === 0) return ok(catalogue);
  const own = await openPinnedTools(env, of, catalogue);
  return own.ok ? ok([...catalogue, ...own.value]) : own;
}
