/** The web, and which of its addresses may be requested. */
import { judgeUrl, parseEgressAllow } from "../egress/address.ts";
import { openWeb } from "../egress/web.ts";
import { type Env, set } from "./bindings.ts";
import { secretsFromEnv } from "./secrets.ts";
import { settingsFromEnv } from "./settings.ts";
import { sidecarFromEnv } from "./sidecar.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { WebPort } from "../../core/ports/web.ts";
import type { SecretUser } from "../../core/secrets/secret-use.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/**
 * The web for one tenant's requests, with secrets filled in for `user`. Without a sidecar every request fails with
 * `not_available`.
 */
export function webFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">, user: SecretUser): WebPort {
  const [sidecar, allow] = [sidecarFromEnv(env), egressAllow(env)];
  return openWeb({ sidecar, allow, tenant, secrets: secretsFromEnv(env, tenant, user) });
}

export function egressAllow(env: Env): ReturnType<typeof parseEgressAllow> {
  settingsFromEnv(env);
  return parseEgressAllow(set(env.OTTO_EGRESS_ALLOW) ?? "");
}

/**
 * The URL of an endpoint as it is requested: of a public place and by https, unless the operator opened its place.
 * `blocked_by_policy` says why another is not. What its name resolves to is judged when it is requested.
 */
export function endpointUrlFromEnv(env: Env, url: string): Result<string> {
  const judged = judgeUrl(url, egressAllow(env));
  if (!judged.ok) return failed("blocked_by_policy", judged.message, { field: "url" });
  if (judged.url.protocol !== "https:" && !judged.opened)
    return failed("blocked_by_policy", "Webhooks are sent by https only.", { field: "url" });
  return ok(judged.url.href);
}
