import { z } from "zod";
import { docxFields, markdownText } from "../../core/documents/make.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { defineTool } from "../define-tool.ts";
import {
  MAKE_TIMEOUT_MS,
  madeFile,
  madeFilename,
  makeFile,
  showMade,
  templatePath,
  templateSettings,
} from "./made-file.ts";

export default defineTool({
  name: "create_docx",
  summary:
    "Make a Word document of Markdown in the sandbox: headings, nested lists, tables, links, code, footnotes, and images of the sandbox as ![what it shows](chart.png). template, else a word.docx in the sandbox or in project/, gives the styles.",
  toolbox: "documents",
  category: "documents",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files", "documents"],
  refersTo: { filename: "write", template: "read" },
  settings: templateSettings,
  aliases: { markdown: "content", markdown_content: "content", path: "filename", file_path: "filename" },
  timeoutMs: MAKE_TIMEOUT_MS,
  disabled: (rules) => (rules.allowWrite ? null : WRITE_DISABLED),
  input: z.object({
    filename: madeFilename,
    content: markdownText.describe("Markdown"),
    ...docxFields,
    template: templatePath,
  }),
  output: madeFile,
  async run({ filename, content: markdown, template, ...words }, context) {
    const fields = { filename: "filename", content: "content" };
    const document = { format: "docx" as const, markdown, ...words };
    return await makeFile({ filename, document, template, fields }, context);
  },
  show: showMade,
  examples: [
    {
      note: "a short report with a title",
      given: { filename: "reports/q3.docx", title: "Third quarter", content: "## Sales\n\n1. Oslo\n2. Lima\n" },
    },
  ],
});
