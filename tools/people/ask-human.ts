import { z } from "zod";
import { control, defineTool, failWith } from "../define-tool.ts";

const DAY_SECONDS = 86_400;

export default defineTool({
  name: "ask_human",
  summary: "Ask a person when you cannot go on without an answer. wait_for_answer false only notifies.",
  toolbox: "people",
  category: "communication",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: ["people"],
  steers: true,
  input: z
    .object({
      query: z.string().trim().min(1).max(10_000).describe("Question or message"),
      human_name: z.string().trim().min(1).max(200).optional().describe("Default: the person of the task"),
      wait_for_answer: z.boolean().default(true),
      choices: z
        .array(z.string().trim().min(1).max(200))
        .min(1)
        .max(20)
        .refine((choices) => new Set(choices).size === choices.length, "two choices are the same")
        .optional()
        .describe("Suggested answers"),
      deadline_seconds: z
        .int()
        .min(1)
        .max(30 * DAY_SECONDS)
        .optional(),
      default_answer: z.string().max(10_000).optional().describe("Used at the deadline"),
    })
    .refine(({ deadline_seconds, default_answer }) => default_answer === undefined || deadline_seconds !== undefined, {
      path: ["default_answer"],
      message: "a default answer needs deadline_seconds",
    })
    .refine(
      ({ wait_for_answer, choices, deadline_seconds }) =>
        wait_for_answer || (choices === undefined && deadline_seconds === undefined),
      { path: ["wait_for_answer"], message: "choices and a deadline need wait_for_answer" },
    ),
  output: z.union([
    z.object({ answer: z.string(), answered_by: z.string() }),
    z.object({ answer: z.string().nullable(), expired: z.literal(true) }),
    z.object({ delivered: z.literal(true), person: z.string().nullable() }),
  ]),
  async run(given, { people }) {
    const found = given.human_name === undefined ? null : await people.find(given.human_name);
    if (found?.ok === false) return failWith({ ...found.error, field: "human_name" });
    const { id = null, name = null } = found?.value ?? {};
    return control({
      kind: "ask",
      query: given.query,
      person: name,
      ...(id === null ? {} : { personId: id }),
      choices: given.choices ?? null,
      wait: given.wait_for_answer,
      deadlineSeconds: given.deadline_seconds ?? null,
      defaultAnswer: given.default_answer ?? null,
    });
  },
  show(result) {
    if ("delivered" in result) return "The message was delivered.";
    return result.answer ?? "Nobody answered in time.";
  },
  examples: [
    { note: "a question with choices", given: { query: "Which region first?", choices: ["North", "South"] } },
    { note: "a note without waiting", given: { query: "The import is half done.", wait_for_answer: false } },
  ],
});
