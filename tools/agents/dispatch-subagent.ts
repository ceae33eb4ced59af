import { z } from "zod";
import { control, defineTool, failure } from "../define-tool.ts";
import { AGENT_TYPES, RESEARCH_TOOLS, specialistTools } from "./subagent-tools.ts";

const MAX_TEXT_CHARACTERS = 16_000;
/** Names that a refusal lists. */
const MAX_LISTED = 100;

export default defineTool({
  name: "dispatch_subagent",
  summary:
    "Give a self-contained part of the work to a subagent in the same sandbox, which sees only these arguments. Calls in one step run in parallel; you resume with all results.",
  toolbox: "agents",
  category: "control",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: [],
  steers: true,
  onlyByModel: "dispatches",
  input: z.object({
    task_description: z.string().trim().min(1).max(MAX_TEXT_CHARACTERS),
    context: z.string().max(MAX_TEXT_CHARACTERS).default("").describe("What it needs to know"),
    agent_type: z
      .enum(AGENT_TYPES)
      .default("general")
      .describe(
        "general: your tools; research: reads, searches, writes files; tool-specialist: the tools that the texts name",
      ),
    max_iterations: z.int().min(1).max(15).default(10).describe("Steps, 1 to 15"),
    token_budget: z.int().min(1_000).max(1_000_000_000).optional().describe("Taken from yours; default: an even share"),
  }),
  output: z.object({
    subtask_id: z.string(),
    status: z.enum(["completed", "failed", "cancelled"]),
    reason: z.string().nullable().describe("Why it stopped early, such as `iteration_limit`"),
    text: z.string(),
    files: z.array(z.strictObject({ path: z.string(), size: z.int().describe("Bytes") })),
    steps: z.int(),
  }),
  run(given, { tools: mine }) {
    const tools = toolsOf(given, mine);
    if (tools?.length === 0) {
      return failure("invalid_input", `The task and its context name no tool of yours. Name one of: ${listed(mine)}.`, {
        field: "agent_type",
      });
    }
    return control({
      kind: "dispatch",
      maxSteps: given.max_iterations,
      tokenBudget: given.token_budget ?? null,
      tools,
    });
  },
  show: ({ text }) => text,
  examples: [
    {
      note: "one of several in the same step",
      given: { task_description: "Find the current time in Lisbon and answer with it.", max_iterations: 3 },
    },
    {
      note: "a specialist for the tools that it names",
      given: {
        task_description: "Use list_directory and read_file to find the plan among the notes, and sum it up.",
        agent_type: "tool-specialist",
      },
    },
  ],
});

interface Wanted {
  readonly agent_type: (typeof AGENT_TYPES)[number];
  readonly task_description: string;
  readonly context: string;
}

/** The patterns of its type; null: all tools of the task that dispatches it. */
function toolsOf(given: Wanted, mine: readonly string[]): readonly string[] | null {
  switch (given.agent_type) {
    case "general":
      return null;
    case "research":
      return RESEARCH_TOOLS;
    case "tool-specialist":
      return specialistTools(`${given.task_description}\n${given.context}`, mine);
  }
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return `${names.slice(0, MAX_LISTED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
