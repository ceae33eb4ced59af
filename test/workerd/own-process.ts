/**
 * Clears the state of the process before each test. Test files share a process, and its memory (active tenants and their
 * costs, admitted callers, failed reads of the database) must not reach the next test.
 */
import { env } from "cloudflare:workers";
import { beforeEach } from "vitest";
import { accessFromEnv, costFromEnv } from "../../adapters/env/tenants.ts";
import { secretCache } from "../../adapters/env/secrets.ts";
import { processShare } from "../../durable-objects/tenant/slots.ts";
import { refreshPause } from "../../workers/agents/read-agent.ts";
import { endpointsPause } from "../../workers/channels/webhooks/endpoint-cache.ts";

beforeEach(() => {
  processShare.clear();
  costFromEnv(env).clear();
  accessFromEnv(env).clear();
  secretCache.pause.end();
  endpointsPause.end();
  refreshPause.end();
});
