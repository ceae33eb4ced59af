import { z } from "zod";
import { defineTool, failWith } from "../define-tool.ts";
import { formatSignature } from "./signature.ts";

const MAX_LIMIT = 25;
/** The most characters of one tool in an answer, and of its summary. */
const MAX_TOOL_CHARACTERS = 300;
const MAX_SUMMARY = 120;

export default defineTool({
  name: "find_tools",
  summary:
    "Find more tools by what you want to do, in plain words; names and parameters come back. Call them by name or through call_tool. Among them:",
  toolbox: "tools",
  category: "control",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: ["toolSearch"],
  wholeResult: true,
  input: z.object({
    query: z.string().trim().min(1).max(2_000),
    limit: z.int().min(1).max(MAX_LIMIT).default(10).describe("Default 10"),
  }),
  output: z.object({
    tools: z.array(
      z.object({
        name: z.string().describe("What call_tool takes"),
        summary: z.string(),
        signature: z.string().describe("Parameters in brackets; ? marks an optional one, … more of them"),
        parameters: z
          .record(z.string(), z.unknown())
          .optional()
          .describe("JSON Schema; only of a tool that the query names"),
      }),
    ),
    unconnected_apps: z
      .array(z.string())
      .optional()
      .describe("Apps that could do it and are not connected; absent without any"),
  }),
  async run({ query, limit }, { toolSearch }) {
    const found = await toolSearch.find(query, limit);
    if (!found.ok) return failWith(found.error);
    const { tools, unconnected } = found.value;
    return {
      tools: tools.map(({ name, description, parameters }) => {
        const summary = shorten(description);
        const room = MAX_TOOL_CHARACTERS - summary.length;
        const isNamed = toKey(name) === toKey(query);
        return {
          name,
          summary,
          signature: formatSignature(name, parameters, room),
          ...(isNamed ? { parameters } : {}),
        };
      }),
      ...(unconnected.length === 0 ? {} : { unconnected_apps: [...unconnected] }),
    };
  },
  show({ tools, unconnected_apps: apps = [] }) {
    const other =
      apps.length === 0
        ? []
        : [`Could do this, not connected: ${apps.join(", ")}. Ask for it with request_connection.`];
    if (tools.length === 0 && apps.length === 0) return "Nothing matches. Say it in other words, or do without.";
    const found = tools.map(({ signature, summary, parameters }) =>
      [`${signature} ${summary}`, ...(parameters === undefined ? [] : [JSON.stringify(parameters)])].join("\n"),
    );
    return [...found, ...other].join("\n");
  },
  examples: [
    { note: "one thing", given: { query: "the current date and time" } },
    { note: "several at once, fewer tools", given: { query: "read a file, then ask a person about it", limit: 5 } },
  ],
});

/** Returns the first line of a description, cut after a sentence where one ends in time. */
function shorten(description: string): string {
  const [line = ""] = description.trim().split("\n", 1);
  if (line.length <= MAX_SUMMARY) return line;
  const end = line.slice(0, MAX_SUMMARY).lastIndexOf(". ");
  return end > 0 ? line.slice(0, end + 1) : `${line.slice(0, MAX_SUMMARY - 1).toWellFormed()}…`;
}

function toKey(name: string): string {
  return name.trim().toLowerCase().replaceAll(/[.-]/g, "_");
}
