/** Formats tools as a page of Markdown: input, output, and properties of each. */
import { getOwn } from "../base/own-field.ts";
import type { Tool } from "../tool/tool.ts";
import type { NamedTool } from "./tool-bus.ts";
import { getInputSchema } from "../tool/input-schema.ts";
import { getOutputSchema, getSettingsSchema } from "./toolset.ts";

type Json = Readonly<Record<string, unknown>>;

/** The most characters of a cell. */
const MAX_CELL = 400;

/** Formats the page, by toolbox. */
export function formatToolPage(tools: readonly NamedTool[]): string {
  const boxes = [...new Set(tools.map(({ tool }) => tool.toolbox))].sort();
  const sections = boxes.flatMap((toolbox) => [
    `## ${toolbox}`,
    ...tools.filter(({ tool }) => tool.toolbox === toolbox).map(formatSection),
  ]);
  return `${["# Tools", ...sections].join("\n\n")}\n`;
}

function formatSection({ tool, modelName }: NamedTool): string {
  const parts = [
    `### ${tool.name}`,
    tool.summary,
    formatPromises(tool, modelName),
    formatTable("Takes", getInputSchema(tool)),
    formatTable("Gives", getOutputSchema(tool)),
    ...formatSettings(tool),
    ...tool.examples.map(({ note, given }) => `Example, ${note}:\n\n\`\`\`json\n${JSON.stringify(given)}\n\`\`\``),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function formatPromises(tool: Tool, modelName: string): string {
  const aliases = Object.entries(tool.aliases).map(([alias, name]) => `\`${alias}\` for \`${name}\``);
  const rows = [
    `category ${tool.category}`,
    tool.permissions.length === 0 ? "no permission" : `permissions ${tool.permissions.join(", ")}`,
    `security ${typeof tool.security === "function" ? "by arguments" : tool.security}`,
    `effect ${typeof tool.effect === "function" ? "by arguments" : tool.effect}`,
    ...(modelName === tool.name ? [] : [`models see \`${modelName}\``]),
    ...(tool.aliasOf === undefined ? [] : [`alias of \`${tool.aliasOf}\``]),
    ...(tool.onlyByName === true ? ["off until an agent names it"] : []),
    ...(tool.alsoNamed === undefined ? [] : [`also named ${tool.alsoNamed.map((name) => `\`${name}\``).join(", ")}`]),
    ...(aliases.length === 0 ? [] : [`takes ${aliases.join(", ")}`]),
    ...(tool.written === undefined ? [] : [`from ${tool.written.source}`]),
  ];
  return rows.join(" · ");
}

function formatSettings(tool: Tool): string[] {
  const schema = getSettingsSchema(tool);
  return schema === null ? [] : [formatTable("An agent's `tool_config`", schema)];
}

/** Formats the members of an object's schema; any other schema as a line. */
function formatTable(title: string, schema: Json): string {
  const properties = schema["properties"];
  if (!isJson(properties)) {
    const type = formatType(schema);
    return type === "" ? "" : `${title}: ${type}`;
  }
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const rows = Object.entries(properties).map(([name, member]) => {
    const { description, default: standard } = isJson(member) ? member : ({} as Json);
    const needed = required.includes(name)
      ? "required"
      : standard === undefined
        ? ""
        : `default ${JSON.stringify(standard)}`;
    return `| \`${name}\` | ${formatCell(formatType(member))} | ${formatCell(needed)} | ${formatCell(typeof description === "string" ? description : "")} |`;
  });
  if (rows.length === 0) return `${title}: nothing`;
  return [`| ${title} | | | |`, "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** Formats a schema's type in a few words. */
function formatType(schema: unknown): string {
  if (!isJson(schema)) return "";
  const { type, enum: values, items } = schema;
  for (const name of ["anyOf", "oneOf"]) {
    const list = getOwn(schema, name);
    if (Array.isArray(list)) return [...new Set(list.map(formatType))].join(" or ");
  }
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" or ");
  if (type === "array") return `list of ${formatType(items) || "anything"}`;
  return Array.isArray(type) ? type.join(" or ") : typeof type === "string" ? type : "";
}

function formatCell(text: string): string {
  const short = text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
  return short.replaceAll("|", "\\|").replace(/\s+/g, " ");
}

function isJson(value: unknown): value is Json {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
