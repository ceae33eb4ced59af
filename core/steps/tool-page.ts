/** Tools as a page of Markdown: what each takes and gives, and what it promises the gateway. */
import { getOwn } from "../base/own-field.ts";
import type { Tool } from "../tool/tool.ts";
import type { NamedTool } from "./tool-bus.ts";
import { inputSchema, outputSchema, settingsSchema } from "./toolset.ts";

type Json = Readonly<Record<string, unknown>>;

/** Characters of a cell. */
const MAX_CELL = 400;

/** The page, by toolbox. */
export function toolPage(tools: readonly NamedTool[]): string {
  const boxes = [...new Set(tools.map(({ tool }) => tool.toolbox))].sort();
  const sections = boxes.flatMap((toolbox) => [
    `## ${toolbox}`,
    ...tools.filter(({ tool }) => tool.toolbox === toolbox).map(toolSection),
  ]);
  return `${["# Tools", ...sections].join("\n\n")}\n`;
}

function toolSection({ tool, modelName }: NamedTool): string {
  const parts = [
    `### ${tool.name}`,
    tool.summary,
    promises(tool, modelName),
    table("Takes", inputSchema(tool)),
    table("Gives", outputSchema(tool)),
    ...settings(tool),
    ...tool.examples.map(({ note, given }) => `Example, ${note}:\n\n\`\`\`json\n${JSON.stringify(given)}\n\`\`\``),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function promises(tool: Tool, modelName: string): string {
  const aliases = Object.entries(tool.aliases).map(([alias, name]) => `\`${alias}\` for \`${name}\``);
  const rows = [
    `category ${tool.category}`,
    tool.permissions.length === 0 ? "no permission" : `permissions ${tool.permissions.join(", ")}`,
    `security ${typeof tool.security === "function" ? "by arguments" : tool.security}`,
    `effect ${typeof tool.effect === "function" ? "by arguments" : tool.effect}`,
    ...(modelName === tool.name ? [] : [`models see \`${modelName}\``]),
    ...(tool.onlyByName === true ? ["off until an agent names it"] : []),
    ...(tool.alsoNamed === undefined ? [] : [`also named ${tool.alsoNamed.map((name) => `\`${name}\``).join(", ")}`]),
    ...(aliases.length === 0 ? [] : [`takes ${aliases.join(", ")}`]),
    ...(tool.written === undefined ? [] : [`from ${tool.written.source}`]),
  ];
  return rows.join(" · ");
}

function settings(tool: Tool): string[] {
  const schema = settingsSchema(tool);
  return schema === null ? [] : [table("An agent's `tool_config`", schema)];
}

/** The members of an object's schema; any other schema in a line. */
function table(title: string, schema: Json): string {
  const properties = schema["properties"];
  if (!isJson(properties)) {
    const said = typeOf(schema);
    return said === "" ? "" : `${title}: ${said}`;
  }
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const rows = Object.entries(properties).map(([name, member]) => {
    const { description, default: standard } = isJson(member) ? member : ({} as Json);
    const needed = required.includes(name)
      ? "required"
      : standard === undefined
        ? ""
        : `default ${JSON.stringify(standard)}`;
    return `| \`${name}\` | ${cell(typeOf(member))} | ${cell(needed)} | ${cell(typeof description === "string" ? description : "")} |`;
  });
  if (rows.length === 0) return `${title}: nothing`;
  return [`| ${title} | | | |`, "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** A schema's type in a few words. */
function typeOf(schema: unknown): string {
  if (!isJson(schema)) return "";
  const { type, enum: values, items } = schema;
  for (const name of ["anyOf", "oneOf"]) {
    const list = getOwn(schema, name);
    if (Array.isArray(list)) return [...new Set(list.map(typeOf))].join(" or ");
  }
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" or ");
  if (type === "array") return `list of ${typeOf(items) || "anything"}`;
  return Array.isArray(type) ? type.join(" or ") : typeof type === "string" ? type : "";
}

function cell(text: string): string {
  const short = text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
  return short.replaceAll("|", "\\|").replace(/\s+/g, " ");
}

function isJson(value: unknown): value is Json {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
