import { z } from "zod";
import { markdownText, pdfFields } from "../../core/documents/make.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { defineTool } from "../define-tool.ts";
import { MADE_ALIASES, MAKE_TIMEOUT_MS, madeFile, madePath, makeFile, showMade } from "./made-file.ts";

export default defineTool({
  name: "create_pdf",
  summary:
    "Make a PDF from Markdown, with tables, links, formulas, footnotes and images of the sandbox as ![text](chart.png).",
  toolbox: "documents",
  category: "documents",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files", "documents"],
  refersTo: { path: "write" },
  aliases: MADE_ALIASES,
  timeoutMs: MAKE_TIMEOUT_MS,
  disabled: (rules) => (rules.allowWrite ? null : WRITE_DISABLED),
  input: z.object({ path: madePath, content: markdownText.describe("Markdown"), ...pdfFields }),
  output: madeFile,
  async run({ path, content: markdown, ...words }, context) {
    const field = "content";
    const document = { format: "pdf" as const, markdown, ...words };
    return await makeFile({ path, document, field }, context);
  },
  show: showMade,
  examples: [
    {
      note: "a page with a title",
      given: { path: "letter.pdf", title: "To Ana", content: "Dear Ana,\n\nall is **well**.\n", page_size: "a4" },
    },
  ],
});
