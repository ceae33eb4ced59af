/** The catalogue of tools: what there is, what each takes, and the form in which a model is shown it. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { toolSourcesFromEnv } from "../../adapters/from-env.ts";
import { toolPage } from "../../core/gateway/tool-page.ts";
import { TOOL_CATEGORIES } from "../../core/tool.ts";
import { answers, withKey } from "../answers.ts";
import { openAiToolSchema, pageOf, toolSchema } from "../api-schemas.ts";
import type { App } from "../context.ts";
import { requireScope } from "../middleware/require-scope.ts";
import { optionalQuery, tenantOf, unwrap } from "../task-access.ts";
import { busOf, shownTool } from "./tools-bus.ts";

const shared = { tags: ["Tools"], ...withKey };

/** The path of every route of one tool. */
export const toolParams = z.object({ name: z.string().describe("The tool's name, with dots or underscores") });

const filter = {
  toolbox: optionalQuery(z.string().max(100)),
  category: optionalQuery(z.enum(TOOL_CATEGORIES)),
  query: optionalQuery(z.string().max(500)),
};

const list = createRoute({
  ...shared,
  method: "get",
  path: "/v1/tools",
  summary: "List the tools: the built-in ones, then the tenant's own",
  description:
    "`toolbox` and `category` are exact; every word of `query` must stand in the name, the summary, the toolbox or the category.",
  request: { query: z.strictObject(filter) },
  responses: answers({ 200: { description: "The tools by name.", json: pageOf(toolSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  path: "/v1/tools/{name}",
  summary: "Show a tool: its schemas, permissions and examples",
  request: { params: toolParams },
  responses: answers({ 200: { description: "The tool.", json: toolSchema } }, [404]),
});

const functions = createRoute({
  ...shared,
  method: "get",
  path: "/v1/tools.json",
  summary: "Export the tools in OpenAI's function form",
  description: "All of them, or those that the query names, as in the list.",
  request: { query: z.strictObject(filter) },
  responses: answers({ 200: { description: "Ready to be sent as `tools`.", json: z.array(openAiToolSchema) } }, [422]),
});

const page = createRoute({
  ...shared,
  method: "get",
  path: "/v1/tools.md",
  summary: "Export the tools as Markdown",
  description: "All of them, or those that the query names, as in the list.",
  request: { query: z.strictObject(filter) },
  responses: answers({ 200: { description: "A page for people.", other: ["text/markdown"] } }, [422]),
});

const reload = createRoute({
  ...shared,
  method: "post",
  path: "/v1/tools/{name}/reload",
  summary: "Read a tool's definition again",
  description:
    "A tool of the tenant's own is made anew of its present definition, one of an import of the document at its address. A built-in tool is part of the release, so there is nothing to read again. Tasks that run keep the tools that they began with.",
  middleware: [requireScope("admin")],
  request: {
    params: toolParams,
    body: { required: false, content: { "application/json": { schema: z.strictObject({}) } } },
  },
  responses: answers({ 200: { description: "The tool.", json: toolSchema } }, [404, 409, 415, 422, 503]),
});

export function toolRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const found = (await busOf(c)).list(c.req.valid("query"));
    return c.json({ data: found.map(shownTool), next_cursor: null });
  });

  app.openapi(functions, async (c) => c.json([...(await busOf(c)).functions(c.req.valid("query"))]));

  app.openapi(page, async (c) => {
    const found = (await busOf(c)).list(c.req.valid("query"));
    return c.body(toolPage(found), 200, { "content-type": "text/markdown; charset=utf-8" });
  });

  app.openapi(show, async (c) => c.json(shownTool(unwrap((await busOf(c)).get(c.req.valid("param").name)))));

  app.openapi(reload, async (c) => {
    const { name } = c.req.valid("param");
    unwrap(await (await busOf(c)).reload(name));
    const sources = unwrap(await toolSourcesFromEnv(c.env).present(tenantOf(c)));
    return c.json(shownTool(unwrap((await busOf(c, { sources })).get(name))));
  });
}
