/** Reads properties of a JSON value of unknown shape. Inherited properties count as absent. */
import { getOwn } from "./own-field.ts";

/** Returns a property of a JSON object; undefined if the value is not an object or lacks it. */
export function getField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? getOwn(value as Readonly<Record<string, unknown>>, name)
    : undefined;
}

/** Returns a text property of a JSON object; null without one. */
export function getTextField(value: unknown, name: string): string | null {
  const field = getField(value, name);
  return typeof field === "string" ? field : null;
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
