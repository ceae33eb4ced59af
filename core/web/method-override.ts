/**
 * Finds a method override in a GET or HEAD. Some servers obey one, so such a request is no read: no approval, key or effect
 * class fits it. It is refused everywhere.
 */
import { isReading } from "./http-method.ts";

/** The names that servers know, lower case, with dashes. Gateways read an underscore as a dash. */
const OVERRIDES: ReadonlySet<string> = new Set(["x-http-method-override", "x-http-method", "x-method-override"]);
/** The field of Rails, Laravel, Symfony and Express. */
const FIELD = "_method";

/** True for a header, in any case, that asks a server for another method. */
export function isMethodOverride(header: string): boolean {
  return OVERRIDES.has(header.toLowerCase().replaceAll("_", "-"));
}

/** The header or parameter by which a request that should only read asks for another method; null: none does. */
export function findMethodOverride(
  method: string,
  url: URL,
  headers: readonly (readonly [string, string])[],
): { readonly field: "headers" | "url"; readonly name: string } | null {
  if (!isReading(method)) return null;
  const header = headers.find(([name]) => isMethodOverride(name));
  if (header !== undefined) return { field: "headers", name: header[0] };
  for (const [name, value] of url.searchParams) {
    const asksAnother = name.toLowerCase() === FIELD && !isReading(value.trim().toUpperCase());
    if (asksAnother || isMethodOverride(name)) return { field: "url", name };
  }
  return null;
}
