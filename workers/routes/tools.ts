/** The catalogue of tools: what there is, what each takes, and the form in which a model is shown it. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { raise } from "../../core/errors.ts";
import { modelNames } from "../../core/gateway/model-names.ts";
import { inputSchema, outputSchema, toSpec } from "../../core/gateway/toolset.ts";
import type { Tool } from "../../core/tool.ts";
import type { PinnedSource } from "../../core/tool-source.ts";
import { catalogue } from "../../tools/catalogue.generated.ts";
import { answers, withKey } from "../answers.ts";
import { openAiToolSchema, pageOf, toolSchema } from "../api-schemas.ts";
import type { App, AppContext } from "../context.ts";
import { requireScope } from "../middleware/require-scope.ts";
import { pinnedTools } from "../pinned-tools.ts";
import { optionalQuery, tenantOf, unwrap } from "../task-access.ts";

const shared = { tags: ["Tools"], ...withKey };

/** The path of every route of one tool. */
export const toolParams = z.object({ name: z.string().describe("The tool's name, with dots or underscores") });

const list = createRoute({
  ...shared,
  method: "get",
  path: "/v1/tools",
  summary: "List the tools",
  description:
    "`toolbox` is exact; every word of `query` must stand in the name, the summary, the toolbox or the category.",
  request: {
    query: z.strictObject({ toolbox: optionalQuery(z.string().max(100)), query: optionalQuery(z.string().max(500)) }),
  },
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
  responses: answers({ 200: { description: "Ready to be sent as `tools`.", json: z.array(openAiToolSchema) } }),
});

const reload = createRoute({
  ...shared,
  method: "post",
  path: "/v1/tools/{name}/reload",
  summary: "Read a tool's definition again",
  description:
    "A built-in tool is part of the release, so there is nothing to read again: the answer is its present definition.",
  middleware: [requireScope("admin")],
  request: {
    params: toolParams,
    body: { required: false, content: { "application/json": { schema: z.strictObject({}) } } },
  },
  responses: answers({ 200: { description: "The tool.", json: toolSchema } }, [404, 415, 422]),
});

export function toolRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const { toolbox, query = "" } = c.req.valid("query");
    const words = query
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    const tools = await toolsOf(c, c.get("sources"));
    const found = tools.filter((tool) => (toolbox === undefined || tool.toolbox === toolbox) && hasWords(tool, words));
    const names = await modelNames(tools);
    return c.json({ data: found.map((tool) => shownTool(tool, names)), next_cursor: null });
  });

  app.openapi(functions, async (c) => {
    const tools = await toolsOf(c, c.get("sources"));
    const names = await modelNames(tools);
    return c.json(
      tools.map((tool) => ({ type: "function", function: toSpec(tool, names.get(tool.name) ?? tool.name, null) })),
    );
  });

  app.openapi(show, async (c) => {
    const tools = await toolsOf(c, c.get("sources"));
    return c.json(shownTool(await findTool(tools, c.req.valid("param").name), await modelNames(tools)));
  });

  app.openapi(reload, async (c) => {
    const tools = await toolsOf(c, c.get("sources"));
    return c.json(shownTool(await findTool(tools, c.req.valid("param").name), await modelNames(tools)));
  });
}

/** The built-in tools and those of the tenant's sources. */
export async function toolsOf(c: AppContext, sources: readonly PinnedSource[]): Promise<readonly Tool[]> {
  return [...catalogue, ...unwrap(await pinnedTools(c.env, { tenant: tenantOf(c), sources }, catalogue))];
}

/** The tool by its own name or the one that models see. */
export async function findTool(tools: readonly Tool[], name: string): Promise<Tool> {
  const own = tools.find((candidate) => candidate.name === name);
  if (own !== undefined) return own;
  const names = await modelNames(tools);
  const tool = tools.find((candidate) => names.get(candidate.name) === name);
  return tool ?? raise("not_found", `There is no tool named ${name.slice(0, 100)}.`);
}

function hasWords(tool: Tool, words: readonly string[]): boolean {
  const text = `${tool.name} ${tool.summary} ${tool.toolbox} ${tool.category}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function shownTool(tool: Tool, names: ReadonlyMap<string, string>) {
  return {
    name: tool.name,
    model_name: names.get(tool.name) ?? tool.name,
    summary: tool.summary,
    toolbox: tool.toolbox,
    category: tool.category,
    permissions: tool.permissions,
    security: typeof tool.security === "function" ? "by arguments" : tool.security,
    effect: typeof tool.effect === "function" ? "by arguments" : tool.effect,
    steers: tool.steers,
    aliases: tool.aliases,
    input_schema: inputSchema(tool),
    output_schema: outputSchema(tool),
    examples: tool.examples.map(({ note, given }) => ({ note, arguments: given })),
  };
}
