/** The arguments that name a file or a directory: their description, aliases, and the rules of the sandbox. */
import { z } from "zod";
import { type Failure, ok, type Result } from "../../core/base/errors.ts";
import { checkExtension, judgePath } from "../../core/sandbox/path.ts";
import type { SandboxRules } from "../../core/sandbox/rules.ts";

/** The documents call this argument by three names. */
export const FILENAME_ALIASES = { path: "filename", file_path: "filename" } as const;

export const filename = z.string().describe("Path of the file inside the sandbox, e.g. notes/plan.md");

/** The path of a text file, when the agent's rules admit it and its type. */
export function judgeTextFile(raw: string, rules: SandboxRules, intent: "read" | "write"): Result<string> {
  const judged = judgePath(raw, rules, intent, "filename");
  if (!judged.ok) return judged;
  const extension = checkExtension(judged.value, rules, "filename");
  return extension.ok ? ok(judged.value) : extension;
}

/** A failure about the file that the argument names. */
export function aboutFilename(error: Failure): Failure {
  return { ...error, field: "filename" };
}
