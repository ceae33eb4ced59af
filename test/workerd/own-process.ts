/**
 * Gives each test a process to itself: files share one, so what an earlier test left in its memory (which tenants are active
 * and what they cost, which reads of the database failed) must not reach the next one.
 */
import { env } from "cloudflare:workers";
import { beforeEach } from "vitest";
import { costFromEnv, secretShelf } from "../../adapters/from-env.ts";
import { processShare } from "../../durable-objects/process-share.ts";
import { endpointsPause } from "../../workers/channels/known-endpoints.ts";

beforeEach(() => {
  processShare.clear();
  costFromEnv(env).clear();
  secretShelf.pause.end();
  endpointsPause.end();
});
