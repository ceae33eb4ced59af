/** Encodes a request's body by its content type. */
import { failed, ok, type Result } from "../base/errors.ts";

const FORM = "application/x-www-form-urlencoded";

/**
 * Text is sent unchanged, and a map as JSON or as a form. In a form, a list becomes one pair for each value, and null
 * an empty value. Errors name `body`.
 */
export function encodeBody(body: string | Readonly<Record<string, unknown>>, contentType: string): Result<Uint8Array> {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (typeof body === "string") return ok(encode(body));
  if (type === "application/json" || type.endsWith("+json")) return ok(encode(JSON.stringify(body)));
  if (type === FORM) return encodeForm(body);
  return refuse(`a map is sent as application/json or ${FORM}; for ${JSON.stringify(type)} give text`);
}

function encodeForm(fields: Readonly<Record<string, unknown>>): Result<Uint8Array> {
  const form = new URLSearchParams();
  for (const [name, given] of Object.entries(fields)) {
    for (const value of Array.isArray(given) ? (given as readonly unknown[]) : [given]) {
      if (typeof value === "object" && value !== null) return refuse(`${JSON.stringify(name)} is not a form value`);
      form.append(name, toFormValue(value));
    }
  }
  return ok(encode(form.toString()));
}

function toFormValue(value: unknown): string {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function refuse(reason: string): Result<never> {
  return failed("invalid_input", `body: ${reason}`, { field: "body" });
}
