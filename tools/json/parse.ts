import { z } from "zod";
import { judgeBySchema } from "../../core/lib/json-schema/judge.ts";
import { showJson } from "../../core/gateway/show-json.ts";
import { findPosition } from "../../core/base/text-position.ts";
import { defineTool, failure, failWith } from "../define-tool.ts";
import { findJsonMistake } from "./json-mistake.ts";

const MAX_CHARACTERS = 1_000_000;

export default defineTool({
  name: "json.parse",
  summary: "Parse JSON, and check it by a JSON Schema; every place that does not fit is named.",
  toolbox: "data",
  category: "developer",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["patterns"],
  input: z.object({
    json: z.string().max(MAX_CHARACTERS).describe("The text"),
    schema: z
      .union([z.boolean(), z.record(z.string(), z.unknown())])
      .optional()
      .describe("JSON Schema, drafts 4 to 2020-12; $ref leads inside it only, patterns are RE2's"),
  }),
  output: z.unknown(),
  async run({ json, schema }, { patterns, giveWay }) {
    const text = json.replace(/^\ufeff/, "");
    const mistake = findJsonMistake(text);
    if (mistake !== null) {
      const { line, column } = findPosition(text, mistake.offset);
      return failure("invalid_input", `The JSON cannot be read. Line ${line}, column ${column}: ${mistake.message}.`, {
        field: "json",
      });
    }
    const value: unknown = JSON.parse(text);
    if (schema === undefined) return value;
    const judged = await judgeBySchema(value, schema, { patterns, giveWay, field: "json" });
    return judged.ok ? judged.value : failWith(judged.error);
  },
  show: showJson,
  examples: [
    { note: "an object", given: { json: '{"name": "Otto", "version": "0.1.0"}' } },
    {
      note: "with a schema",
      given: {
        json: '{"port": 8080}',
        schema: { type: "object", required: ["port"], properties: { port: { type: "integer", maximum: 65_535 } } },
      },
    },
  ],
});
