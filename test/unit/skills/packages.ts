/** Packages of skills as tests write them, and what is said of them. */
import { sayNote } from "../../../core/skills/head.ts";
import { type GivenPackage, packageOf } from "../../../core/skills/package.ts";
import { type JudgedSkill, judgeSkill } from "../../../workers/skills/judge-package.ts";

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Tools that there are, as far as these tests go. */
const TOOLS = ["ask_human", "find_files", "grep", "http.get", "read_file", "run_command", "web_search", "write_file"];

/** A SKILL.md whose head has name and description first, their own unless they are given, and then the other lines. */
export function skillMd(lines: readonly string[] = [], body = "# Do it\n"): string {
  const first = ["name: sample", "description: Does it."].map((own) => {
    return lines.find((line) => line.startsWith(own.slice(0, own.indexOf(" ")))) ?? own;
  });
  return ["---", ...first, ...lines.filter((line) => !first.includes(line)), "---", body].join("\n");
}

export function given(files: Files): ReturnType<typeof packageOf> {
  const encoder = new TextEncoder();
  const entries = Object.entries(files);
  return packageOf(
    entries.map(([path, text]) => ({ path, bytes: typeof text === "string" ? encoder.encode(text) : text })),
  );
}

/** A package that is one. */
export function packageFrom(files: Files): GivenPackage {
  const made = given(files);
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

export async function judged(files: Files): Promise<JudgedSkill> {
  return await judgeSkill(packageFrom(files), TOOLS);
}

/** What is said of a SKILL.md with further files. */
export async function saidOf(text: string, files: Files = {}) {
  const { skill, report } = await judged({ "SKILL.md": text, ...files });
  return { skill, problems: report.problems.map(sayNote), warnings: report.warnings.map(sayNote) };
}
