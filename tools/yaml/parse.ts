import { z } from "zod";
import { judgeBySchema } from "../../core/lib/json-schema/judge.ts";
import { showJson } from "../../core/gateway/show-json.ts";
import { defineTool, failWith } from "../define-tool.ts";
import { readYaml } from "./read-yaml.ts";

const MAX_CHARACTERS = 200_000;
/** The parser needs some six microseconds for each. */
const MAX_TOKENS = 15_000;

export default defineTool({
  name: "yaml.parse",
  summary: "Parse YAML, and check it by a JSON Schema; every place that does not fit is named.",
  toolbox: "data",
  category: "developer",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["patterns"],
  input: z.object({
    yaml: z.string().max(MAX_CHARACTERS).describe("The text"),
    schema: z
      .union([z.boolean(), z.record(z.string(), z.unknown())])
      .optional()
      .describe("JSON Schema, drafts 4 to 2020-12; $ref leads inside it only, patterns are RE2's"),
  }),
  output: z.unknown(),
  async run({ yaml, schema }, { patterns, giveWay }) {
    const read = await readYaml(yaml, MAX_TOKENS, giveWay);
    if (!read.ok) return failWith({ ...read.error, field: "yaml" });
    if (schema === undefined) return read.value;
    const judged = await judgeBySchema(read.value, schema, { patterns, giveWay, field: "yaml" });
    return judged.ok ? judged.value : failWith(judged.error);
  },
  show: showJson,
  examples: [
    { note: "a mapping", given: { yaml: "name: Otto\ntools:\n  - read_file\n  - wait\n" } },
    {
      note: "with a schema",
      given: { yaml: "port: 8080", schema: { type: "object", properties: { port: { type: "integer" } } } },
    },
  ],
});
