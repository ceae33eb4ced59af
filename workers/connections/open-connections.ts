/** The accounts through which the calls of a tenant act. */
import type { Env } from "../../adapters/env/bindings.ts";
import { NO_CONNECTIONS } from "../../core/gateway/account.ts";
import type { ConnectionsPort } from "../../core/ports/connections.ts";

/** Opens the connections of a tenant. */
export type OpenConnections = (env: Env, tenant: string) => ConnectionsPort;

/** No tool of a tenant has an app yet, so there is nothing to connect. */
export const openConnections: OpenConnections = () => NO_CONNECTIONS;
