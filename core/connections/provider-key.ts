/**
 * Keys of the catalogue's provider. One key serves a tenant at a time: its own, else the operator's. An account belongs to
 * the key that made it, and no other key reaches it.
 */
import { failed, type Failed } from "../base/errors.ts";

/** In the place of the id of a tenant's own key. The demo apps count as the operator's. */
export const OPERATOR_KEY = "operator";

/** What names the key that made something: absent for the operator's. */
export interface MadeByKey {
  readonly key?: string;
}

export function getKey({ key = OPERATOR_KEY }: MadeByKey): string {
  return key;
}

export function toMadeBy(key: string): MadeByKey {
  return key === OPERATOR_KEY ? {} : { key };
}

/** Why a connection ends when another key serves its tenant. */
export const OTHER_KEY =
  "Another Composio key serves this workspace now, and this account belongs to the earlier one. Connect it again.";

const MIN_CHARACTERS = 8;
export const MAX_KEY_CHARACTERS = 200;

/** Finds what forbids a key as it was entered; null if nothing does. The message never has a part of it. */
export function findKeyProblem(key: string): Failed | null {
  if (key.length < MIN_CHARACTERS || key.length > MAX_KEY_CHARACTERS)
    return failed(
      "invalid_input",
      `A key has ${MIN_CHARACTERS} to ${MAX_KEY_CHARACTERS} characters. ${COPY_AGAIN}`,
      FIELD,
    );
  return /^[\x21-\x7e]+$/.test(key)
    ? null
    : failed("invalid_input", `A key has ASCII letters, digits and signs only, without spaces. ${COPY_AGAIN}`, FIELD);
}

const COPY_AGAIN = "Copy it again from your project's settings at Composio.";
const FIELD = { field: "api_key" } as const;
