/** Skill packages for tests, and the messages about them. */
import { formatNote } from "../../../core/skills/head.ts";
import { type CheckedPackage, checkPackage } from "../../../core/skills/package.ts";
import { type JudgedSkill, judgeSkill } from "../../../workers/skills/judge-package.ts";

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** The known tools in these tests. */
const TOOLS = ["ask_human", "find_files", "grep", "http.get", "read_file", "run_command", "web_search", "write_file"];

/** A SKILL.md with name and description, defaults unless given, and further lines. */
export function skillMd(lines: readonly string[] = [], body = "# Do it\n"): string {
  const first = ["name: sample", "description: Does it."].map((own) => {
    return lines.find((line) => line.startsWith(own.slice(0, own.indexOf(" ")))) ?? own;
  });
  return ["---", ...first, ...lines.filter((line) => !first.includes(line)), "---", body].join("\n");
}

export function given(files: Files): ReturnType<typeof checkPackage> {
  const encoder = new TextEncoder();
  const entries = Object.entries(files);
  return checkPackage(
    entries.map(([path, text]) => ({ path, bytes: typeof text === "string" ? encoder.encode(text) : text })),
  );
}

/** A valid package. */
export function packageFrom(files: Files): CheckedPackage {
  const made = given(files);
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

export async function judged(files: Files): Promise<JudgedSkill> {
  return await judgeSkill(packageFrom(files), TOOLS);
}

/** The messages about a SKILL.md with further files. */
export async function checkSkill(text: string, files: Files = {}) {
  const { skill, report } = await judged({ "SKILL.md": text, ...files });
  return { skill, problems: report.problems.map(formatNote), warnings: report.warnings.map(formatNote) };
}
