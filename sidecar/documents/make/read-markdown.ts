/** Parses Markdown to pandoc's document. Extensions that embed code of other formats are disabled. */
import { z } from "zod";
import { getOwn } from "../../../core/base/own-field.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { ConvertWithPandoc } from "../pandoc.ts";
import { type Ast, type Node, extractText } from "./ast.ts";

const DISABLED = [
  "raw_attribute",
  "raw_html",
  "raw_tex",
  "latex_macros",
  "native_divs",
  "native_spans",
  "markdown_in_html_blocks",
  "citations",
  "example_lists",
  "pandoc_title_block",
];
/** Models write lists without an empty line before them, and bare URLs. */
const ENABLED = ["lists_without_preceding_blankline", "autolink_bare_uris", "task_lists", "mark"];
const MARKDOWN = `markdown${DISABLED.map((name) => `-${name}`).join("")}${ENABLED.map((name) => `+${name}`).join("")}`;

const astSchema = z.object({
  "pandoc-api-version": z.array(z.number()),
  meta: z.record(z.string(), z.object({ t: z.string(), c: z.unknown().optional() })),
  blocks: z.array(z.object({ t: z.string(), c: z.unknown().optional() })),
});

/** The text's YAML front matter, as plain text. */
export interface FrontMatter {
  readonly title: string;
  readonly subtitle: string;
  readonly author: string;
  readonly language: string;
}

export interface ReadText {
  readonly apiVersion: readonly number[];
  readonly blocks: readonly Node[];
  readonly frontMatter: FrontMatter;
}

export async function readMarkdown(
  convert: ConvertWithPandoc,
  markdown: string,
  signal: AbortSignal,
): Promise<Result<ReadText>> {
  const read = await convert({ from: MARKDOWN, to: "json", input: new TextEncoder().encode(markdown), signal });
  if (!read.ok) return read;
  const parsed = astSchema.safeParse(JSON.parse(new TextDecoder().decode(read.value.bytes)));
  if (!parsed.success) return failed("internal", "pandoc returned an invalid document.");
  const { meta, blocks, "pandoc-api-version": apiVersion } = parsed.data as Ast;
  const text = (name: string) => readMeta(getOwn(meta, name));
  const frontMatter = {
    title: text("title"),
    subtitle: text("subtitle"),
    author: text("author"),
    language: text("lang"),
  };
  return ok({ apiVersion, blocks, frontMatter });
}

/** Encodes the document as a writer's input. */
export function encodeAst(
  apiVersion: readonly number[],
  meta: Readonly<Record<string, Node>>,
  blocks: readonly Node[],
): Uint8Array {
  const ast: Ast = { "pandoc-api-version": apiVersion, meta, blocks };
  return new TextEncoder().encode(JSON.stringify(ast));
}

function readMeta(node: Node | undefined): string {
  if (node === undefined) return "";
  if (node.t === "MetaString") return typeof node.c === "string" ? node.c : "";
  if (node.t === "MetaList" && Array.isArray(node.c)) return (node.c as Node[]).map(readMeta).join(", ");
  return extractText(node.c).replaceAll(/\s+/g, " ").trim().slice(0, 500);
}
