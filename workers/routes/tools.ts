/** The catalogue of tools: what there is, what each takes, and the form in which a model is shown it. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { raise } from "../../core/errors.ts";
import { modelNames } from "../../core/gateway/model-names.ts";
import { toSpec } from "../../core/gateway/toolset.ts";
import type { Tool } from "../../core/tool.ts";
import { catalogue } from "../../tools/catalogue.generated.ts";
import { answers, withKey } from "../answers.ts";
import { openAiToolSchema, pageOf, toolSchema } from "../api-schemas.ts";
import type { App } from "../context.ts";
import { requireScope } from "../middleware/require-scope.ts";
import { optionalQuery } from "../task-access.ts";

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
    const found = catalogue.filter(
      (tool) => (toolbox === undefined || tool.toolbox === toolbox) && hasWords(tool, words),
    );
    const names = await modelNames(catalogue);
    return c.json({ data: found.map((tool) => shownTool(tool, names)), next_cursor: null });
  });

  app.openapi(functions, async (c) => {
    const names = await modelNames(catalogue);
    return c.json(
      catalogue.map((tool) => ({ type: "function", function: toSpec(tool, names.get(tool.name) ?? tool.name, null) })),
    );
  });

  app.openapi(show, async (c) => {
    const { name } = c.req.valid("param");
    return c.json(shownTool(await findTool(name), await modelNames(catalogue)));
  });

  app.openapi(reload, async (c) => {
    const { name } = c.req.valid("param");
    return c.json(shownTool(await findTool(name), await modelNames(catalogue)));
  });
}

/** The tool by its own name or the one that models see. */
export async function findTool(name: string): Promise<Tool> {
  const names = await modelNames(catalogue);
  const tool =
    catalogue.find((candidate) => candidate.name === name) ??
    catalogue.find((candidate) => names.get(candidate.name) === name);
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
    input_schema: z.toJSONSchema(tool.input, { io: "input" }),
    output_schema: z.toJSONSchema(tool.output, { io: "output" }),
    examples: tool.examples.map(({ note, given }) => ({ note, arguments: given })),
  };
}
