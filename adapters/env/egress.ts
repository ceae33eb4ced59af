/** The egress module, and what the operator allows it. */
import { type EgressAllow, parseEgressAllow } from "../egress/address.ts";
import type { AccountCredentials } from "../egress/fill-connection.ts";
import { openWeb } from "../egress/web.ts";
import { VERSION } from "../../core/base/version.ts";
import { type Env, readText } from "./bindings.ts";
import { publicUrlFromEnv } from "./deployment.ts";
import { oncePerEnv } from "./once-per-env.ts";
import { secretsFromEnv } from "./secrets.ts";
import { settingsFromEnv } from "./settings.ts";
import { sidecarFromEnv } from "./sidecar.ts";
import type { WebPort } from "../../core/ports/web.ts";
import type { SecretUser } from "../../core/secrets/secret-use.ts";

interface WebOptions {
  readonly tenant: string;
  /** Whose secrets are filled in. */
  readonly user: SecretUser;
  readonly joined?: number;
  readonly accounts?: AccountCredentials;
}

/** Opens the web. Without `accounts` no request has an account. */
export function openWebFromEnv(env: Env, { tenant, user, joined = 1, accounts }: WebOptions): WebPort {
  const [sidecar, allow] = [sidecarFromEnv(env), readEgressAllow(env)];
  return openWeb({
    sidecar,
    allow,
    tenant,
    secrets: secretsFromEnv(env, tenant, user),
    userAgent: userAgentFromEnv(env),
    ...(accounts === undefined ? {} : { accounts }),
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
