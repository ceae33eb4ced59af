/**
 * A database of a tenant: who may use it, and what its queries may read and call. Limits: 50 databases a tenant; 500 entries in a list of
 * tables, columns or functions.
 */
import { z } from "zod";
import { hasList, NO_LIST, userListsChangeShape, userListsShape } from "../base/user-lists.ts";
import { parseDsn } from "./dsn.ts";
import { DEFAULT_ROWS, DEFAULT_TIMEOUT_S, MAX_ROWS, MAX_TIMEOUT_S } from "./limits.ts";

const MAX_NAMES = 500;
const MAX_NAME_CHARACTERS = 200;

export const databaseNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, "1 to 64 letters, digits, _ and -, the first one a letter or a digit");

const dsnSchema = z
  .string()
  .superRefine((text, context) => {
    const parsed = parseDsn(text);
    if (!parsed.ok) context.addIssue({ code: "custom", message: parsed.error.message });
  })
  .describe("`postgres://user:password@host:port/database`, without parameters. Sealed at once and never returned.");

const names = z.array(z.string().min(1).max(MAX_NAME_CHARACTERS)).max(MAX_NAMES);

const settingFields = {
  tls: z.enum(["require", "off"]).describe("`off` only for hosts that OTTO_EGRESS_ALLOW opens."),
  schemas: names
    .optional()
    .describe("The schemas whose tables may be read, in the order in which a name is looked up."),
  tables: z
    .strictObject({ allow: names.optional(), deny: names.optional() })
    .optional()
    .describe("Each is `table`, `schema.table` or `schema.*`."),
  columns: z
    .strictObject({ deny: names.optional() })
    .optional()
    .describe("Each is `column`, `table.column` or `schema.table.column`."),
  functions: names.optional().describe("Functions of the database's own that queries may call, as `schema.function`."),
  samples: z
    .boolean()
    .optional()
    .describe(
      "Lets questions in plain language see up to 20 distinct values of each short text column of small tables. Default: false.",
    ),
  max_rows: z.int().min(1).max(MAX_ROWS),
  timeout_s: z.int().min(1).max(MAX_TIMEOUT_S),
  accept_writing_role: z.boolean().describe("Lets a role pass the check although it may write."),
};

/** The stored settings of a database. */
export const databaseSettingsSchema = z.strictObject(settingFields);
export type DatabaseSettings = z.infer<typeof databaseSettingsSchema>;

/** The body that adds a database. */
export const newDatabaseSchema = z
  .strictObject({
    name: databaseNameSchema,
    kind: z.enum(["postgres"]),
    dsn: dsnSchema,
    ...userListsShape,
    ...settingFields,
    tls: settingFields.tls.default("require"),
    max_rows: settingFields.max_rows.default(DEFAULT_ROWS),
    timeout_s: settingFields.timeout_s.default(DEFAULT_TIMEOUT_S),
    accept_writing_role: settingFields.accept_writing_role.default(false),
  })
  .refine(hasList, { message: NO_LIST, path: ["agents"] });

/** The body that changes a database. An omitted field stays. */
export const databaseChangeSchema = z.strictObject({
  dsn: dsnSchema.optional(),
  ...userListsChangeShape,
  ...z.strictObject(settingFields).partial().shape,
  schemas: names.nullable().optional().describe("Null: every schema that is not the system's."),
});

/** The state of the latest check. Only a `ready` database can be queried. */
export const DATABASE_STATUSES = ["unchecked", "ready", "rejected"] as const;
export type DatabaseStatus = (typeof DATABASE_STATUSES)[number];

/** What a check found. `grants`: what the role may do besides reading, in words. */
export const databaseCheckSchema = z.strictObject({
  role: z.string(),
  server: z.string(),
  grants: z.array(z.string()),
  tables: z.array(z.string()).describe("The first 200 tables that queries may read."),
});
export type DatabaseCheck = z.infer<typeof databaseCheckSchema>;

/** A role that may write is rejected unless the settings accept it. */
export function judgeCheck({ grants }: DatabaseCheck, settings: DatabaseSettings): DatabaseStatus {
  return grants.length === 0 || settings.accept_writing_role ? "ready" : "rejected";
}
