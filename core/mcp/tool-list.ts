/**
 * Reads an MCP server's list of tools within limits, hashes it, and compares it with an earlier list. A server's texts
 * are untrusted: they are truncated and stripped of characters that hide or reorder text, and an invalid tool is
 * refused with a reason.
 */
import { z } from "zod";
import { toCanonicalJson } from "../base/canonical-json.ts";
import { sha256Hex } from "../base/sha256.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import type { McpTool } from "../ports/mcp.ts";

export const MAX_TOOLS = 1_000;
/** Characters of a tool's description for the model. */
export const MAX_DESCRIPTION = 1_024;
/** Characters of one schema as JSON, and of a server's whole list. */
const MAX_SCHEMA = 64_000;
const MAX_LIST = 2_000_000;
/** Nesting depth of schemas and values. */
const MAX_DEPTH = 32;

/** A refused tool. */
export interface RefusedTool {
  readonly name: string;
  readonly reason: string;
}

/** A server's tools, sorted by name. `hash` is the SHA-256 of its canonical JSON in hex. */
export interface McpToolList {
  readonly tools: readonly McpTool[];
  readonly hash: string;
}

const rawTool = z.looseObject({
  name: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, "the name is not 1 to 128 letters, digits, _, - and ."),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  annotations: z
    .looseObject({
      title: z.string().optional(),
      readOnlyHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
    })
    .optional(),
});

/** Reads a list. `too_large` when it has too many tools or too much text. */
export async function readToolList(
  raw: readonly unknown[],
): Promise<Result<McpToolList & { readonly refused: readonly RefusedTool[] }>> {
  if (raw.length > MAX_TOOLS) {
    return failed("too_large", `The server lists ${raw.length} tools; the limit is ${MAX_TOOLS}.`);
  }
  const tools = new Map<string, McpTool>();
  const refused: RefusedTool[] = [];
  for (const one of raw) {
    const read = readTool(one);
    if (!read.ok) refused.push(read.error);
    else if (tools.has(read.value.name)) refused.push({ name: read.value.name, reason: "it is listed twice" });
    else tools.set(read.value.name, read.value);
  }
  const sorted = [...tools.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const text = toCanonicalJson(sorted);
  if (text.length > MAX_LIST) {
    return failed("too_large", `The tools of the server are ${text.length} characters; the limit is ${MAX_LIST}.`);
  }
  return ok({ tools: sorted, hash: await sha256Hex(text), refused });
}

type Read = { readonly ok: true; readonly value: McpTool } | { readonly ok: false; readonly error: RefusedTool };

function readTool(raw: unknown): Read {
  const parsed = rawTool.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuseTool(getReadableName(raw), `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not a tool"}`);
  }
  const { name, title, description, inputSchema, outputSchema, annotations } = parsed.data;
  const input = readSchema(inputSchema);
  if (!input.ok) return refuseTool(name, `inputSchema: ${input.reason}`);
  if (inputSchema["type"] !== "object") return refuseTool(name, "inputSchema: its type is not object");
  const output = outputSchema === undefined ? null : readSchema(outputSchema);
  if (output?.ok === false) return refuseTool(name, `outputSchema: ${output.reason}`);
  const text = cleanText(description ?? title ?? annotations?.title ?? "", MAX_DESCRIPTION);
  return {
    ok: true,
    value: {
      name,
      description: text === "" ? name : text,
      input: input.schema,
      output: output?.schema ?? null,
      readOnly: annotations?.readOnlyHint === true,
      idempotent: annotations?.idempotentHint === true,
    },
  };
}

function refuseTool(name: string, reason: string): Read {
  return { ok: false, error: { name, reason: reason.slice(0, 300) } };
}

/** The name of an invalid tool, if it has a readable one. */
function getReadableName(raw: unknown): string {
  const name = typeof raw === "object" && raw !== null && "name" in raw ? raw.name : null;
  return typeof name === "string" ? cleanText(name, 128) : "(without a name)";
}

type Schema = { readonly ok: true; readonly schema: Readonly<Record<string, unknown>> };

/** Cleans a schema's texts. A schema that refers outside itself is refused: nothing is fetched for it. */
function readSchema(
  schema: Readonly<Record<string, unknown>>,
): Schema | { readonly ok: false; readonly reason: string } {
  if (isDeeper(schema, MAX_DEPTH)) return { ok: false, reason: `it is more than ${MAX_DEPTH} levels deep` };
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (typeof value !== "string") return value;
    if (key === "description" || key === "title" || key === "$comment") return cleanText(value, MAX_DESCRIPTION);
    return value;
  });
  if (text.length > MAX_SCHEMA) return { ok: false, reason: `it has more than ${MAX_SCHEMA} characters` };
  if (/"\$(?:ref|dynamicRef|recursiveRef)":"(?!#)/.test(text))
    return { ok: false, reason: "it refers to another document" };
  return { ok: true, schema: JSON.parse(text) as Readonly<Record<string, unknown>> };
}

/** Works level by level, so that deep values cannot exhaust the stack. */
function isDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap((one): unknown[] => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
}

/**
 * Control characters except tab and newline, and characters that are invisible, break lines or change the text's
 * direction.
 */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Cleans untrusted text: well-formed, without hidden characters, at most `most` characters. */
export function cleanText(text: string, most: number): string {
  const plain = text
    .slice(0, most * 4)
    .toWellFormed()
    .replace(HIDDEN, "")
    .trim();
  return plain.length <= most ? plain : `${plain.slice(0, most - 1).toWellFormed()}…`;
}

/** A tool in both lists, with its differences. */
export interface ChangedTool {
  readonly name: string;
  readonly changes: readonly {
    readonly what: "description" | "input" | "output" | "annotations";
    readonly before: unknown;
    readonly after: unknown;
  }[];
}

/** What a person has to know before the later list replaces the earlier one. */
export interface ListDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly ChangedTool[];
}

export function diffLists(before: readonly McpTool[], after: readonly McpTool[]): ListDiff {
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const now = new Map(after.map((tool) => [tool.name, tool]));
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: after.flatMap((tool) => {
      const was = old.get(tool.name);
      const changes = was === undefined ? [] : findChanges(was, tool);
      return changes.length === 0 ? [] : [{ name: tool.name, changes }];
    }),
  };
}

function findChanges(before: McpTool, after: McpTool): ChangedTool["changes"] {
  const hints = ({ readOnly, idempotent }: McpTool) => ({ readOnly, idempotent });
  const pairs = [
    ["description", before.description, after.description],
    ["input", before.input, after.input],
    ["output", before.output, after.output],
    ["annotations", hints(before), hints(after)],
  ] as const;
  return pairs
    .filter(([, was, is]) => toCanonicalJson(was) !== toCanonicalJson(is))
    .map(([what, was, is]) => ({ what, before: was, after: is }));
}
