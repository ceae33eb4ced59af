/** Documents as YAML: those that people write, which may be JSON as well, and those that are written for them. */
import { stringify } from "yaml";
import type { YieldTurn } from "../../core/base/turns.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { readYaml } from "../../tools/yaml/read-yaml.ts";

/** Most tokens and characters of a document in YAML. It is read in turns, the longest of which takes 2 µs a token. */
const MAX_TOKENS = 50_000;
const MAX_CHARACTERS = 2_000_000;

/**
 * The value of a text: JSON, else YAML as `yaml.parse` reads it. `field` is named in the failure, which says what the YAML
 * lacks, and where.
 */
export async function readDocument(text: string, field: string, giveWay: YieldTurn): Promise<Result<unknown>> {
  try {
    return ok(JSON.parse(text) as unknown);
  } catch {
    // It is YAML then, or nothing.
  }
  if (text.length > MAX_CHARACTERS)
    return failed("too_large", `${field}: YAML is read up to ${MAX_CHARACTERS} characters; send it as JSON`, { field });
  const read = await readYaml(text, MAX_TOKENS, giveWay);
  if (read.ok) return read;
  return failed("invalid_input", `${field}: is neither JSON nor YAML. ${read.error.message}`, { field });
}

/** True for a header of a media type of YAML (RFC 9512), or of a list that holds one. */
export function namesYaml(header: string | undefined): boolean {
  return /(?:application|text)\/(?:[\w.-]+\+|x-)?yaml(?:\s*[;,]|\s*$)/i.test(header ?? "");
}

/** A value as a text of YAML under a comment of one line. */
export function writeYaml(value: unknown, comment: string): string {
  return `# ${comment}\n${stringify(value, { schema: "core", lineWidth: 100, aliasDuplicateObjects: false })}`;
}
