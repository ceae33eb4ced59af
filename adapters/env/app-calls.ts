/** Calls of apps' actions, for the calls of one tenant's task. */
import { NO_PROVIDER_MESSAGE } from "../../core/connections/catalogue-app.ts";
import type { Env } from "./bindings.ts";
import { connectionsFromEnv } from "./connections.ts";
import { openWebFromEnv } from "./egress.ts";
import { providerAccountsFromEnv } from "./provider-accounts.ts";
import { servingProviderFromEnv } from "./tenant-provider.ts";
import { openAppCalls } from "../apps/open-calls.ts";
import { asNotSent, notSent, ok, type Result } from "../../core/base/errors.ts";
import { toHex } from "../../core/base/hex.ts";
import { SETUP } from "../../core/secrets/secret-use.ts";
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
        web: openWebFromEnv(env, { tenant, user: SETUP }),
        md5: async (bytes) => toHex(new Uint8Array(await crypto.subtle.digest("MD5", bytes))),
        now: Date.now,
      }),
    );
  };
  async function call<Value>(make: (port: AppCallsPort) => Promise<Result<Value>>): Promise<Result<Value>> {
    const opened = await open();
    return opened.ok ? await make(opened.value) : opened;
  }
  return {
    execute: (request) => call((port) => port.execute(request)),
    probe: (lookup) => call((port) => port.probe(lookup)),
    upload: (file) => call((port) => port.upload(file)),
    download: (wanted) => call((port) => port.download(wanted)),
  };
}

const NO_PROVIDER = notSent("not_available", NO_PROVIDER_MESSAGE);
