/** Documents that people write as JSON or as YAML. */
import { parse } from "yaml";
import { failed, ok, type Result } from "../core/errors.ts";

/**
 * The value of a text: JSON, else YAML 1.2 without aliases, whose expansion nothing would bound. A name that stands twice is
 * refused. `field` is named in the failure.
 */
export function readDocument(text: string, field: string): Result<unknown> {
  try {
    return ok(JSON.parse(text) as unknown);
  } catch {
    // It is YAML then, or nothing.
  }
  try {
    return ok(parse(text, { schema: "core", maxAliasCount: 0, uniqueKeys: true, logLevel: "error" }) as unknown);
  } catch (thrown) {
    const said = thrown instanceof Error ? (thrown.message.split("\n", 1)[0] ?? "") : "";
    return failed("invalid_input", `${field}: is neither JSON nor YAML: ${said.slice(0, 300)}`, { field });
  }
}
