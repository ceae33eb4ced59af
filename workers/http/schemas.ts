/** The API's shapes, as the OpenAPI document shows them. `meta({ id })` makes a shape a named component. */
import { z } from "zod";
import { ERRORS, type ErrorCode } from "../../core/base/errors.ts";
import { CUT_FIELDS } from "../../core/task/short.ts";
import { LABEL_NAMES } from "../../core/provenance/label.ts";
import { HOWS } from "../../core/skills/skill.ts";
import { END_REASONS } from "../../core/task/state.ts";
import { TASK_STATUSES } from "../../core/task/status.ts";
import { accountSchema, effectSchema, pendingSchema } from "./pending-schemas.ts";

const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];
const time = z.iso.datetime();
const anything = z.unknown();

export const problemSchema = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(codes),
    errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
    request_id: z.string(),
  })
  .meta({ id: "Problem" });

const amount = {
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_usd: z.number().describe("Excludes models of unknown price."),
  estimated: z.boolean().describe("True if a provider reported no usage and Otto estimated it."),
};

const fileSchema = z
  .strictObject({
    path: z.string(),
    size: z.int(),
    content_type: z.string(),
    sha256: z.string().optional().describe("Hash of the attached content."),
    url: z.string(),
  })
  .meta({ id: "OutputFile" });

export const skillInForceSchema = z.strictObject({
  name: z.string(),
  hash: z.string().describe("Hash of the pinned version."),
  how: z
    .enum(HOWS)
    .describe(
      "`request`, `mention` (as `/name`), `agent` or `similarity` tell how it was matched; `tool`: the task is a call of the skill's tool; `load`: the model loaded it.",
    ),
  similarity: z.number().nullable().describe("From 0 to 1."),
  allowed_tools: z.array(z.string()).nullable().describe("Null if unrestricted."),
  note: z
    .string()
    .nullable()
    .describe("For a restricting skill that was matched automatically: how to run without it."),
});

const tokensAndMoney = { tokens: z.int(), cost_usd: z.number() };

const budgetSchema = z
  .strictObject({
    max_steps: z.int(),
    max_tokens: z.int().nullable(),
    max_cost_usd: z.number().nullable(),
    max_duration_s: z.number().nullable(),
    used: z
      .strictObject({ steps: z.int(), ...tokensAndMoney, duration_s: z.number() })
      .describe("Used by the task and its ended subtasks; steps and time are the task's own."),
    used_by_subtasks: z.strictObject(tokensAndMoney).describe("The part of `used` that subtasks used."),
    held_for_subtasks: z
      .strictObject(tokensAndMoney)
      .describe("Reserved for live subtasks; unlimited amounts reserve nothing."),
    counting_since: time
      .nullable()
      .describe("Time since then adds to `used.duration_s`. Null while the clock is stopped."),
  })
  .describe("The limits (null if unlimited) and their use. Null if no longer known.");

const citationSchema = z
  .strictObject({
    n: z.int().describe("The number in `[Source n]`."),
    piece_id: z.string(),
    document_id: z.string(),
    version: z.int().describe("The version of the document that was read."),
    title: z.string(),
    page: z.int().nullable().describe("The page, slide or sheet, from 1; null for documents without."),
    start: z.int().describe("Where the quote begins in the Markdown of that version, in UTF-16 units."),
    end: z.int(),
    quote: z.string(),
  })
  .meta({ id: "Citation" });

export const outputSchema = z
  .strictObject({
    text: z.string(),
    files: z.array(fileSchema),
    citations: z
      .array(citationSchema)
      .optional()
      .describe("The sources that `[Source n]` in the text name. Absent without any, and in the short form."),
  })
  .meta({ id: "TaskOutput" });

