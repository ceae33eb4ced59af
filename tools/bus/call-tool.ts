import { z } from "zod";
import { calledToolSchema } from "../../core/steps/call-tool.ts";
import { defineTool, failure } from "../define-tool.ts";

export default defineTool({
  name: "call_tool",
  summary: "Call a tool that is not listed here, by its name, with its arguments.",
  toolbox: "tools",
  category: "control",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: [],
  input: calledToolSchema,
  output: z.unknown(),
  // The gateway makes the call that is named inside in its place, so this runs for nobody (core/steps/call-tool.ts).
  run: () => failure("not_available", "Name the tool itself: here no gateway takes the call apart."),
  show: (result) => JSON.stringify(result) ?? "",
  examples: [
    {
      note: "a tool that find_tools showed",
      given: { name: "get_current_datetime", arguments: { timezone: "Europe/Oslo" } },
    },
  ],
});
