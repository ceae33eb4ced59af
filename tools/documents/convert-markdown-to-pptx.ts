import { z } from "zod";
import { markdownText } from "../../core/documents/make.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { defineTool } from "../define-tool.ts";
import { MAKE_TIMEOUT_MS, madeFile, madePath, makeFile, showMade, templateSettings } from "./made-file.ts";

export default defineTool({
  name: "convert_markdown_to_pptx",
  aliasOf: "create_pptx",
  summary: "Convert Markdown to a PowerPoint presentation of the sandbox: each heading begins a slide.",
  toolbox: "documents",
  category: "documents",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files", "documents"],
  refersTo: { path: "write" },
  onlyByName: true,
  settings: templateSettings,
  aliases: { content: "markdown_content", markdown: "markdown_content" },
  timeoutMs: MAKE_TIMEOUT_MS,
  disabled: (rules) => (rules.allowWrite ? null : WRITE_DISABLED),
  input: z.object({ markdown_content: markdownText, path: madePath }),
  output: madeFile,
  async run({ markdown_content: markdown, path }, context) {
    return await makeFile(
      { path, document: { format: "pptx", content: { markdown } }, field: "markdown_content" },
      context,
    );
  },
  show: showMade,
  examples: [
    {
      note: "two slides",
      given: { markdown_content: "# Plan\n\n- Ask Ana\n\n# Next\n\n- Write\n", path: "plan.pptx" },
    },
  ],
});
