/** What a task waits for from people, and the account of a call, as the OpenAPI document shows them. */
import { EFFECT_CLASSES } from "../../core/tool/tool.ts";
import { z } from "zod";
import { ACCOUNT_PROVIDERS, CONNECT_REASONS } from "../../core/connections/account.ts";

const time = z.iso.datetime();
const anything = z.unknown();

const subtaskId = z
  .string()
  .optional()
  .describe("The subtask that asks, if it is not this task. Decide it there, or at any task above.");

export const approvedFiles = z.array(
  z
    .strictObject({
      path: z.string().describe("A directory ends in `/`; `./` is everything that the agent can see."),
      size: z.int(),
      sha256: z.string().describe("Hash of the content; for a directory, of the paths and hashes of its files."),
      file_count: z.int().optional().describe("Number of files in a directory."),
    })
    .meta({ id: "ApprovedFile" }),
);

/** The owner of the account that a call uses. */
export const decidesSchema = z.strictObject({
  person_id: z.string(),
  name: z.string(),
  delegates: z.boolean().describe("True if others who may approve decide too."),
});

/** The account through which a call acts. */
export const accountSchema = z
  .strictObject({
    connection: z.string(),
    app: z.string(),
    provider: z.enum(ACCOUNT_PROVIDERS),
    owner: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("person"), id: z.string(), name: z.string() }).meta({ id: "PersonOwner" }),
      z.strictObject({ kind: z.literal("shared") }).meta({ id: "SharedOwner" }),
    ]),
    label: z.string().nullable().describe("How the app names the account; null if it did not say."),
  })
  .meta({ id: "CallAccount" });

export const effectSchema = z.enum(EFFECT_CLASSES);

export const pendingSchema = z.discriminatedUnion("kind", [
  z
    .strictObject({
      kind: z.literal("question"),
      id: z.string(),
      query: z.string(),
      choices: z.array(z.string()).nullable(),
      person: z.string().nullable(),
      person_id: z.string().optional().describe("The person's id. Absent without a record of the person."),
      expires_at: time.nullable(),
      task_id: subtaskId,
    })
    .meta({ id: "PendingQuestion" }),
  z
    .strictObject({
      kind: z.literal("approval"),
      id: z.string(),
      call_id: z.string(),
      tool: z.string(),
      arguments: anything.optional().describe("Null in the short form."),
      arguments_hash: z.string(),
      approved_hash: z
        .string()
        .optional()
        .describe(
          "Hash of what is approved: SHA-256 over `arguments_hash` and the paths and hashes of `files`; without files it equals `arguments_hash`. Absent from a task of an earlier release.",
        ),
      reason: z.string(),
      effect: effectSchema
        .optional()
        .describe("What a repeat of the call would do. Absent from a task of an earlier release."),
      expires_at: time.nullable(),
      decides: decidesSchema.nullable().optional().describe("Who decides; null for everyone who may approve."),
      account: accountSchema
        .optional()
        .describe("The account that the call uses. Absent for a tool without an account."),
      files: approvedFiles
        .optional()
        .describe(
          "The files that the call names or passes to a program. The approval covers this content; other content needs a new approval.",
        ),
      task_id: subtaskId,
    })
    .meta({ id: "PendingApproval" }),
  z
    .strictObject({
      kind: z.literal("connection"),
      id: z.string(),
      call_id: z.string(),
      tool: z.string(),
      app: z.string(),
      reason: z
        .enum(CONNECT_REASONS)
        .describe(
          "`missing`: no account; `expired`, `revoked`: connect it again; `scopes`: the call needs more rights; `unattended`: its owner has to allow its use by tasks that no person started.",
        ),
      person_id: z.string().nullable().describe("The person who has to connect; null for a shared account."),
      why: z
        .string()
        .optional()
        .describe("What the task needs it for, in its model's words; of request_connection alone."),
      connect_url: z
        .string()
        .nullable()
        .describe(
          "The page to connect at; of an MCP server with one authorization, its page in the console. Null for everyone who may not connect.",
        ),
      expires_at: time,
      task_id: subtaskId,
    })
    .meta({ id: "PendingConnection" }),
  z
    .strictObject({
      kind: z.literal("unknown"),
      call_id: z.string(),
      tool: z.string(),
      arguments: anything.optional().describe("Null in the short form."),
      task_id: subtaskId,
    })
    .meta({ id: "PendingUnknown" }),
]);
