import { z } from "zod";
import { markdownText } from "../../core/documents/make.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { defineTool } from "../define-tool.ts";
import { MAKE_TIMEOUT_MS, madeFile, madePath, makeFile, showMade, templateSettings } from "./made-file.ts";

export default defineTool({
  name: "convert_markdown_to_docx",
  aliasOf: "create_docx",
  summary: "Convert Markdown to a Word document of the sandbox. A word.docx in the sandbox gives the styles.",
  toolbox: "documents",
  category: "documents",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files", "documents"],
  refersTo: { path: "write" },
  settings: templateSettings,
  aliases: { content: "markdown_content", markdown: "markdown_content" },
  timeoutMs: MAKE_TIMEOUT_MS,
  disabled: (rules) => (rules.allowWrite ? null : WRITE_DISABLED),
  input: z.object({ markdown_content: markdownText, path: madePath }),
  output: madeFile,
  async run({ markdown_content: markdown, path }, context) {
    return await makeFile({ path, document: { format: "docx", markdown }, field: "markdown_content" }, context);
  },
  show: showMade,
  examples: [
    {
      note: "the report as a Word document",
      given: {
        markdown_content: "# Report\n\n| City | Sales |\n|---|---:|\n| Oslo | 12 |\n",
        path: "report.docx",
      },
    },
  ],
});
