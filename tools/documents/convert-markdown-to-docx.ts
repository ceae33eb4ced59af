import { z } from "zod";
import { markdownText } from "../../core/documents/make.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { defineTool } from "../define-tool.ts";
import { MAKE_TIMEOUT_MS, madeFile, madeFilename, makeFile, showMade, templateSettings } from "./made-file.ts";

export default defineTool({
  name: "convert_markdown_to_docx",
  summary:
    "Convert Markdown to a Word document in the sandbox: headings, lists, tables, links, code, footnotes, and images of the sandbox as ![what it shows](chart.png). A word.docx in the sandbox or in project/ gives the styles.",
  toolbox: "documents",
  category: "documents",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files", "documents"],
  refersTo: { output_filename: "write" },
  settings: templateSettings,
  aliases: { content: "markdown_content", markdown: "markdown_content", filename: "output_filename" },
  timeoutMs: MAKE_TIMEOUT_MS,
  disabled: (rules) => (rules.allowWrite ? null : WRITE_DISABLED),
  input: z.object({ markdown_content: markdownText, output_filename: madeFilename }),
  output: madeFile,
  async run({ markdown_content: markdown, output_filename: filename }, context) {
    const fields = { filename: "output_filename", content: "markdown_content" };
    return await makeFile({ filename, document: { format: "docx", markdown }, fields }, context);
  },
  show: showMade,
  examples: [
    {
      note: "the report as a Word document",
      given: {
        markdown_content: "# Report\n\n| City | Sales |\n|---|---:|\n| Oslo | 12 |\n",
        output_filename: "report.docx",
      },
    },
  ],
});
