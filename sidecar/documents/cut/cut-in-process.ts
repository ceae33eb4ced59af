/** Cuts a document in a process with limited memory and time: its text may be written to make a parser slow. */
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { DocumentKind } from "../../../core/ports/documents.ts";
import { type Budget, describeTimeout } from "../budget.ts";
import { type ConverterStart, startConverter } from "../converter-process.ts";
import { failDocument } from "../death.ts";

/** The question's head. Its one part is the Markdown. */
export interface CutQuestion {
  readonly kind: DocumentKind;
  /** The names of its pictures. */
  readonly images: readonly string[];
}

/** What the parser imports. Another set than the converters': each package is a mount of the process. */
const PACKAGES = [
  "ccount",
  "character-entities",
  "debug",
  "decode-named-character-reference",
  "dequal",
  "devlop",
  "dom-serializer",
  "domelementtype",
  "domhandler",
  "domutils",
  "entities",
  "escape-string-regexp",
  "htmlparser2",
  "katex",
  "longest-streak",
  "markdown-table",
  "mdast-util-find-and-replace",
  "mdast-util-from-markdown",
  "mdast-util-gfm",
  "mdast-util-gfm-autolink-literal",
  "mdast-util-gfm-footnote",
  "mdast-util-gfm-strikethrough",
  "mdast-util-gfm-table",
  "mdast-util-gfm-task-list-item",
  "mdast-util-math",
  "mdast-util-phrasing",
  "mdast-util-to-markdown",
  "mdast-util-to-string",
  "micromark",
  "micromark-core-commonmark",
  "micromark-extension-gfm",
  "micromark-extension-gfm-autolink-literal",
  "micromark-extension-gfm-footnote",
  "micromark-extension-gfm-strikethrough",
  "micromark-extension-gfm-table",
  "micromark-extension-gfm-tagfilter",
  "micromark-extension-gfm-task-list-item",
  "micromark-extension-math",
  "micromark-factory-destination",
  "micromark-factory-label",
  "micromark-factory-space",
  "micromark-factory-title",
  "micromark-factory-whitespace",
  "micromark-util-character",
  "micromark-util-chunked",
  "micromark-util-classify-character",
  "micromark-util-combine-extensions",
  "micromark-util-decode-numeric-character-reference",
  "micromark-util-decode-string",
  "micromark-util-edit-map",
  "micromark-util-encode",
  "micromark-util-html-tag-name",
  "micromark-util-normalize-identifier",
  "micromark-util-resolve-all",
  "micromark-util-sanitize-uri",
  "micromark-util-subtokenize",
  "micromark-util-symbol",
  "micromark-util-types",
  "ms",
  "unist-util-is",
  "unist-util-remove-position",
  "unist-util-stringify-position",
  "unist-util-visit",
  "unist-util-visit-parents",
  "zod",
  "zwitch",
];

const CUT_START: ConverterStart = {
  packages: PACKAGES,
  script: new URL("../children/cut-child.ts", import.meta.url),
  nodeFlags: ["--max-old-space-size=320"],
  dataBytes: 900_000_000,
  memoryMb: 450,
  maxAnswerBytes: 24 * 1024 * 1024,
};

/** Returns the JSON of the pieces (`cutPieceSchema`), and how many there are. Failures: those of `DocumentsPort.read`. */
export async function cutInProcess(
  markdown: string,
  question: CutQuestion,
  signal: AbortSignal,
  budget: Budget,
): Promise<Result<{ readonly json: Uint8Array; readonly count: number }>> {
  const started = await startConverter(CUT_START);
  if (!started.ok) return started;
  const process = started.value;
  try {
    const answer = await process.ask({ head: question, parts: [Buffer.from(markdown)] }, budget.leftMs(), signal);
    if (answer.kind === "cancelled") return failed("timeout", "The reading was cancelled.");
    if (answer.kind === "timeout") return failed("timeout", describeTimeout("Cutting"));
    if (answer.kind === "died") return failDocument(answer.death, "read");
    const [json = new Uint8Array()] = answer.frame.parts;
    return ok({ json, count: (answer.frame.head as { readonly count: number }).count });
  } finally {
    process.end();
  }
}
