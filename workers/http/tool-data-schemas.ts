/** The data of a `tool-data` event: the result of a call by its type. Fields of items are absent when the result lacks them. */
import { z } from "zod";
import { DETECTED_TYPES } from "../../core/results/detect-type.ts";

const text = z.string().optional();
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const table = z.looseObject({ columns: z.array(z.string()), rows: z.array(z.array(cell)) }).optional();
const list = <Shape extends z.ZodRawShape>(shape: Shape) => z.array(z.looseObject(shape)).optional();

export const toolDataFields = {
  detected_type: z.enum(DETECTED_TYPES).describe("The field with the data has the same name."),
  count: z.int().describe("All results, or all rows of a table."),
  documents: list({ id: text, title: text, url: text, author: text, date: text, text }),
  code_snippets: list({ path: text, language: text, url: text, code: z.string() }),
  database_results: table,
  terminal_output: list({ stdout: z.string(), stderr: z.string(), exit_code: z.number().nullable() }),
  emails: list({ id: text, thread_id: text, from: text, to: text, subject: text, date: text, text }),
  table_data: table,
  files: list({
    id: text,
    name: z.string(),
    url: text,
    content_type: text,
    size: z.int().optional(),
    modified: text,
    path: text.describe("Where the call saved it in the task's sandbox."),
  }),
  events: list({ id: text, title: text, start: text, end: text, location: text, people: text, url: text }),
  ledger: z
    .string()
    .optional()
    .describe("Present if the data was cut to 32 KB: the call whose row of the ledger has the result."),
};
