/** Reads and writes YAML: documents of people, which may also be JSON, and documents for them. */
import { stringify } from "yaml";
import type { YieldTurn } from "../../core/base/turns.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { readYaml } from "../../tools/yaml/read-yaml.ts";

/** Maximum tokens and characters of a YAML document. It is read in turns, the longest of which takes 2 µs per token. */
const MAX_TOKENS = 50_000;
const MAX_CHARACTERS = 2_000_000;

/**
 * Reads a text as JSON, or else as YAML, as `yaml.parse` does. The failure names `field` and explains where the YAML
 * is invalid.
 */
export async function readDocument(text: string, field: string, giveWay: YieldTurn): Promise<Result<unknown>> {
  try {
    return ok(JSON.parse(text) as unknown);
  } catch {
    // It is YAML, or invalid.
  }
  if (text.length > MAX_CHARACTERS)
    return failed("too_large", `${field}: YAML is read up to ${MAX_CHARACTERS} characters; send it as JSON`, { field });
  const read = await readYaml(text, MAX_TOKENS, giveWay);
  if (read.ok) return read;
  return failed("invalid_input", `${field}: is neither JSON nor YAML. ${read.error.message}`, { field });
}

/** Whether a header names a media type of YAML (RFC 9512), alone or in a list. */
export function namesYaml(header: string | undefined): boolean {
  return /(?:application|text)\/(?:[\w.-]+\+|x-)?yaml(?:\s*[;,]|\s*$)/i.test(header ?? "");
}

/** Writes a value as YAML under a comment of one line. */
export function writeYaml(value: unknown, comment: string): string {
  return `# ${comment}\n${stringify(value, { schema: "core", lineWidth: 100, aliasDuplicateObjects: false })}`;
}
