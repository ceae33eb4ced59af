import { z } from "zod";
import { docxFields, markdownText } from "../../core/documents/make.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { defineTool } from "../define-tool.ts";
import {
  MADE_ALIASES,
  MAKE_TIMEOUT_MS,
  madeFile,
  madePath,
  makeFile,
  showMade,
  templatePath,
  templateSettings,
} from "./made-file.ts";

export default defineTool({
  name: "create_docx",
  summary:
    "Make a Word document from Markdown, with tables, links, footnotes and images of the sandbox as ![text](chart.png).",
  toolbox: "documents",
  category: "documents",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files", "documents"],
  refersTo: { path: "write", template: "read" },
  settings: templateSettings,
  aliases: MADE_ALIASES,
  timeoutMs: MAKE_TIMEOUT_MS,
  disabled: (rules) => (rules.allowWrite ? null : WRITE_DISABLED),
  input: z.object({
    path: madePath,
    content: markdownText.describe("Markdown"),
    ...docxFields,
    template: templatePath,
  }),
  output: madeFile,
  async run({ path, content: markdown, template, ...words }, context) {
    const field = "content";
    const document = { format: "docx" as const, markdown, ...words };
    return await makeFile({ path, document, template, field }, context);
  },
  show: showMade,
  examples: [
    {
      note: "a short report with a title",
      given: { path: "reports/q3.docx", title: "Third quarter", content: "## Sales\n\n1. Oslo\n2. Lima\n" },
    },
  ],
});
