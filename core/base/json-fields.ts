/** Reads properties of a JSON value whose shape is not known. Inherited properties count as absent. */
import { getOwn } from "./own-field.ts";

/** A property of a JSON object; undefined when the value is no object or lacks it. */
export function getField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? getOwn(value as Readonly<Record<string, unknown>>, name)
    : undefined;
}

/** A property of a JSON object that is a text; null when there is no text under this name. */
export function getTextField(value: unknown, name: string): string | null {
  const field = getField(value, name);
  return typeof field === "string" ? field : null;
}
