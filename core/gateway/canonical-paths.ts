/** Canonicalises the paths among a call's arguments, before policy and hash. */
import { ok, type Result } from "../base/errors.ts";
import { judgePath, type PathIntent } from "../sandbox/path.ts";
import type { SandboxRules } from "../sandbox/rules.ts";
import type { PathUse, Tool } from "../tool/tool.ts";
import { validateArguments, type ValidatedTool } from "./validate.ts";

const INTENTS: Readonly<Record<PathUse, PathIntent>> = {
  file: "read",
  read: "read",
  write: "write",
  directory: "list",
};

/**
 * Returns validated arguments with each path in its canonical form, which is what policy, hash, approval and the tool
 * see. Refuses a path that the agent's rules forbid, as it was written.
 */
export function canonicalisePaths(
  tool: ValidatedTool & Pick<Tool, "refersTo">,
  given: unknown,
  rules: SandboxRules,
): Result<unknown> {
  const { refersTo } = tool;
  if (refersTo === undefined) return ok(given);
  const values = new Map(Object.entries(given ?? {}));
  for (const [field, use] of Object.entries(refersTo)) {
    const value: unknown = values.get(field);
    if (use === undefined) continue;
    const judged = judgeValue(value, (path) => judgePath(path, rules, INTENTS[use], field));
    if (!judged.ok) return judged;
    if (judged.value !== undefined) values.set(field, judged.value);
  }
  const canonical = Object.fromEntries(values);
  // What the schema refuses has to be refused in every spelling: `./-x` is `-x`.
  const valid = validateArguments(tool, canonical);
  return valid.ok ? ok(canonical) : valid;
}

/** Judges a path or a list of them. Another value is left to the schema. */
function judgeValue(value: unknown, judge: (path: string) => Result<string>): Result<unknown> {
  if (typeof value === "string") return judge(value);
  if (!Array.isArray(value)) return ok(undefined);
  const paths: unknown[] = [];
  for (const one of value) {
    const judged: Result<unknown> = typeof one === "string" ? judge(one) : ok(one);
    if (!judged.ok) return judged;
    paths.push(judged.value);
  }
  return ok(paths);
}
