import { z } from "zod";
import { markdownText } from "../../core/documents/make.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { defineTool } from "../define-tool.ts";
import { MAKE_TIMEOUT_MS, madeFile, madeFilename, makeFile, showMade, templateSettings } from "./made-file.ts";

export default defineTool({
  name: "convert_markdown_to_pptx",
  summary:
    "Convert Markdown to a PowerPoint presentation in the sandbox: each heading begins a slide, and overflow continues on the next slide. Images of the sandbox as ![what it shows](chart.png).",
  toolbox: "documents",
  category: "documents",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files", "documents"],
  refersTo: { output_filename: "write" },
  onlyByName: true,
  settings: templateSettings,
  aliases: { content: "markdown_content", markdown: "markdown_content", filename: "output_filename" },
  timeoutMs: MAKE_TIMEOUT_MS,
  disabled: (rules) => (rules.allowWrite ? null : WRITE_DISABLED),
  input: z.object({ markdown_content: markdownText, output_filename: madeFilename }),
  output: madeFile,
  async run({ markdown_content: markdown, output_filename: filename }, context) {
    const fields = { filename: "output_filename", content: "markdown_content" };
    return await makeFile({ filename, document: { format: "pptx", content: { markdown } }, fields }, context);
  },
  show: showMade,
  examples: [
    {
      note: "two slides",
      given: { markdown_content: "# Plan\n\n- Ask Ana\n\n# Next\n\n- Write\n", output_filename: "plan.pptx" },
    },
  ],
});
