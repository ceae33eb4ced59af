/** The health check of Otto and the services that it needs. Needs no key and reveals no secret. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { deploymentFromEnv } from "../../adapters/env/deployment.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { APPS_STATUSES, healthFromEnv, ISOLATION } from "../../adapters/env/health.ts";
import { keyRingProblemFromEnv } from "../../adapters/env/secrets.ts";
import { findSettingProblems } from "../../adapters/env/problems.ts";
import { openAnswers } from "../http/answers.ts";
import { CHANNEL_SECRETS } from "../channels/channels.ts";
import type { App } from "../http/context.ts";
import { notRebuiltSchema } from "../tenants/reindex-view.ts";
import { RETRY_AFTER_MS } from "../http/problem.ts";
import { FULL_BYTES } from "../http/storage-failure.ts";
import { VERSION } from "../../core/base/version.ts";

const DATABASE_REFUSED =
  "The database of DATABASE_URL is not safe to use: its role is not bound by row-level security, or its tables " +
  "differ from the migrations. Use a role without superuser rights, and run the migrations";

/** Lifetime of a result. A check costs a query and a request, and needs no key. */
const FRESH_MS = 1000;

const healthSchema = z
  .strictObject({
    status: z
      .enum(["ok", "degraded", "failed"])
      .describe(
        "`degraded`: the database or the sidecar is unavailable, or the disk is full; requests that need it fail or wait, others work. " +
          "`failed`: nothing under /v1 works, and `problems` says why",
      ),
    mode: z.string(),
    model: z.string().describe("The model of an agent that names none; `demo` is a scripted model for trying Otto"),
    embeddings: z
      .string()
      .describe("The model that finds memories; `hashing` compares words and parts of words, without a model"),
    apps: z
      .enum([...APPS_STATUSES, "unknown"])
      .describe("Where the catalogue of apps comes from; `demo`: made-up apps for trying Otto"),
    vectors: z.enum(["pgvector", "vectorize", "unknown"]),
    database: z.enum(["ok", "away", "refused"]),
    sidecar: z
      .enum(["ok", "asleep", "away", "off"])
      .describe(
        "`asleep`: the next call that needs it starts it; `off`: not configured, so no tool reaches the web, reads or " +
          "makes documents, or runs programs",
      ),
    isolation: z
      .enum(ISOLATION)
      .describe(
        "What isolates the programs that the sidecar runs; `none`: scripts, commands, tests and stdio MCP servers are " +
          "refused; `unknown`: the sidecar does not report it",
      ),
    disk: z
      .strictObject({
        status: z.enum(["ok", "low", "full"]).describe("`full`: requests that store something answer 503"),
        free_bytes: z.number(),
      })
      .nullable()
      .describe("The disk of a local system's state folder; null if unknown"),
    reindex: z
      .strictObject({
        running: z.int().describe("Tenants whose index is being rebuilt. Their lists are incomplete until then"),
        not_rebuilt: notRebuiltSchema,
      })
      .nullable()
      .describe("Present for 30 days after the loss of a database; null if the database is unavailable"),
    version: z.string(),
    deployment: z.string().nullable().describe("Cloudflare's id of the deployment that answers"),
    problems: z.array(z.string()).describe("One sentence for each wrong or missing setting"),
  })
  .meta({ id: "Health" });
type Health = z.infer<typeof healthSchema>;

const health = createRoute({
  method: "get",
  operationId: "system.getHealth",
  path: "/health",
  tags: ["System"],
  summary: "Show whether Otto works",
  responses: openAnswers({
    200: { description: "Otto works, perhaps without some features.", json: healthSchema },
    503: { description: "Otto is not set up correctly.", json: healthSchema },
  }),
});

const LOW_BYTES = 256 * 1024 * 1024;

let latest: { readonly env: Env; readonly at: number; readonly health: Health } | null = null;

export function healthRoutes(app: App): void {
  app.openapi(health, async (c) => {
    if (latest === null || latest.env !== c.env || Date.now() - latest.at > FRESH_MS)
      latest = { env: c.env, at: Date.now(), health: await checkHealth(c.env) };
    const fresh = { "cache-control": "no-store" };
    if (latest.health.status !== "failed") return c.json(latest.health, 200, fresh);
    return c.json(latest.health, 503, { ...fresh, "retry-after": String(RETRY_AFTER_MS / 1000) });
  });
}

async function checkHealth(env: Env): Promise<Health> {
  const problems = findSettingProblems(env, CHANNEL_SECRETS);
  const shared = { version: VERSION, deployment: deploymentFromEnv(env), problems: [...problems] };
  if (problems.length > 0) {
    const names = {
      mode: "unknown",
      model: "unknown",
      embeddings: "unknown",
      apps: "unknown",
      vectors: "unknown",
    } as const;
    const unknown = {
      ...names,
      database: "away",
      sidecar: "away",
      isolation: "unknown",
      disk: null,
      reindex: null,
    } as const;
    return { status: "failed", ...unknown, ...shared };
  }
  const { freeDiskBytes, ...found } = await healthFromEnv(env);
  const parts = { ...found, disk: toDiskView(freeDiskBytes) };
  if (parts.database === "refused") return { status: "failed", ...parts, ...shared, problems: [DATABASE_REFUSED] };
  const ofKeys = parts.database === "ok" ? await keyRingProblemFromEnv(env) : null;
  if (ofKeys !== null) return { status: "failed", ...parts, ...shared, problems: [ofKeys] };
  const isWhole = parts.database === "ok" && parts.sidecar !== "away" && parts.disk?.status !== "full";
  return { status: isWhole ? "ok" : "degraded", ...parts, ...shared };
}

function toDiskView(free: number | null): Health["disk"] {
  if (free === null) return null;
  return { status: free < FULL_BYTES ? "full" : free < LOW_BYTES ? "low" : "ok", free_bytes: free };
}
