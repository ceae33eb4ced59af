/**
 * Checks the OpenAPI document by the recommended rules of Redocly
 * (https://redocly.com/docs/cli/rules/recommended). A warning fails too.
 */
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { readApiDocument } from "./api-document.ts";

// The data of a stream's events is a component that its description names: a stream has no reference to it.
const config = await createConfig({ extends: ["recommended"], rules: { "no-unused-components": "off" } });
const problems = await lintFromString({ source: readApiDocument(), absoluteRef: "openapi.json", config });
/**
 * The path is given, and its only method is DELETE, which no path `/api/tools/{app}/…` has: the method tells them apart.
 */
const GIVEN_PATH = "/api/tools/remove-from-workspace/{app}";
const wrong = problems.filter(
  ({ ruleId, message }) => ruleId !== "no-ambiguous-paths" || !message.includes(`\`${GIVEN_PATH}\``),
);
for (const { ruleId, message, location } of wrong) {
  const [place] = location;
  console.error(`${ruleId}: ${message} ${place?.pointer ?? ""}`);
}
if (wrong.length > 0) process.exitCode = 1;
