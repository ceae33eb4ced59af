/** Canonicalises the paths among a call's arguments, before policy and hash. */
import { failed, ok, type Result } from "../base/errors.ts";
import { judgePath, type PathIntent } from "../sandbox/path.ts";
import type { SandboxRules } from "../sandbox/rules.ts";
import type { PathUse, Tool } from "../tool/tool.ts";

const INTENTS: Readonly<Record<PathUse, PathIntent>> = {
  file: "read",
  read: "read",
  write: "write",
  directory: "list",
};

/** The most paths of one argument, as many as one set of changes has. */
const MAX_PATHS = 1_000;

/** Returns arguments with each path in its canonical form. Refuses a path that the agent's rules forbid, as written. */
export function canonicalisePaths(
  tool: Pick<Tool, "refersTo" | "mapFiles">,
  given: unknown,
  rules: SandboxRules,
): Result<unknown> {
  // The tool's own function reads any value, also one that its schema refuses.
  if (tool.mapFiles !== undefined)
    return tool.mapFiles(given as never, (path, field) => judgePath(path, rules, "read", field));
  return canonicaliseNamed(tool.refersTo, given, rules);
}

function canonicaliseNamed(refersTo: Tool["refersTo"], given: unknown, rules: SandboxRules): Result<unknown> {
  if (refersTo === undefined) return ok(given);
  const values = new Map(Object.entries(given ?? {}));
  for (const [field, use] of Object.entries(refersTo)) {
    if (use === undefined) continue;
    const judged = judgeValue(values.get(field), field, (path) => judgePath(path, rules, INTENTS[use], field));
    if (!judged.ok) return judged;
    if (judged.value !== undefined) values.set(field, judged.value);
  }
  return ok(Object.fromEntries(values));
}

/** Judges a path or a list of them. Another value is left to the schema. */
function judgeValue(value: unknown, field: string, judge: (path: string) => Result<string>): Result<unknown> {
  if (typeof value === "string") return judge(value);
  if (!Array.isArray(value)) return ok(undefined);
  if (value.length > MAX_PATHS) return failed("invalid_input", `${field}: has more than ${MAX_PATHS} paths`, { field });
  const paths: unknown[] = [];
  for (const one of value) {
    const judged: Result<unknown> = typeof one === "string" ? judge(one) : ok(one);
    if (!judged.ok) return judged;
    paths.push(judged.value);
  }
  return ok(paths);
}
