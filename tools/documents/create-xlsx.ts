import { z } from "zod";
import { aboutFields, markdownText, sheetsSchema } from "../../core/documents/make.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { defineTool, failure } from "../define-tool.ts";
import { MADE_ALIASES, MAKE_TIMEOUT_MS, madeFile, madePath, makeFile, showMade } from "./made-file.ts";

export default defineTool({
  name: "create_xlsx",
  summary:
    'Make an Excel workbook from sheets as data, or from the tables of Markdown. Give sheets or content. A formula is {formula: "=SUM(B2:B9)"}, a date {date: "2026-01-31"}.',
  toolbox: "documents",
  category: "documents",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files", "documents"],
  refersTo: { path: "write" },
  aliases: MADE_ALIASES,
  timeoutMs: MAKE_TIMEOUT_MS,
  disabled: (rules) => (rules.allowWrite ? null : WRITE_DISABLED),
  input: z.object({
    path: madePath,
    sheets: sheetsSchema.optional(),
    content: markdownText.optional().describe("Markdown: each of its tables becomes a sheet"),
    ...aboutFields,
  }),
  output: madeFile,
  async run({ path, sheets, content: markdown, ...words }, context) {
    const content = sheets === undefined ? { markdown: markdown ?? "" } : { sheets };
    if ((sheets === undefined) === (markdown === undefined))
      return failure("invalid_input", "content: give sheets or content, one of the two", { field: "content" });
    const field = sheets === undefined ? "content" : "sheets";
    return await makeFile({ path, document: { format: "xlsx", content, ...words }, field }, context);
  },
  show: showMade,
  examples: [
    {
      note: "sales with a sum",
      given: {
        path: "sales.xlsx",
        sheets: [
          {
            name: "Sales",
            columns: [{ header: "City" }, { header: "Amount", format: "#,##0.00" }],
            rows: [
              ["Oslo", 1200.5],
              ["Lima", 800],
              ["Total", { formula: "=SUM(B2:B3)", bold: true }],
            ],
          },
        ],
      },
    },
  ],
});
