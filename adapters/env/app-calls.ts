/** Calls of apps' actions, for the calls of one tenant's task. */
import { NO_PROVIDER_MESSAGE } from "../../core/connections/catalogue-app.ts";
import { appProviderFromEnv } from "./apps.ts";
import type { Env } from "./bindings.ts";
import { connectionsFromEnv } from "./connections.ts";
import { openWebFromEnv } from "./egress.ts";
import { providerAccountsFromEnv } from "./provider-accounts.ts";
import { openAppCalls } from "../apps/open-calls.ts";
import { notSent } from "../../core/base/errors.ts";
import { toHex } from "../../core/base/hex.ts";
import { SETUP } from "../../core/secrets/secret-use.ts";
import type { AppCallLine, AppCallsPort } from "../../core/ports/app-calls.ts";

/** Opens nothing before it is used. Without a provider each call fails with `not_available`. */
export function appCallsFromEnv(env: Env, tenant: string, log: (line: AppCallLine) => void): AppCallsPort {
  const open = (): AppCallsPort | null => {
    const provider = appProviderFromEnv(env);
    if (provider === null) return null;
    const accounts = providerAccountsFromEnv(env, tenant);
    return openAppCalls({
      apps: provider.apps,
      accounts,
      connections: connectionsFromEnv(env, tenant),
      log,
      web: openWebFromEnv(env, { tenant, user: SETUP }),
      md5: async (bytes) => toHex(new Uint8Array(await crypto.subtle.digest("MD5", bytes))),
      now: Date.now,
    });
  };
  return {
    execute: async (request) => (await open()?.execute(request)) ?? NO_PROVIDER,
    probe: async (request) => (await open()?.probe(request)) ?? NO_PROVIDER,
    upload: async (file) => (await open()?.upload(file)) ?? NO_PROVIDER,
    download: async (wanted) => (await open()?.download(wanted)) ?? NO_PROVIDER,
  };
}

const NO_PROVIDER = notSent("not_available", NO_PROVIDER_MESSAGE);
