/** A request's body as its content type wants it. */
import { failed, ok, type Result } from "../base/errors.ts";

const FORM = "application/x-www-form-urlencoded";

/**
 * Text is sent as it is; a map as JSON or as a form. In a form a list is one pair for each of its values, and null is an
 * empty value. Errors name `body`.
 */
export function writeBody(body: string | Readonly<Record<string, unknown>>, contentType: string): Result<Uint8Array> {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (typeof body === "string") return ok(encode(body));
  if (type === "application/json" || type.endsWith("+json")) return ok(encode(JSON.stringify(body)));
  if (type === FORM) return writeForm(body);
  return refuse(`a map is sent as application/json or ${FORM}; for ${JSON.stringify(type)} give text`);
}

function writeForm(fields: Readonly<Record<string, unknown>>): Result<Uint8Array> {
  const form = new URLSearchParams();
  for (const [name, given] of Object.entries(fields)) {
    for (const value of Array.isArray(given) ? (given as readonly unknown[]) : [given]) {
      if (typeof value === "object" && value !== null) return refuse(`${JSON.stringify(name)} is no value of a form`);
      form.append(name, formValue(value));
    }
  }
  return ok(encode(form.toString()));
}

function formValue(value: unknown): string {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function refuse(reason: string): Result<never> {
  return failed("invalid_input", `body: ${reason}`, { field: "body" });
}
