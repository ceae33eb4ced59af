/**
 * Checks the OpenAPI document by the recommended rules of Redocly
 * (https://redocly.com/docs/cli/rules/recommended). A warning fails too.
 */
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { readApiDocument } from "./api-document.ts";

// The data of a stream's events is a component that its description names: a stream has no reference to it.
const config = await createConfig({ extends: ["recommended"], rules: { "no-unused-components": "off" } });
const problems = await lintFromString({ source: readApiDocument(), absoluteRef: "openapi.json", config });
for (const { ruleId, message, location } of problems) {
  const [place] = location;
  console.error(`${ruleId}: ${message} ${place?.pointer ?? ""}`);
}
if (problems.length > 0) process.exitCode = 1;