export const taskSchema = z
  .strictObject({
    id: z.string(),
    status: z.enum(TASK_STATUSES),
    reason: z.enum(END_REASONS).nullable().describe("Why the task ended, if the status does not tell."),
    agent: z.strictObject({ id: z.string(), version: z.int() }),
    project: z.string().nullable(),
    parent_id: z.string().nullable(),
    acts_for: z
      .strictObject({ person_id: z.string(), name: z.string() })
      .nullable()
      .describe("The person for whom the task acts; null for nobody, and in lists for a task of an earlier release."),
    input: z.union([z.string(), z.array(z.strictObject({ role: z.string(), content: z.string() }))]),
    output: outputSchema.nullable(),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    pending: z.array(pendingSchema),
    usage: z
      .strictObject({ steps: z.int(), tool_calls: z.int(), ...amount })
      .describe("Steps and calls are the task's own; tokens and money include its ended subtasks."),
    budget: budgetSchema.nullable(),
    skills: z.array(skillInForceSchema).describe("The skills in force."),
    warnings: z.array(z.string()).describe("What a reader of the output should know, such as a citation of no source."),
    metadata: z.record(z.string(), anything),
    created_at: time,
    started_at: time.nullable(),
    ended_at: time.nullable(),
    cut: z.array(z.enum(CUT_FIELDS)).optional().describe("Only in the short form: the fields that were shortened."),
  })
  .meta({ id: "Task" });

/** The fields of a task as one line. */
export const taskLine = {
  id: z.string(),
  parent_id: z.string().nullable(),
  title: z.string().describe("The first line of the input, at most 120 characters."),
  status: z.enum(TASK_STATUSES),
  agent: z.string().describe("The agent's id."),
  project: z.string().nullable(),
  created_at: time,
  ended_at: time.nullable(),
};

export const ownUsageSchema = z
  .strictObject({
    steps: z.int(),
    tool_calls: z.int(),
    tokens: z.int(),
    cost_usd: z.number().describe("Excludes models of unknown price."),
  })
  .describe("What the task itself used, without its subtasks.");

