/** Whether Otto and what it needs are there. Needs no key and tells no secret. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { deploymentFromEnv, type Env, healthFromEnv, settingProblems } from "../../adapters/from-env.ts";
import { openAnswers } from "../answers.ts";
import type { App } from "../context.ts";
import { VERSION } from "../version.ts";

/** How long an answer is good for. A check costs a query and a request, and anybody may ask. */
const FRESH_MS = 1000;

const healthSchema = z
  .strictObject({
    status: z
      .enum(["ok", "degraded", "failed"])
      .describe("`degraded`: a part is away, tasks go on without it; `failed`: the settings are wrong"),
    mode: z.string(),
    model: z.string().describe("The model of an agent that names none; `demo` is no language model"),
    database: z.enum(["ok", "away", "refused"]),
    sidecar: z.enum(["ok", "asleep", "away", "off"]).describe("`asleep`: the next request to the web starts it"),
    version: z.string(),
    deployment: z.string().nullable().describe("The upload that answers, by Cloudflare's id of it"),
    problems: z.array(z.string()).describe("The settings that are wrong or missing, by name"),
  })
  .meta({ id: "Health" });
type Health = z.infer<typeof healthSchema>;

const health = createRoute({
  method: "get",
  path: "/health",
  tags: ["System"],
  summary: "Show whether Otto works",
  responses: openAnswers({
    200: { description: "Otto works, maybe without a part.", json: healthSchema },
    503: { description: "Otto is not set up right.", json: healthSchema },
  }),
});

let latest: { readonly env: Env; readonly at: number; readonly health: Health } | null = null;

export function healthRoutes(app: App): void {
  app.openapi(health, async (c) => {
    if (latest === null || latest.env !== c.env || Date.now() - latest.at > FRESH_MS)
      latest = { env: c.env, at: Date.now(), health: await look(c.env) };
    return c.json(latest.health, latest.health.status === "failed" ? 503 : 200, { "cache-control": "no-store" });
  });
}

async function look(env: Env): Promise<Health> {
  const problems = settingProblems(env);
  const shared = { version: VERSION, deployment: deploymentFromEnv(env), problems: [...problems] };
  if (problems.length > 0) {
    const unknown = { mode: "unknown", model: "unknown", database: "away", sidecar: "away" } as const;
    return { status: "failed", ...unknown, ...shared };
  }
  const parts = await healthFromEnv(env);
  return { status: statusOf(parts.database, parts.sidecar), ...parts, ...shared };
}

function statusOf(database: Health["database"], sidecar: Health["sidecar"]): Health["status"] {
  if (database === "refused") return "failed";
  return database === "ok" && (sidecar === "ok" || sidecar === "asleep") ? "ok" : "degraded";
}
