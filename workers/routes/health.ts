/** Whether Otto and what it needs are there. Needs no key and tells no secret. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { type Env, healthFromEnv } from "../../adapters/from-env.ts";
import { openAnswers } from "../answers.ts";
import type { App } from "../context.ts";
import { redact } from "../log.ts";
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
    sidecar: z.enum(["ok", "away", "off"]),
    version: z.string(),
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

let latest: { readonly at: number; readonly health: Health } | null = null;

export function healthRoutes(app: App): void {
  app.openapi(health, async (c) => {
    if (latest === null || Date.now() - latest.at > FRESH_MS) latest = { at: Date.now(), health: await look(c.env) };
    return c.json(latest.health, latest.health.status === "failed" ? 503 : 200, { "cache-control": "no-store" });
  });
}

async function look(env: Env): Promise<Health> {
  try {
    const { mode, model, database, sidecar } = await healthFromEnv(env);
    const status = database === "refused" ? "failed" : database === "ok" && sidecar === "ok" ? "ok" : "degraded";
    return { status, mode, model, database, sidecar, version: VERSION };
  } catch (thrown) {
    // A setting that cannot be right names itself; only operators read the log.
    console.error("health: the settings are wrong", redact(String(thrown)));
    return { status: "failed", mode: "unknown", model: "unknown", database: "away", sidecar: "away", version: VERSION };
  }
}
