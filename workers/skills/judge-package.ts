/** Validates a whole package: returns the skill, or every problem, with warnings. */
import { findForeignTools } from "../../core/skills/foreign-tools.ts";
import { formatNote, type SkillNote } from "../../core/skills/head.ts";
import { type CheckedPackage, hashPackage, formatUntrusted, writePackage } from "../../core/skills/package.ts";
import { readSkill } from "../../core/skills/read-skill.ts";
import { scanSkill } from "../../core/skills/scan.ts";
import type { Scan } from "../../core/skills/scan-finding.ts";
import { type Skill, SKILL_FILE } from "../../core/skills/skill.ts";
import { failed, type Result } from "../../core/base/errors.ts";
import { readSkillText } from "./read-head.ts";

/** The findings about a package. */
export interface SkillReport {
  readonly problems: readonly SkillNote[];
  readonly warnings: readonly SkillNote[];
  readonly scan: Scan;
}

/** `skill` is null if there are problems. */
export interface JudgedSkill {
  readonly skill: Skill | null;
  /** The stored bytes. */
  readonly packed: Uint8Array<ArrayBuffer>;
  readonly report: SkillReport;
}

/** `knownTools` are the names of all tools. */
export async function judgeSkill(given: CheckedPackage, knownTools: readonly string[]): Promise<JudgedSkill> {
  const { files, folder, litter } = given;
  const packed = writePackage(files);
  const top = files.find(({ path }) => path === SKILL_FILE);
  const read = readSkillText(top?.bytes ?? new Uint8Array());
  if (!read.ok) {
    const report = { problems: [read.problem], warnings: [], scan: scanSkill(files, []) };
    return { skill: null, packed, report };
  }
  const { skill, problems, warnings } = readSkill(read.text, files, folder);
  const listLine = read.text.head.find(({ name }) => name === "allowed-tools")?.line ?? null;
  const report = {
    problems,
    warnings: [
      ...read.warnings,
      ...warnings,
      ...findForeignTools(skill?.allowedTools ?? [], knownTools, listLine),
      ...litter.map((path) => ({
        file: formatUntrusted(path),
        line: null,
        field: null,
        message: "was left out: it does not belong to a skill",
      })),
    ],
    scan: scanSkill(files, skill?.scripts ?? []),
  };
  return { skill: skill === null ? null : { ...skill, hash: await hashPackage(packed) }, packed, report };
}

/** Refuses a package that is not a skill, with every problem. */
export function refuseSkill(problems: readonly SkillNote[]): Result<never> {
  const fields = problems.map((problem) => ({ field: problem.field ?? problem.file, message: formatNote(problem) }));
  const message = `This is not a valid skill. ${fields.map((fault) => fault.message).join("; ")}.`.slice(0, 2_000);
  const [first] = fields;
  return failed("invalid_input", message, { ...(first === undefined ? {} : { field: first.field }), fields });
}
