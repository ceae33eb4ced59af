import { z } from "zod";
import { aboutFields, markdownText, slidesSchema } from "../../core/documents/make.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { defineTool, failure } from "../define-tool.ts";
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
  name: "create_pptx",
  summary:
    "Make a PowerPoint presentation in the sandbox, of slides as data or of a Markdown text whose headings begin slides. Give one of slides and content. Texts may hold **bold**, *italic* and links; overflow continues on the next slide. template gives the styles.",
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
    slides: slidesSchema.optional(),
    content: markdownText.optional().describe("Markdown"),
    ...aboutFields,
    template: templatePath,
  }),
  output: madeFile,
  async run({ filename, slides, content: markdown, template, ...words }, context) {
    const content = slides === undefined ? { markdown: markdown ?? "" } : { slides };
    if ((slides === undefined) === (markdown === undefined))
      return failure("invalid_input", "content: give slides or content, one of the two", { field: "content" });
    const fields = { filename: "filename", content: slides === undefined ? "content" : "slides" };
    return await makeFile({ filename, document: { format: "pptx", content, ...words }, template, fields }, context);
  },
  show: showMade,
  examples: [
    {
      note: "a title and a slide with points",
      given: {
        filename: "plan.pptx",
        slides: [
          { title: "Plan for 2027", text: "For the board" },
          { title: "Next", bullets: ["Ask Ana", { text: "Write", bullets: ["a draft", "the rest"] }] },
        ],
      },
    },
  ],
});
