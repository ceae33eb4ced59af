/** Facts about the schema of a database: what its lists open and its role may read. Names are written as a query writes them. */
import { z } from "zod";

const columnSchema = z.object({
  name: z.string(),
  type: z.string(),
  comment: z.string().nullable(),
  /** The labels of an enumeration, or the distinct values of a short text column. Null: unknown or too many. */
  values: z.array(z.string()).nullable(),
});

const tableSchema = z.object({
  /** With its schema, unless that is the first of the search path. */
  name: z.string(),
  kind: z.enum(["table", "view"]),
  comment: z.string().nullable(),
  columns: z.array(columnSchema),
  primary_key: z.array(z.string()),
  /** Foreign keys: `columns` refer to the columns `to` of the table, in this order. */
  references: z.array(z.object({ columns: z.array(z.string()), table: z.string(), to: z.array(z.string()) })),
});

/** `truncated`: the database has more tables. */
export const schemaFactsSchema = z.object({ tables: z.array(tableSchema), truncated: z.boolean() });

export type TableFacts = z.infer<typeof tableSchema>;
export type SchemaFacts = z.infer<typeof schemaFactsSchema>;