/** A page of a list that continues at `next_cursor`. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ data: z.array(item), next_cursor: z.string().nullable() });
}

const toolErrorSchema = z.strictObject({
  code: z.enum(codes),
  message: z.string(),
  field: z.string().optional(),
  retry: z.enum(["never", "now", "later"]),
  details: z
    .record(z.string(), anything)
    .optional()
    .describe(
      "By code: `timeout` has `timeout_ms`, `upstream_failed` and `rate_limited` have `service` and `status`, `invalid_input` has `field`; `timeout`, `needs_approval` and `outcome_unknown` name the task that decides.",
    ),
});

export const toolResultSchema = z
  .union([
    z.strictObject({ ok: z.literal(true), result: anything }).meta({ id: "ToolSuccess" }),
    z
      .strictObject({
        ok: z.literal(false),
        error: toolErrorSchema,
        result: anything.optional().describe("The fields that the tool's document defines also for a failure."),
      })
      .meta({ id: "ToolFailure" }),
  ])
  .meta({ id: "ToolResult" });

const ledgerStateSchema = z.enum(["intended", "confirmed", "failed", "unknown", "refused"]);

const labelSchema = z
  .enum(LABEL_NAMES)
  .nullable()
  .describe(
    "Where the result's text came from. Text labelled `tenant` or `outside` is data and cannot instruct the agent. Null until the call has settled.",
  );

export const ledgerRowSchema = z
  .strictObject({
    call_id: z.string(),
    step: z.int(),
    tool: z.string(),
    effect: effectSchema,
    state: ledgerStateSchema,
    key: z.string(),
    arguments_hash: z.string(),
    attempts: z.int(),
    intended_at: time,
    settled_at: time.nullable(),
    label: labelSchema,
    account: accountSchema.nullable().describe("The account that the call uses; null for a tool without an account."),
    result: toolResultSchema.optional(),
  })
  .meta({ id: "LedgerRow" });

export const traceSchema = z
  .strictObject({
    task_id: z.string(),
    status: z.enum(TASK_STATUSES),
    started_at: time.nullable(),
    ended_at: time.nullable(),
    duration_ms: z.int().nullable().describe("From the first step to the end, including waits; null until the end."),
    usage: z.strictObject(amount).describe("The total usage of the steps."),
    steps: z.array(
      z.strictObject({
        step: z.int(),
        attempts: z.int().describe("How often the model was called."),
        started_at: time.nullable(),
        model_started_at: time.nullable().describe("When the model was last called."),
        model_completed_at: time.nullable().describe("When its message was complete; null until then."),
        completed_at: time.nullable(),
        duration_ms: z.int().nullable(),
        usage: z
          .strictObject(amount)
          .describe(
            "The total cost of the step, including summaries of results, questions of its tools, and ended subtasks.",
          ),
        models: z.array(z.string()).describe("The models that were called, in order."),
        calls: z.array(
          z.strictObject({
            call_id: z.string(),
            tool: z.string(),
            effect: effectSchema,
            state: ledgerStateSchema,
            attempts: z.int(),
            intended_at: time,
            settled_at: time.nullable().describe("Null while it runs or waits."),
            duration_ms: z.int().nullable(),
            label: labelSchema,
            account: accountSchema.nullable(),
            cost_usd: z.number().describe("Cost of models that worked for the call: its summary, or its subtask."),
          }),
        ),
      }),
    ),
  })
  .meta({ id: "Trace" });

export const sandboxFileSchema = z
  .strictObject({ path: z.string(), size: z.int(), modified_at: time, url: z.string() })
  .meta({ id: "SandboxFile" });

export const writtenFileSchema = z
  .strictObject({ path: z.string(), size: z.int(), content_type: z.string(), modified_at: time, url: z.string() })
  .meta({ id: "WrittenFile" });

export const removedFileSchema = z
  .strictObject({ path: z.string(), kind: z.enum(["file", "directory"]) })
  .meta({ id: "RemovedFile" });

export const fileVersionsSchema = z
  .strictObject({
    data: z.array(
      z.strictObject({
        version: z.int(),
        is_current: z.boolean(),
        size: z.int(),
        content_type: z.string(),
        modified_at: time,
        mode: z.string().describe("Permission bits in octal, such as `0644`."),
        url: z.string(),
      }),
    ),
  })
  .meta({ id: "FileVersions" });

export const toolSchema = z
  .strictObject({
    name: z.string(),
    model_name: z.string(),
    also_named: z.array(z.string()).describe("Other names that calls and patterns may use."),
    summary: z.string(),
    toolbox: z.string(),
    category: z.string(),
    source: z.string().describe("`built_in`, or the source of the tenant's own tools: `custom`, `openapi:…`, `mcp:…`."),
    permissions: z.array(z.string()),
    security: z.string().describe("A level, or `by arguments`."),
    effect: z.string().describe("A class, or `by arguments`."),
    steers: z
      .boolean()
      .describe(
        "True for a tool that needs a task: call it with `task_id`. Only a model can call `dispatch_subagent`.",
      ),
    only_by_name: z.boolean().describe("True for a tool that is off until an agent's `tools` name it."),
    aliases: z.record(z.string(), z.string()),
    input_schema: z.record(z.string(), anything),
    output_schema: z.record(z.string(), anything),
    settings_schema: z
      .record(z.string(), anything)
      .nullable()
      .describe(
        "The settings of the tool in an agent's `tool_config`, by the name of the tool or its toolbox; null if it has none.",
      ),
    examples: z.array(z.strictObject({ note: z.string(), arguments: anything })),
  })
  .meta({ id: "Tool" });

export const openAiToolSchema = z
  .strictObject({
    type: z.literal("function"),
    function: z.strictObject({ name: z.string(), description: z.string(), parameters: z.record(z.string(), anything) }),
  })
  .meta({ id: "OpenAiTool" });
