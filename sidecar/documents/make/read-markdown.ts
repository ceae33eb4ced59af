/** A Markdown text as pandoc's document. It is pandoc's Markdown without all that is code of another format. */
import { z } from "zod";
import { getOwn } from "../../../core/base/own-field.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { ConvertWithPandoc } from "../pandoc.ts";
import { type Ast, type Node, textOf } from "./ast.ts";

const WITHOUT = [
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
/** A list needs no empty line before it, and an address by itself is a link: models write both. */
const WITH = ["lists_without_preceding_blankline", "autolink_bare_uris", "task_lists", "mark"];
const MARKDOWN = `markdown${WITHOUT.map((name) => `-${name}`).join("")}${WITH.map((name) => `+${name}`).join("")}`;

const astSchema = z.object({
  "pandoc-api-version": z.array(z.number()),
  meta: z.record(z.string(), z.object({ t: z.string(), c: z.unknown().optional() })),
  blocks: z.array(z.object({ t: z.string(), c: z.unknown().optional() })),
});

/** What the text says of itself in a block of YAML on top, as plain text. */
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
  if (!parsed.success) return failed("internal", "The text was not read as a document.");
  const { meta, blocks, "pandoc-api-version": apiVersion } = parsed.data as Ast;
  const text = (name: string) => metaText(getOwn(meta, name));
  const frontMatter = {
    title: text("title"),
    subtitle: text("subtitle"),
    author: text("author"),
    language: text("lang"),
  };
  return ok({ apiVersion, blocks, frontMatter });
}

/** The document as the input of a writer. */
export function astBytes(
  apiVersion: readonly number[],
  meta: Readonly<Record<string, Node>>,
  blocks: readonly Node[],
): Uint8Array {
  const ast: Ast = { "pandoc-api-version": apiVersion, meta, blocks };
  return new TextEncoder().encode(JSON.stringify(ast));
}

function metaText(node: Node | undefined): string {
  if (node === undefined) return "";
  if (node.t === "MetaString") return typeof node.c === "string" ? node.c : "";
  if (node.t === "MetaList" && Array.isArray(node.c)) return (node.c as Node[]).map(metaText).join(", ");
  return textOf(node.c).replaceAll(/\s+/g, " ").trim().slice(0, 500);
}
