/** The catalogue of tools: what exists, what each accepts, and the form that a model reads. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { toolSourcesFromEnv } from "../../adapters/env/tool-sources.ts";
import { findTools } from "../../core/steps/find-tools.ts";
import { toFunction, type NamedTool } from "../../core/steps/tool-bus.ts";
import { formatToolPage } from "../../core/steps/tool-page.ts";
import { TOOLS_MS } from "../../core/tenant/cost-rates.ts";
import { TOOL_CATEGORIES } from "../../core/tool/tool.ts";
import { catalogue } from "../../tools/catalogue.generated.ts";
import { answers, withKey, emptyBody } from "../http/answers.ts";
import { openAiToolSchema, pageOf, toolSchema } from "../http/schemas.ts";
import { chargeCost } from "../http/charge-cost.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { optionalQuery } from "../http/list-query.ts";
import { getTenant } from "../http/principal.ts";
import { readSources } from "../http/tenant-facts.ts";
import { unwrap } from "../http/unwrap.ts";
import { openToolLists } from "./lists.ts";
import { openBus, toToolView } from "./bus.ts";

const shared = { tags: ["Tools"], ...withKey };

/** The path of every route of one tool. */
export const toolParams = z.object({ name: z.string().describe("The tool's name, with dots or underscores") });

const filterSchema = z.strictObject({
  toolbox: optionalQuery(z.string().max(100)),
  category: optionalQuery(z.enum(TOOL_CATEGORIES)),
  query: optionalQuery(z.string().max(500)),
});

/** Maximum results of a query. */
const MAX_FOUND = 50;

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "tools.list",
  path: "/v1/tools",
  summary: "List the tools: the built-in ones, then the tenant's own",
  description:
    "`toolbox` and `category` are exact. `query` describes the purpose in plain words: the reply then has the 50 best matches, best first, from the search of `find_tools`.",
  request: { query: filterSchema },
  responses: answers(
    { 200: { description: "The tools in order, or the best matches first.", json: pageOf(toolSchema) } },
    [422],
  ),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "tools.get",
  path: "/v1/tools/{name}",
  summary: "Show a tool: its schemas, permissions and examples",
  request: { params: toolParams },
  responses: answers({ 200: { description: "The tool.", json: toolSchema } }, [404]),
});

const functions = createRoute({
  ...shared,
  method: "get",
  operationId: "tools.exportOpenAi",
  path: "/v1/tools.json",
  summary: "Export the tools in OpenAI's function form",
  description: "All tools, or those of the query, as in the list.",
  request: { query: filterSchema },
  responses: answers(
    { 200: { description: "The tools, ready to send as `tools`.", json: z.array(openAiToolSchema) } },
    [422],
  ),
});

const page = createRoute({
  ...shared,
  method: "get",
  operationId: "tools.exportMarkdown",
  path: "/v1/tools.md",
  summary: "Export the tools as Markdown",
  description: "All tools, or those of the query, as in the list.",
  request: { query: filterSchema },
  responses: answers({ 200: { description: "A page for people.", other: ["text/markdown"] } }, [422]),
});

const reload = createRoute({
  ...shared,
  method: "post",
  operationId: "tools.reload",
  path: "/v1/tools/{name}/reload",
  summary: "Reload a tool's definition",
  description:
    "Rebuilds a custom tool from its current definition, an imported tool from the document at its address, and a tool of an MCP server from the server's current list, as far as you agreed to it. A built-in tool is part of the release, so it never changes. Running tasks keep their tools.",
  middleware: [requireScope("admin")],
  request: {
    params: toolParams,
    body: emptyBody,
  },
  responses: answers({ 200: { description: "The tool.", json: toolSchema } }, [404, 409, 415, 422, 503]),
});

export function toolRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const found = await filterTools(c, c.req.valid("query"));
    return c.json({ data: found.map(toToolView), next_cursor: null }, 200);
  });

  app.openapi(functions, async (c) => c.json((await filterTools(c, c.req.valid("query"))).map(toFunction), 200));

  app.openapi(page, async (c) => {
    const found = await filterTools(c, c.req.valid("query"));
    return c.body(formatToolPage(found), 200, { "content-type": "text/markdown; charset=utf-8" });
  });

  app.openapi(show, async (c) => c.json(toToolView(unwrap((await openBus(c)).get(c.req.valid("param").name))), 200));

  app.openapi(reload, async (c) => {
    const { name } = c.req.valid("param");
    unwrap(await (await openBus(c)).reload(name));
    const sources = unwrap(await toolSourcesFromEnv(c.env).present(getTenant(c)));
    return c.json(toToolView(unwrap((await openBus(c, { sources })).get(name))), 200);
  });
}

/** Returns the tools that match a filter; with a query, the best matches first. */
async function filterTools(
  c: AppContext,
  { query = "", ...filter }: z.infer<typeof filterSchema>,
): Promise<readonly NamedTool[]> {
  chargeCost(c.env, getTenant(c), TOOLS_MS);
  const found = (await openBus(c)).list(filter);
  if (query.trim() === "") return found;
  const byName = new Map(found.map((named) => [named.tool.name, named]));
  const reach = { resolve: (name: string) => byName.get(name)?.tool ?? null, names: [...byName.keys()] };
  const lists = unwrap(await openToolLists(c.env, { tenant: getTenant(c), sources: await readSources(c) }, catalogue));
  const names = await findTools(lists, reach, query, MAX_FOUND);
  return names.flatMap((name) => byName.get(name) ?? []);
}
