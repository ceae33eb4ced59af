/** What this isolate read of connections. */
import { createConnectionCaches } from "../connections/account-cache.ts";

export const connectionCaches = createConnectionCaches();
