/** The names under which a tool accepts its arguments: its own, its aliases, and those that other agents use. */
import { failed, ok, type Result } from "../base/errors.ts";
import { getOwn } from "../base/own-field.ts";
import { getArgumentSchemas } from "../tool/input-schema.ts";
import type { Tool } from "../tool/tool.ts";

/** Names of the same argument in the documents and in common agents. A built-in tool with one accepts the others. */
const SHARED_NAMES: readonly (readonly string[])[] = [
  ["path", "filename", "file_path", "dir_path", "output_filename"],
  ["command", "cmd"],
  ["query", "q"],
];

/** Accepted and ignored by the file tools, whose texts are in UTF-8. */
const ENCODING = "encoding";

type NamedArguments = Pick<Tool, "aliases" | "input" | "written">;

/** Returns the tool's own name of an argument, which may be given as an alias. */
export function toCanonicalName(tool: NamedArguments, name: string): string {
  const own = getOwn(tool.aliases, name);
  if (own !== undefined || tool.written !== undefined) return own ?? name;
  const names = getArgumentSchemas(tool);
  if (Object.hasOwn(names, name)) return name;
  const shared = SHARED_NAMES.find((group) => group.includes(name)) ?? [];
  const [first, ...more] = shared.filter((one) => Object.hasOwn(names, one));
  // With two candidates, either would be a guess.
  return first === undefined || more.length > 0 ? name : first;
}

/** Returns the arguments under their canonical names. Refuses one that is given twice, and an encoding but UTF-8. */
export function nameArguments(
  tool: NamedArguments & Pick<Tool, "toolbox">,
  given: object,
): Result<Readonly<Record<string, unknown>>> {
  const named = new Map<string, unknown>();
  for (const [name, value] of Object.entries(given)) {
    const canonical = toCanonicalName(tool, name);
    if (canonical === ENCODING && ignoresEncoding(tool)) {
      if (typeof value === "string" && /^utf-?8$/i.test(value.trim())) continue;
      const message = `${ENCODING}: files are read and written in UTF-8; omit it or write "utf-8".`;
      return failed("invalid_input", message, { field: name });
    }
    if (named.has(canonical)) {
      const message = `${canonical} is given twice, also as ${name}; give it once, as ${canonical}.`;
      return failed("invalid_input", message, { field: name });
    }
    named.set(canonical, value);
  }
  return ok(Object.fromEntries(named));
}

function ignoresEncoding(tool: NamedArguments & Pick<Tool, "toolbox">): boolean {
  return tool.written === undefined && tool.toolbox === "files" && !Object.hasOwn(getArgumentSchemas(tool), ENCODING);
}
