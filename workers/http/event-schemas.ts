/**
 * The events of a task in the log, the stream and webhooks: one schema for each type. The data is open, because a
 * later release may add fields. Optional fields are absent in some events of the type, or in events of an earlier
 * release.
 */
import { z } from "zod";
import { CONNECT_REASONS } from "../../core/connections/account.ts";
import { NOTICE_TYPES } from "../../core/task/notice.ts";
import { EVENT_TYPES, type EventType } from "../../core/task/events.ts";
import { LABEL_NAMES } from "../../core/provenance/label.ts";
import { TASK_STATUSES } from "../../core/task/status.ts";
import { accountSchema, approvedFiles, decidesSchema, pendingSchema } from "./pending-schemas.ts";
import { toolDataFields } from "./tool-data-schemas.ts";
import { outputSchema, ownUsageSchema, skillInForceSchema, taskLine, taskSchema } from "./schemas.ts";

const time = z.iso.datetime();
const common = { task_id: z.string(), at: time };
const step = { step: z.int() };
const call = { call_id: z.string(), tool: z.string() };
const label = { label: z.enum(LABEL_NAMES).optional() };
const account = {
  account: accountSchema.optional().describe("The account that the call uses. Absent for a tool without an account."),
};
const question = { query: z.string(), person: z.string().nullable(), person_id: z.string().optional() };
const subtask = { call_id: z.string(), subtask_id: z.string() };
const status = { status: z.enum(TASK_STATUSES) };
const approved = { arguments_hash: z.string(), approved_hash: z.string().optional(), files: approvedFiles.optional() };
const decided = {
  by: z.string(),
  by_person_id: z.string().nullable().optional().describe("Null without a record of the person."),
};
const decides = {
  decides: decidesSchema.optional().describe("Who decides. Absent for everyone who may approve."),
};
const fault = z.looseObject({ code: z.string(), message: z.string() });
const ended = {
  ...status,
  reason: taskSchema.shape.reason,
  output: outputSchema.nullable(),
  error: fault.nullable(),
  closed: z
    .array(z.looseObject({ kind: z.enum(["question", "approval", "connection"]), id: z.string() }))
    .optional()
    .describe("The questions, approvals and waits for an account that were open at the end."),
};

/** The fields of an event's data by its type, without `task_id` and `at`, which all have. */
const DATA = {
  "task.created": {
    agent: z.looseObject({ id: z.string(), version: z.int() }),
    input: taskSchema.shape.input,
    ...label,
    project: z.string().nullable(),
    parent_id: z.string().optional(),
    skills: z.array(skillInForceSchema).optional(),
  },
  "task.started": {},
  "step.started": { ...step, attempt: z.int(), final: z.boolean().optional(), model: z.string().optional() },
  "step.completed": step,
  "message.delta": { ...step, attempt: z.int(), text: z.string() },
  "message.completed": {
    role: z.enum(["user", "assistant"]),
    text: z.string(),
    ...label,
    step: z.int().optional(),
    attempt: z.int().optional(),
    model: z.string().nullable().optional(),
    input_tokens: z.int().optional(),
    output_tokens: z.int().optional(),
    cost_usd: z.number().optional(),
    by: z
      .looseObject({ person_id: z.string().nullable(), name: z.string() })
      .nullable()
      .optional()
      .describe("The author of a message to the task; null if unknown."),
  },
  "call.started": { ...step, ...call, arguments: z.unknown().optional(), effect: z.string(), ...label, ...account },
  "call.completed": {
    ...step,
    ...call,
    ok: z.boolean(),
    state: z.string(),
    ...label,
    result: z.unknown().optional(),
    error: fault.optional(),
    duration_ms: z.number(),
    ...account,
  },
  "call.unknown": { ...step, ...call, ...account },
  "tool-data": { ...step, ...call, ...label, ...account, ...toolDataFields },
  "question.asked": {
    step: z.int().optional(),
    call_id: z.string(),
    question_id: z.string().nullable().describe("Null if it needs no answer."),
    choices: z.array(z.string()).nullable(),
    ...question,
    wait: z.boolean(),
    expires_at: time.nullable(),
  },
  "question.answered": {
    question_id: z.string(),
    call_id: z.string(),
    ...question,
    answer: z.string(),
    ...decided,
  },
  "question.expired": {
    question_id: z.string(),
    call_id: z.string(),
    ...question,
    answer: z.string().nullable().describe("The default answer."),
  },
  "approval.requested": {
    ...step,
    ...call,
    approval_id: z.string(),
    arguments: z.unknown().optional(),
    ...approved,
    reason: z.string(),
    expires_at: time.nullable(),
    ...decides,
    ...account,
  },
  "approval.decided": {
    approval_id: z.string(),
    ...call,
    decision: z.enum(["approve", "refuse"]),
    reason: z.string().nullable(),
    ...decided,
    ...approved,
    ...decides,
    arguments: z.unknown().optional().describe("The arguments with which the person replaced the model's."),
  },
  "approval.expired": { approval_id: z.string(), ...call, ...decides },
  "connection.requested": {
    ...step,
    ...call,
    wait_id: z.string().describe("The id in `pending`, `cnw_…`."),
    app: z.string(),
    reason: z.enum(CONNECT_REASONS),
    person_id: z.string().nullable().describe("The person who has to connect; null for a shared account."),
    why: z
      .string()
      .optional()
      .describe("What the task needs it for, in its model's words; of request_connection alone."),
    expires_at: time,
  },
  "connection.ready": { wait_id: z.string(), call_id: z.string(), app: z.string(), account: accountSchema },
  "subtask.created": { ...step, ...subtask },
  "subtask.ended": { ...subtask, ...status, ok: z.boolean() },
  "skill.loaded": { ...step, call_id: z.string(), skill: skillInForceSchema },
  "file.attached": {
    path: z.string(),
    size: z.int(),
    content_type: z.string(),
    sha256: z.string().optional(),
  },
  "budget.warning": {
    account: z.string().describe("`task`, or an account above it."),
    kind: z.string(),
    used: z.number(),
    limit: z.number(),
  },
  "task.waiting": {
    ...status,
    pending: z.array(pendingSchema),
    subtask_id: z.string().optional().describe("The subtask that has this `pending`."),
    error: fault.optional().describe("Why the task sleeps."),
    until: time.optional(),
  },
  "task.resumed": status,
  "task.completed": ended,
  "task.failed": ended,
  "task.cancelled": ended,
} satisfies Record<EventType, z.ZodRawShape>;

