import { z } from "zod";
import { defineTool, failWith } from "../define-tool.ts";
import { compactSchema } from "./compact-schema.ts";

const MAX_LIMIT = 25;
/** Characters of one answer. A tool whose parameters no longer fit is given without them. */
const MAX_CHARACTERS = 12_000;
const MAX_SUMMARY = 300;

export default defineTool({
  name: "find_tools",
  summary:
    "Find tools for something that you want done: you can use more tools than you are shown. Say it in plain words, several things at once if need be; the answer has names and parameters, best first. Use them through call_tool.",
  toolbox: "tools",
  category: "control",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: ["toolSearch"],
  wholeResult: true,
  input: z.object({
    query: z.string().trim().min(1).max(2_000).describe("What to do, e.g. create an issue and assign it"),
    limit: z.int().min(1).max(MAX_LIMIT).default(10).describe("Tools to show"),
  }),
  output: z.object({
    tools: z.array(
      z.object({
        name: z.string().describe("What call_tool takes"),
        summary: z.string(),
        parameters: z
          .record(z.string(), z.unknown())
          .nullable()
          .describe("JSON Schema, shortened where it is long; null where it had no more room"),
      }),
    ),
  }),
  async run({ query, limit }, { toolSearch }) {
    const found = await toolSearch.find(query, limit);
    if (!found.ok) return failWith(found.error);
    return {
      tools: fit(found.value.map(({ name, description, parameters }) => shorten(name, description, parameters))),
    };
  },
  show({ tools }) {
    if (tools.length === 0) return "No tool of yours fits. Say it in other words, or do without.";
    const lines = tools.map((tool) => JSON.stringify(tool));
    const isCut = tools.some(({ parameters }) => parameters === null);
    return [...lines, ...(isCut ? ["(Find a tool by its name to see its parameters.)"] : [])].join("\n");
  },
  examples: [
    { note: "one thing", given: { query: "the current date and time" } },
    { note: "several at once, fewer tools", given: { query: "read a file, then ask a person about it", limit: 5 } },
  ],
});

interface FoundTool {
  readonly name: string;
  readonly summary: string;
  readonly parameters: Record<string, unknown> | null;
}

function shorten(name: string, description: string, parameters: Readonly<Record<string, unknown>>): FoundTool {
  const summary = description.length <= MAX_SUMMARY ? description : `${description.slice(0, MAX_SUMMARY - 1)}…`;
  return { name, summary: summary.toWellFormed(), parameters: compactSchema(parameters) };
}

/** As many as have room without their parameters, and with them those for which that leaves room, the first ones first. */
function fit(found: readonly FoundTool[]): FoundTool[] {
  let left = MAX_CHARACTERS;
  const bare: FoundTool[] = [];
  for (const tool of found) {
    const short = { ...tool, parameters: null };
    left -= charactersOf(short);
    if (left < 0) break;
    bare.push(short);
  }
  left = Math.max(0, left);
  return bare.map((short, index) => {
    const tool = found[index] ?? short;
    const more = charactersOf(tool) - charactersOf(short);
    if (more > left) return short;
    left -= more;
    return tool;
  });
}

function charactersOf(tool: FoundTool): number {
  return JSON.stringify(tool).length + 1;
}
