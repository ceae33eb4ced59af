/**
 * Clears the state of the process before each test. Test files share a process, and its memory (active tenants and their
 * costs, admitted callers, failed reads of the database) must not reach the next test.
 */
import { env } from "cloudflare:workers";
import { beforeEach } from "vitest";
import { accessFromEnv, costFromEnv, shareFromEnv } from "../../adapters/env/tenants.ts";
import { secretCache } from "../../adapters/env/secrets.ts";
import { refreshPause } from "../../workers/agents/read-agent.ts";
import { endpointsPause } from "../../workers/channels/webhooks/endpoint-cache.ts";

beforeEach(() => {
  shareFromEnv(env).clear();
  costFromEnv(env).clear();
  accessFromEnv(env).clear();
  secretCache.pause.end();
  endpointsPause.end();
  refreshPause.end();
});
