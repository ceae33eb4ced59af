/** The web for the requests of tools, and the addresses that endpoints may have. */
import { judgeUrl } from "../egress/address.ts";
import type { Env } from "./bindings.ts";
import { connectionsFromEnv } from "./connections.ts";
import { openWebFromEnv, readEgressAllow } from "./egress.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { WebPort } from "../../core/ports/web.ts";
import type { SecretUser } from "../../core/secrets/secret-use.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/**
 * The web for one tenant's requests, with secrets filled in for `user`, and credentials for the accounts of requests.
 * Without a sidecar every request fails with `not_available`. `joined`: how many requests are made at once as a rule; if
 * several, those of one turn go to the sidecar in one order.
 */
export function webFromEnv(
  env: Env,
  { tenant }: Pick<TaskFacts, "tenant">,
  user: SecretUser,
  { joined = 1 }: { readonly joined?: number } = {},
): WebPort {
  return openWebFromEnv(env, { tenant, user, joined, accounts: connectionsFromEnv(env, tenant) });
}

/**
 * Checks the URL of an endpoint: it has to be public and https, unless the operator allowed the destination. Fails with
 * `blocked_by_policy`. The resolved addresses are checked at the request.
 */
export function endpointUrlFromEnv(env: Env, url: string): Result<string> {
  const judged = judgeUrl(url, readEgressAllow(env));
  if (!judged.ok) return failed("blocked_by_policy", judged.message, { field: "url" });
  if (judged.url.protocol !== "https:" && !judged.opened)
    return failed("blocked_by_policy", "Webhooks are sent by https only.", { field: "url" });
  return ok(judged.url.href);
}

/**
 * Checks the address of a document: it has to be public, unless the operator allowed the destination. Fails with
 * `blocked_by_policy`. The resolved addresses are checked at the request.
 */
export function documentUrlFromEnv(env: Env, url: string): Result<string> {
  const judged = judgeUrl(url, readEgressAllow(env));
  return judged.ok ? ok(judged.url.href) : failed("blocked_by_policy", judged.message, { field: "url" });
}
