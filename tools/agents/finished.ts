import { z } from "zod";
import { control, defineTool } from "../define-tool.ts";

const MAX_SUMMARY_CHARACTERS = 100_000;

export default defineTool({
  name: "finished",
  summary:
    "End the task with this answer. Other calls of the same step are settled first; when one fails, the task continues.",
  toolbox: "agents",
  category: "control",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: [],
  steers: true,
  onlyByName: true,
  onlyByModel: "finishes",
  input: z.object({
    summary: z
      .string()
      .trim()
      .min(1)
      .max(MAX_SUMMARY_CHARACTERS)
      .describe("The whole answer, as a person is to read it"),
  }),
  output: z.object({ summary: z.string() }),
  run: ({ summary }) => control({ kind: "finish", summary }),
  show: ({ summary }) => summary,
  examples: [{ note: "the answer", given: { summary: "The report is in report.md; sales rose by 4 %." } }],
});
