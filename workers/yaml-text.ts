/** Documents as YAML: those that people write, which may be JSON as well, and those that are written for them. */
import { parse, stringify } from "yaml";
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

/** True for a header of a media type of YAML (RFC 9512), or of a list that holds one. */
export function namesYaml(header: string | undefined): boolean {
  return /(?:application|text)\/(?:[\w.-]+\+|x-)?yaml(?:\s*[;,]|\s*$)/i.test(header ?? "");
}

/** A value as a text of YAML under a comment of one line. */
export function writeYaml(value: unknown, comment: string): string {
  return `# ${comment}\n${stringify(value, { schema: "core", lineWidth: 100, aliasDuplicateObjects: false })}`;
}
