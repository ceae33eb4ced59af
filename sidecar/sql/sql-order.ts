/** The order of the job kind `sql`. */
import { z } from "zod";
import { MAX_ROWS, MAX_TIMEOUT_S } from "../../core/databases/limits.ts";

const names = z.array(z.string().max(400)).max(1_000).readonly();

const place = {
  dsn: z.string().max(2_000),
  tls: z.enum(["require", "off"]),
  lists: z.strictObject({
    schemas: names.optional(),
    tables: z.strictObject({ allow: names.optional(), deny: names.optional() }).optional(),
    columns: z.strictObject({ deny: names.optional() }).optional(),
    functions: names.optional(),
  }),
  timeout_ms: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_S * 1_000),
};

export const sqlOrderSchema = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("check"), ...place }),
  z.strictObject({ action: z.literal("facts"), ...place, samples: z.boolean() }),
  z.strictObject({
    action: z.literal("query"),
    ...place,
    sql: z.string().max(100_000),
    max_rows: z.int().min(1).max(MAX_ROWS),
  }),
]);

export type SqlOrder = z.infer<typeof sqlOrderSchema>;
export type FactsOrder = Extract<SqlOrder, { action: "facts" }>;
export type QueryOrder = Extract<SqlOrder, { action: "query" }>;
