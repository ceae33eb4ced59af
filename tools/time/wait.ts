import { z } from "zod";
import { control, defineTool } from "../define-tool.ts";

export default defineTool({
  name: "wait",
  summary: "Pause the task: 1 to 300 seconds, for example until something outside is ready.",
  toolbox: "time",
  category: "control",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: [],
  steers: true,
  input: z.object({ seconds: z.int().min(1).max(300) }),
  output: z.object({ waited_seconds: z.int() }),
  run: ({ seconds }) => control({ kind: "sleep", seconds }),
  show: ({ waited_seconds }) => `Waited ${waited_seconds} seconds.`,
  examples: [{ note: "give a job half a minute", given: { seconds: 30 } }],
});
