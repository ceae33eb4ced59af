/** Refuses a query that is not valid percent-encoded UTF-8, contains NUL, or repeats a parameter. */
import type { MiddlewareHandler } from "hono";
import { OttoError } from "../../../core/base/errors.ts";
import type { AppEnv } from "../context.ts";
import { findTextProblem } from "../json-text.ts";
import { type FieldError, invalidInput } from "../../../core/base/invalid-input.ts";

export const checkQuery: MiddlewareHandler<AppEnv> = async function checkQuery(c, next) {
  const at = c.req.url.indexOf("?");
  const errors = at < 0 ? [] : findQueryErrors(c.req.url.slice(at + 1).replace(/#.*$/, ""));
  if (errors.length > 0) throw new OttoError(invalidInput(errors));
  await next();
};

function findQueryErrors(query: string): FieldError[] {
  const seen = new Set<string>();
  return query.split("&").flatMap((pair) => {
    if (pair === "") return [];
    const [rawName = "", rawValue = ""] = pair.split(/=(.*)/s);
    const name = decode(rawName);
    const value = decode(rawValue);
    if (name === null || findTextProblem(name) !== null)
      return [{ field: "query", message: "a parameter's name is not valid text" }];
    if (value === null) return [{ field: name, message: "is not valid percent-encoded UTF-8" }];
    const bad = findTextProblem(value);
    if (bad !== null) return [{ field: name, message: bad }];
    if (seen.has(name)) return [{ field: name, message: "is given twice" }];
    seen.add(name);
    return [];
  });
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}
