/**
 * The tools of an MCP server as it lists them: read within bounds, named by a hash, and told apart from an earlier list.
 * Everything that a server writes is the word of a stranger: texts are bounded and hold no characters that hide or reorder
 * what a person or a model reads, and a tool that does not fit is left out with a reason.
 */
import { z } from "zod";
import { toCanonicalJson } from "../base/canonical-json.ts";
import { sha256Hex } from "../base/sha256.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import type { McpTool } from "../ports/mcp.ts";

export const MAX_TOOLS = 1_000;
/** Characters of what the model reads of a tool. */
export const MAX_DESCRIPTION = 1_024;
/** Characters of one schema as JSON, and of all that is kept of one server. */
const MAX_SCHEMA = 64_000;
const MAX_LIST = 2_000_000;
/** Schemas and values inside each other. */
const MAX_DEPTH = 32;

/** A tool that was left out. */
export interface RefusedTool {
  readonly name: string;
  readonly reason: string;
}

/** What a server offers, by name. `hash` is the SHA-256 of its canonical JSON in hex. */
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

/** Reads a list. `too_large` for one with more tools, or more text, than is kept of one server. */
export async function readToolList(
  raw: readonly unknown[],
): Promise<Result<McpToolList & { readonly refused: readonly RefusedTool[] }>> {
  if (raw.length > MAX_TOOLS) {
    return failed("too_large", `The server lists ${raw.length} tools; at most ${MAX_TOOLS} are taken.`);
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
    return failed("too_large", `The tools of the server are ${text.length} characters; at most ${MAX_LIST} are kept.`);
  }
  return ok({ tools: sorted, hash: await sha256Hex(text), refused });
}

type Read = { readonly ok: true; readonly value: McpTool } | { readonly ok: false; readonly error: RefusedTool };

function readTool(raw: unknown): Read {
  const parsed = rawTool.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(nameIn(raw), `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not a tool"}`);
  }
  const { name, title, description, inputSchema, outputSchema, annotations } = parsed.data;
  const input = readSchema(inputSchema);
  if (!input.ok) return refuse(name, `inputSchema: ${input.reason}`);
  if (inputSchema["type"] !== "object") return refuse(name, "inputSchema: it is not of an object");
  const output = outputSchema === undefined ? null : readSchema(outputSchema);
  if (output?.ok === false) return refuse(name, `outputSchema: ${output.reason}`);
  const shown = plainText(description ?? title ?? annotations?.title ?? "", MAX_DESCRIPTION);
  return {
    ok: true,
    value: {
      name,
      description: shown === "" ? name : shown,
      input: input.schema,
      output: output?.schema ?? null,
      readOnly: annotations?.readOnlyHint === true,
      idempotent: annotations?.idempotentHint === true,
    },
  };
}

function refuse(name: string, reason: string): Read {
  return { ok: false, error: { name, reason: reason.slice(0, 300) } };
}

/** The name of something that is no tool, as far as it has one that can be shown. */
function nameIn(raw: unknown): string {
  const name = typeof raw === "object" && raw !== null && "name" in raw ? raw.name : null;
  return typeof name === "string" ? plainText(name, 128) : "(without a name)";
}

type Schema = { readonly ok: true; readonly schema: Readonly<Record<string, unknown>> };

/** A schema with its texts made plain. One that points outside itself is refused: nothing is fetched for it. */
function readSchema(
  schema: Readonly<Record<string, unknown>>,
): Schema | { readonly ok: false; readonly reason: string } {
  if (isDeeper(schema, MAX_DEPTH)) return { ok: false, reason: `it is more than ${MAX_DEPTH} levels deep` };
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (typeof value !== "string") return value;
    if (key === "description" || key === "title" || key === "$comment") return plainText(value, MAX_DESCRIPTION);
    return value;
  });
  if (text.length > MAX_SCHEMA) return { ok: false, reason: `it has more than ${MAX_SCHEMA} characters` };
  if (/"\$(?:ref|dynamicRef|recursiveRef)":"(?!#)/.test(text))
    return { ok: false, reason: "it refers to another document" };
  return { ok: true, schema: JSON.parse(text) as Readonly<Record<string, unknown>> };
}

/** Looks level by level, so that no depth is too deep for looking. */
function isDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap((one): unknown[] => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
}

/** Control characters but tab and newline, and all that is invisible, breaks lines or turns the direction of writing. */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A stranger's text: well-formed, without hidden characters, and cut at `most` characters. */
export function plainText(text: string, most: number): string {
  const plain = text
    .slice(0, most * 4)
    .toWellFormed()
    .replace(HIDDEN, "")
    .trim();
  return plain.length <= most ? plain : `${plain.slice(0, most - 1).toWellFormed()}…`;
}

/** A tool that both lists have, and what of it is other in the later one. */
export interface ChangedTool {
  readonly name: string;
  readonly changes: readonly {
    readonly what: "description" | "input" | "output" | "annotations";
    readonly before: unknown;
    readonly after: unknown;
  }[];
}

/** What a person has to know before the later list takes the earlier one's place. */
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
      const changes = was === undefined ? [] : changesOf(was, tool);
      return changes.length === 0 ? [] : [{ name: tool.name, changes }];
    }),
  };
}

function changesOf(before: McpTool, after: McpTool): ChangedTool["changes"] {
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
