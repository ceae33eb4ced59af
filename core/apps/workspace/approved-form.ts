/**
 * What an administrator approves of an action, as one text: the hash of its form, a dot, and the hash of its description.
 * The form is its names, schemas and hints. A confirmation of what an action does is bound to the form alone.
 */
import { toCanonicalJson } from "../../base/canonical-json.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { DescribedAction } from "../catalogue.ts";

/** Digits of the description's hash. */
const TEXT_DIGITS = 32;

/** Returns the `schemaHash` of an action. */
export async function hashAction(
  action: Pick<DescribedAction, "app" | "action" | "title" | "input" | "output" | "tags" | "description">,
): Promise<string> {
  const { app, action: name, title, input, output, tags, description } = action;
  const form = await sha256Hex(toCanonicalJson([app, name, title, input, output, tags]));
  return `${form}.${(await sha256Hex(description)).slice(0, TEXT_DIGITS)}`;
}

/** Returns the part of a `schemaHash` that covers names, schemas and hints. */
export function getFormHash(schemaHash: string): string {
  return schemaHash.split(".", 1)[0] ?? "";
}
