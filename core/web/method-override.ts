/**
 * Finds a method override in a GET or HEAD. Some servers follow it, so such a request is not a read and no effect class
 * fits it. It is rejected everywhere.
 */
import { isSafeMethod } from "./http-method.ts";

/** The headers that servers know, in lower case with dashes. Gateways read an underscore as a dash. */
const OVERRIDES: ReadonlySet<string> = new Set(["x-http-method-override", "x-http-method", "x-method-override"]);
/** The field of Rails, Laravel, Symfony and Express. */
const FIELD = "_method";

/** True for a header, in any case, that overrides the method. */
export function isMethodOverride(header: string): boolean {
  return OVERRIDES.has(header.toLowerCase().replaceAll("_", "-"));
}

/** The header or parameter of a read that overrides its method; null without one. */
export function findMethodOverride(
  method: string,
  url: URL,
  headers: readonly (readonly [string, string])[],
): { readonly field: "headers" | "url"; readonly name: string } | null {
  if (!isSafeMethod(method)) return null;
  const header = headers.find(([name]) => isMethodOverride(name));
  if (header !== undefined) return { field: "headers", name: header[0] };
  for (const [name, value] of url.searchParams) {
    const asksAnother = name.toLowerCase() === FIELD && !isSafeMethod(value.trim().toUpperCase());
    if (asksAnother || isMethodOverride(name)) return { field: "url", name };
  }
  return null;
}
