/** The failure of input with invalid fields. Bounded: the input may have any number of fields, with names of any length. */
import type { Failure } from "./errors.ts";

/** An invalid field. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** The most fields of one failure. A caller that finds faults one by one need not describe more. */
export const MAX_INVALID_FIELDS = 50;
/** The most characters of a field's name, of what is wrong with it, and of all together. */
const MAX_FIELD = 300;
const MAX_FAULT = 1_000;
const MAX_MESSAGE = 2_000;

/** Creates the failure of invalid fields, which lists the first ones. */
export function invalidInput(fields: readonly FieldError[]): Failure {
  const listed = fields
    .slice(0, MAX_INVALID_FIELDS)
    .map(({ field, message }) => ({ field: field.slice(0, MAX_FIELD), message: message.slice(0, MAX_FAULT) }));
  const detail = listed.map(({ field, message }) => `${field}: ${message}`).join("; ");
  const message = detail.slice(0, MAX_MESSAGE);
  const [first] = listed;
  return { code: "invalid_input", message, ...(first === undefined ? {} : { field: first.field }), fields: listed };
}