/** Converts `task.created` to `TaskCreated`. */
function toName(type: string): string {
  return type.replace(/(?:^|[.-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const eventSchemas = EVENT_TYPES.map((type) =>
  z
    .strictObject({ seq: z.int(), type: z.literal(type), data: z.looseObject({ ...common, ...DATA[type] }) })
    .meta({ id: `${toName(type)}Event` }),
);

/** An event of a task's log. */
const taskEventSchema = z
  .discriminatedUnion("type", eventSchemas as [(typeof eventSchemas)[number], ...typeof eventSchemas])
  .meta({ id: "TaskEvent" });

/** The data of `task.changed`. The OpenAPI document lists it, although a stream's content refers to no schema. */
export const taskChangeSchema = z
  .strictObject({
    task_id: z.string(),
    parent_id: z.string().nullable(),
    root_id: z.string().nullable().describe("The root of its tree: itself if it has no parent. Null if erased."),
    status: z.enum([...TASK_STATUSES, "erased"]),
    version: z
      .int()
      .nullable()
      .describe("Increases with each change; ignore a lower version than you have seen. Null if erased."),
    at: z.iso.datetime(),
    hidden: z.boolean().describe("True for a tool call over the API, which no list of tasks contains."),
    pending: z.int().describe("How many questions and approvals of the task itself wait for a person."),
    task: z.strictObject({ ...taskLine, usage: ownUsageSchema }).nullable(),
  })
  .meta({ id: "TaskChange" });

export const eventPageSchema = z
  .strictObject({
    data: z.array(taskEventSchema),
    next_cursor: z.string().nullable().describe("Send it as `after` to read the next page; null at the end."),
    last: z.int().describe("The last sequence number of this page."),
    done: z.boolean().describe("True if no later event will follow this page."),
  })
  .meta({ id: "EventPage" });

/** The payload of a webhook, by type. If the body would be too large, fields are left out and listed. */
const deliveredTask = taskSchema.partial({ input: true, output: true }).meta({ id: "DeliveredTask" });
const leftOutSchema = z
  .array(z.string())
  .optional()
  .describe("The fields that were left out of a large body. Fetch the task to read them.");

function createWebhookSchema<Data extends z.ZodType>(type: string, data: Data) {
  const body = z.strictObject({ type: z.literal(type), timestamp: time, data }).meta({ id: `${toName(type)}Webhook` });
  return [type, body] as const;
}

export const webhookSchemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ...NOTICE_TYPES.map((type) => {
    const { input: _, output: __, arguments: ___, ...fields } = DATA[type] as z.ZodRawShape;
    const data = z.looseObject(fields).partial();
    return createWebhookSchema(
      type,
      data.extend({ task_id: z.string(), task: deliveredTask.optional(), left_out: leftOutSchema }),
    );
  }),
  createWebhookSchema("webhook.test", z.strictObject({ endpoint_id: z.string() })),
  ...["delivery.result", "delivery.notification"].map((type) =>
    createWebhookSchema(
      type,
      z.looseObject({
        task_id: z.string().nullable(),
        title: z.string().nullable(),
        text: z.string(),
        files: z.array(z.looseObject({ path: z.string() })),
        left_out: leftOutSchema,
      }),
    ),
  ),
]);
