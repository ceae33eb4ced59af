/** Whose console session a browser has, if any, when it opens a connect link. */
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { raise } from "../../core/base/errors.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { findSessionTenant } from "../../core/tenant/session.ts";
import type { AppContext } from "../http/context.ts";
import { RETRY_AFTER_MS } from "../http/problem.ts";
import { readSessionToken } from "../http/session-cookie.ts";
import type { ConnectLink } from "./connect-token.ts";

/**
 * `none`: no session. `self`: of the link's person, or of an administrator for a shared connection. `other`: of somebody
 * else of the tenant. `elsewhere`: of another tenant. `limited`: its key has sent too many requests.
 */
export type Viewer = "none" | "self" | "other" | "elsewhere" | "limited";

export async function findViewer(c: AppContext, { tenant, person }: ConnectLink): Promise<Viewer> {
  const token = readSessionToken(c);
  const there = token === null ? null : findSessionTenant(token);
  if (token === null || there === null) return "none";
  const request = { sessionHash: await sha256Hex(token), idempotency: null };
  const admission = await tenantsFromEnv(c.env)(there).admitSession(request);
  if (admission.kind === "limited") return "limited";
  if (admission.kind !== "admitted") return "none";
  if (there !== tenant) return "elsewhere";
  const { key } = admission;
  if (person === null) return key.scopes.includes("admin") ? "self" : "other";
  if (key.person === undefined)
    raise("upstream_failed", "Otto cannot read whose session this is now. Try again.", {
      retryAfterMs: RETRY_AFTER_MS,
    });
  return key.person?.id === person ? "self" : "other";
}
