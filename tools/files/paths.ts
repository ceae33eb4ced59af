/** The arguments that name a file or a directory: their description, aliases, and the rules of the sandbox. */
import { z } from "zod";
import { type Failure, ok, type Result } from "../../core/base/errors.ts";
import { checkExtension, judgePath } from "../../core/sandbox/path.ts";
import type { SandboxRules } from "../../core/sandbox/rules.ts";

export const filePath = z.string().describe("In the sandbox, e.g. notes/plan.md");

/** The path of a text file, when the agent's rules admit it and its type. */
export function judgeTextFile(raw: string, rules: SandboxRules, intent: "read" | "write"): Result<string> {
  const judged = judgePath(raw, rules, intent);
  if (!judged.ok) return judged;
  const extension = checkExtension(judged.value, rules);
  return extension.ok ? ok(judged.value) : extension;
}

/** A failure about the file that the argument names. */
export function aboutPath(error: Failure): Failure {
  return { ...error, field: "path" };
}
