/** The web, and the addresses that requests may reach. */
import { type EgressAllow, judgeUrl, parseEgressAllow } from "../egress/address.ts";
import { openWeb } from "../egress/web.ts";
import { VERSION } from "../../core/base/version.ts";
import { type Env, readText } from "./bindings.ts";
import { publicUrlFromEnv } from "./deployment.ts";
import { oncePerEnv } from "./once-per-env.ts";
import { secretsFromEnv } from "./secrets.ts";
import { settingsFromEnv } from "./settings.ts";
import { sidecarFromEnv } from "./sidecar.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { WebPort } from "../../core/ports/web.ts";
import type { SecretUser } from "../../core/secrets/secret-use.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/**
 * The web for one tenant's requests, with secrets filled in for `user`. Without a sidecar every request fails with
 * `not_available`. `joined`: how many requests are made at once as a rule; if several, those of one turn go to the sidecar
 * in one order.
 */
export function webFromEnv(
  env: Env,
  { tenant }: Pick<TaskFacts, "tenant">,
  user: SecretUser,
  { joined = 1 }: { readonly joined?: number } = {},
): WebPort {
  const [sidecar, allow] = [sidecarFromEnv(env), readEgressAllow(env)];
  return openWeb({
    sidecar,
    allow,
    tenant,
    secrets: secretsFromEnv(env, tenant, user),
    userAgent: userAgentFromEnv(env),
    ...(joined > 1 ? { joined, giveTurn: async () => await scheduler.wait(0) } : {}),
  });
}

/** How Otto names itself, with the address at which its operator is reached. */
export function userAgentFromEnv(env: Env): string {
  const url = publicUrlFromEnv(env);
  return url === null ? `Otto/${VERSION}` : `Otto/${VERSION} (+${url})`;
}

export const readEgressAllow = oncePerEnv((env: Env): EgressAllow => {
  settingsFromEnv(env);
  return parseEgressAllow(readText(env.OTTO_EGRESS_ALLOW) ?? "");
});

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
