/** Calls of apps' actions, for the calls of one tenant's task. */
import { NO_PROVIDER_MESSAGE } from "../../core/connections/catalogue-app.ts";
import type { Env } from "./bindings.ts";
import { connectionsFromEnv } from "./connections.ts";
import { openWebFromEnv } from "./egress.ts";
import { providerAccountsFromEnv } from "./provider-accounts.ts";
import { servingProviderFromEnv } from "./tenant-provider.ts";
import { openAppCalls } from "../apps/open-calls.ts";
import { asNotSent, notSent, ok, type Result } from "../../core/base/errors.ts";
import type { AppCallLine, AppCallsPort } from "../../core/ports/app-calls.ts";

/** Opens nothing before it is used. Without a provider each call fails with `not_available`. */
export function appCallsFromEnv(env: Env, tenant: string, log: (line: AppCallLine) => void): AppCallsPort {
  const open = async (): Promise<Result<AppCallsPort>> => {
    const serving = await servingProviderFromEnv(env, tenant);
    if (!serving.ok) return asNotSent(serving.error);
    if (serving.value === null) return NO_PROVIDER;
    const { key, parts } = serving.value;
    return ok(
      openAppCalls({
        apps: parts.apps,
        accounts: providerAccountsFromEnv(env, tenant, key),
        connections: connectionsFromEnv(env, tenant),
        log,
        now: Date.now,
      }),
    );
  };
  return {
    async execute(request) {
      const opened = await open();
      return opened.ok ? await opened.value.execute(request) : opened;
    },
    async probe(request) {
      const opened = await open();
      return opened.ok ? await opened.value.probe(request) : opened;
    },
  };
}

const NO_PROVIDER = notSent("not_available", NO_PROVIDER_MESSAGE);
