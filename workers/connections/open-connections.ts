/** The accounts through which the calls of a tenant act. */
import type { Env } from "../../adapters/env/bindings.ts";
import { connectionsFromEnv } from "../../adapters/env/connections.ts";
import type { ConnectionsPort } from "../../core/ports/connections.ts";

/** Opens the connections of a tenant. */
export type OpenConnections = (env: Env, tenant: string) => ConnectionsPort;

export const openConnections: OpenConnections = connectionsFromEnv;
