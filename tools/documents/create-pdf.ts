import { z } from "zod";
import { markdownText, pdfFields } from "../../core/documents/make.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { defineTool } from "../define-tool.ts";
import { MAKE_TIMEOUT_MS, madeFile, madeFilename, makeFile, showMade } from "./made-file.ts";

export default defineTool({
  name: "create_pdf",
  summary:
    "Make a PDF of Markdown in the sandbox: headings, nested lists, tables, links, code, formulas, footnotes, and images of the sandbox as ![what it shows](chart.png).",
  toolbox: "documents",
  category: "documents",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files", "documents"],
  refersTo: { filename: "write" },
  aliases: { markdown: "content", markdown_content: "content", path: "filename", file_path: "filename" },
  timeoutMs: MAKE_TIMEOUT_MS,
  disabled: (rules) => (rules.allowWrite ? null : WRITE_DISABLED),
  input: z.object({ filename: madeFilename, content: markdownText.describe("Markdown"), ...pdfFields }),
  output: madeFile,
  async run({ filename, content: markdown, ...words }, context) {
    const fields = { filename: "filename", content: "content" };
    const document = { format: "pdf" as const, markdown, ...words };
    return await makeFile({ filename, document, fields }, context);
  },
  show: showMade,
  examples: [
    {
      note: "a page with a title",
      given: { filename: "letter.pdf", title: "To Ana", content: "Dear Ana,\n\nall is **well**.\n", page_size: "a4" },
    },
  ],
});
