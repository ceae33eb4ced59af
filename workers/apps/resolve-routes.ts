/** What an agent's task would be given of its apps for a request: for an administrator who looks why an action is missing. */
import { createRoute, z } from "@hono/zod-openapi";
import { chooseForTexts, pinApps } from "./choose-apps.ts";
import { readIntent } from "../../core/apps/intent/intent.ts";
import { listTiers } from "../../core/apps/choice/rank.ts";
import { readKeywords, scoreForIntent } from "../../core/apps/intent/score.ts";
import { TOOLS_MS } from "../../core/tenant/cost-rates.ts";
import { API_SOURCE } from "../../core/task/source.ts";
import { resolveAgent } from "../agents/resolve.ts";
import { answers, withKey } from "../http/answers.ts";
import { chargeCost } from "../http/charge-cost.ts";
import type { App, AppContext } from "../http/context.ts";
import { optionalQuery } from "../http/list-query.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getPerson, getTenant } from "../http/principal.ts";
import { readSources } from "../http/tenant-facts.ts";
import { unwrap } from "../http/unwrap.ts";

const MAX_QUERY = 2_000;
const TIERS = ["exact_lookup", "sdk_search", "cache_ranked"] as const;
/** The found actions of a tier that are named. */
const MAX_OF_TIER = 10;

const resolutionSchema = z
  .strictObject({
    query: z.string(),
    agent: z.string().describe("The agent's id."),
    strategy: z
      .enum([...TIERS, "none"])
      .describe("The tier that was used: names in the request, the search, words of names and descriptions; or none."),
    search_ms: z.number(),
    intent: z.strictObject({
      capabilities: z.array(z.string()),
      actions: z.array(z.string()),
      is_generic: z.boolean().describe("True if no word names a capability: then reading alone counts as asked for."),
    }),
    tiers: z
      .array(z.strictObject({ tier: z.enum(TIERS), found: z.int(), first: z.array(z.string()) }))
      .describe(
        "What each tier finds among the actions that the agent may call, whether it was used or not, with the names of its first ten.",
      ),
    actions: z.array(
      z.strictObject({
        name: z.string(),
        app_name: z.string(),
        tool: z.string(),
        score: z.number().describe("How well it fits the intent, from 0 to 1."),
        is_shown: z.boolean().describe("True if the task's requests show it as a tool."),
      }),
    ),
    apps: z.array(z.strictObject({ app_name: z.string(), state: z.enum(["usable", "unconnected", "unusable"]) })),
    suggested_apps: z.array(z.string()).describe("Apps that could serve the request and are not connected."),
    hints: z.string().describe("The part of the system message about apps."),
  })
  .meta({ id: "AppResolution" });

type AppResolution = z.infer<typeof resolutionSchema>;

const resolve = createRoute({
  tags: ["Apps"],
  ...withKey,
  middleware: [requireScope("admin")],
  method: "get",
  operationId: "marketplace.debugResolve",
  path: "/api/tools/debug/resolve",
  summary: "Show which actions a task would be given",
  description:
    "Runs the choice that is made once when a task is created, for a task of the key's person by the API. Nothing is stored and no provider is asked.",
  request: {
    query: z.strictObject({
      q: z.string().min(1).max(MAX_QUERY).describe("The request, as a person would write it."),
      agent: optionalQuery(z.string().max(200)).describe("The agent's id or name; the built-in agent when omitted."),
    }),
  },
  responses: answers({ 200: { description: "The choice.", json: resolutionSchema } }, [404, 422]),
});

export function appResolutionRoutes(app: App): void {
  app.openapi(resolve, async (c) => {
    const { q, agent } = c.req.valid("query");
    return c.json(await explain(c, q, agent), 200);
  });
}

async function explain(c: AppContext, query: string, name: string | undefined): Promise<AppResolution> {
  const tenant = getTenant(c);
  chargeCost(c.env, tenant, TOOLS_MS);
  const agent = await resolveAgent(c, name);
  const person = getPerson(c)?.id ?? null;
  const { apps: pins } = unwrap(await pinApps(c.env, { tenant, agent, person, via: API_SOURCE }, await readSources(c)));
  const texts = [query];
  const intent = readIntent(texts);
  const about = {
    query,
    agent: agent.id,
    intent: {
      capabilities: [...intent.capabilities],
      actions: [...intent.actions],
      is_generic: intent.isGeneric,
    },
  };
  if (pins === null) return { ...about, ...NOTHING };
  const request = { texts, writtenAt: { now: Date.now() }, isRecipe: false };
  const { apps, resolution, ranked } = unwrap(await chooseForTexts(c.env, { agent, tools: [] }, pins, request));
  const keywords = readKeywords(texts);
  return {
    ...about,
    strategy: resolution.strategy,
    search_ms: resolution.searchMs,
    tiers: listTiers(ranked, pins.actions.index).map(({ tier, actions }) => ({
      tier,
      found: actions.length,
      first: actions.slice(0, MAX_OF_TIER).map(({ action }) => action),
    })),
    actions: resolution.actions.map((action) => {
      const tool = pins.actions.byAction.get(action.action)?.tool.name ?? action.action;
      const score = Math.round(scoreForIntent(action, intent, keywords) * 100) / 100;
      return { name: action.action, app_name: action.app, tool, score, is_shown: apps.shown.includes(tool) };
    }),
    apps: [...pins.uses].map(([app_name, state]) => ({ app_name, state })),
    suggested_apps: [...resolution.suggestedApps],
    hints: apps.hints,
  };
}

const NOTHING: Omit<AppResolution, "query" | "agent" | "intent"> = {
  strategy: "none",
  search_ms: 0,
  tiers: [],
  actions: [],
  apps: [],
  suggested_apps: [],
  hints: "",
};
