/** A tool's input as JSON Schema. */
import { z } from "zod";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import type { Tool } from "./tool.ts";

const schemas = new WeakMap<z.ZodType, JsonSchema>();

/** Returns a tool's input as JSON Schema. Always the same object for a tool. */
export function getInputSchema({ input, written }: Pick<Tool, "input" | "written">): JsonSchema {
  if (written !== undefined) return written.input;
  const known = schemas.get(input);
  if (known !== undefined) return known;
  const schema: JsonSchema = z.toJSONSchema(input, { io: "input" });
  schemas.set(input, schema);
  return schema;
}

/** Returns the schemas of a tool's arguments, by name; an outside tool's schema may name none. */
export function getArgumentSchemas(tool: Pick<Tool, "input" | "written">): Readonly<Record<string, unknown>> {
  const { properties } = getInputSchema(tool);
  return typeof properties === "object" && properties !== null ? { ...properties } : {};
}
