import { z } from "zod";
import { aboutFields, markdownText, slidesSchema } from "../../core/documents/make.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { defineTool, failure } from "../define-tool.ts";
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
  name: "create_pptx",
  summary:
    "Make a PowerPoint presentation from slides as data, or from Markdown whose headings begin slides. Give slides or content.",
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
    slides: slidesSchema.optional(),
    content: markdownText.optional().describe("Markdown"),
    ...aboutFields,
    template: templatePath,
  }),
  output: madeFile,
  async run({ path, slides, content: markdown, template, ...words }, context) {
    const content = slides === undefined ? { markdown: markdown ?? "" } : { slides };
    if ((slides === undefined) === (markdown === undefined))
      return failure("invalid_input", "content: give slides or content, one of the two", { field: "content" });
    const field = slides === undefined ? "content" : "slides";
    return await makeFile({ path, document: { format: "pptx", content, ...words }, template, field }, context);
  },
  show: showMade,
  examples: [
    {
      note: "a title and a slide with points",
      given: {
        path: "plan.pptx",
        slides: [
          { title: "Plan for 2027", text: "For the board" },
          { title: "Next", bullets: ["Ask Ana", { text: "Write", bullets: ["a draft", "the rest"] }] },
        ],
      },
    },
  ],
});
