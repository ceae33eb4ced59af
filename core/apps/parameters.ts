/** The parameters of an action, by its input. */
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";

/** Lists the names of parameters, the required ones first. */
export function listParameters({ properties, required }: JsonSchema): string[] {
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return [...names.filter((name) => needed.has(name)), ...names.filter((name) => !needed.has(name))];
}
