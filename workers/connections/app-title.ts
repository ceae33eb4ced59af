/** How people call an app, for messages. */
import { appsFromEnv } from "../../adapters/env/connections.ts";
import type { Env } from "../../adapters/env/bindings.ts";

/** Its name if it cannot be read. */
export async function findAppTitle(env: Env, tenant: string, app: string): Promise<string> {
  const found = await appsFromEnv(env, tenant).find(app);
  return found.ok ? found.value.title : app;
}
