/** Stores an uploaded skill: a new version, or nothing if it exists already. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { skillsFromEnv } from "../../adapters/env/skills.ts";
import { failed, type Failure, OttoError, raise } from "../../core/base/errors.ts";
import { indexByKey } from "../../core/steps/tool-bus.ts";
import type { SkillNote } from "../../core/skills/head.ts";
import { readPackage } from "../../core/skills/package.ts";
import { SHIPPED_SOURCE, SKILLS_SOURCE } from "../../core/tool/skill-tool.ts";
import { askWhichSkill } from "../../core/skills/publisher.ts";
import { type Skill, SKILL_FILE } from "../../core/skills/skill.ts";
import type { SkillDifference } from "../../core/skills/difference.ts";
import { MAX_SKILL_VERSIONS, type SkillChange, type SkillRecord } from "../../core/ports/skill-table.ts";
import { toNameKey } from "../../core/tool/source.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { getActorId, createAuditEntry } from "../http/audit-entry.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { compareSkills, findOwnSkill, readSkillPackage } from "./find-skill.ts";
import { type JudgedSkill, judgeSkill, refuseSkill, type SkillReport } from "./judge-package.ts";
import { changeSkill } from "./publish.ts";
import { readUpload } from "./read-upload.ts";

/** The result of an upload. */
export interface Uploaded {
  readonly record: SkillRecord;
  readonly outcome: "created" | "updated" | "unchanged" | "restored";
  readonly report: SkillReport;
  readonly difference: SkillDifference | null;
}

/** The findings about a package that is not uploaded. */
export interface Verdict {
  readonly skill: Skill | null;
  readonly report: SkillReport;
  readonly difference: SkillDifference | null;
  /** Whether it replaces the skill of another publisher; null: there is nothing to ask. */
  readonly question: string | null;
}

/** `isSameSkill`: the skill replaces the present one of its name, whichever publisher made that. */
interface UploadChoice {
  readonly isSameSkill: boolean;
}

/** Stores the skill of a request. `tools` are all tools, including the tenant's own. */
export async function uploadSkill(
  c: AppContext,
  tools: readonly Tool[],
  { isSameSkill }: UploadChoice,
): Promise<Uploaded> {
  const judged = await judgeBody(c, tools);
  const { skill, packed, report } = judged;
  if (skill === null) return unwrap(refuseSkill(report.problems));
  const taken = findNameConflict(skill, tools);
  if (taken !== null) throw new OttoError(taken);
  const { before, question } = await findPresent(c, skill);
  if (question !== null && !isSameSkill) raise("conflict", question, { field: "same_skill" });
  const outcome = await getOutcome(c, skill, before);
  const difference = before === null ? null : await findDifference(c, before, judged, skill);
  unwrap(await skillsFromEnv(c.env, { tenant: getTenant(c) }).keep(skill.hash, packed));
  const change: SkillChange = {
    kind: "put",
    skill,
    report: { warnings: report.warnings, scan: report.scan },
    files: readPackage(packed).files.length,
    bytes: packed.length,
    by: getActorId(c),
  };
  unwrap(await changeSkill(c, change, await createAuditEntry(c, "skill.upload", skill.name)));
  const record = await findOwnSkill(c, skill.name);
  if (record === null) return raise("conflict", "The skill was deleted meanwhile. Upload it again.", { field: "name" });
  return { record, outcome, report, difference };
}

/** Validates a request's package as an upload would, without storing it. */
export async function judgeUpload(c: AppContext, tools: readonly Tool[]): Promise<Verdict> {
  const given = await readUpload(c.req.header("content-type") ?? "", readUploadBody(c));
  if (!given.ok) {
    if (given.error.code !== "invalid_input") throw new OttoError(given.error);
    return { skill: null, report: toReport(given.error), difference: null, question: null };
  }
  const judged = await judgeSkill(given.value, listNames(tools));
  const { skill, report } = judged;
  if (skill === null) return { skill, report, difference: null, question: null };
  const { before, question } = await findPresent(c, skill);
  const difference = before === null ? null : await findDifference(c, before, judged, skill);
  const taken = findNameConflict(skill, tools);
  const problem = taken === null ? [] : [{ file: SKILL_FILE, line: null, field: "name", message: taken.message }];
  return { skill, report: { ...report, problems: [...report.problems, ...problem] }, difference, question };
}

/** Finds the present skill of the name, and what to ask before the upload replaces it. */
async function findPresent(
  c: AppContext,
  skill: Skill,
): Promise<{ readonly before: SkillRecord | null; readonly question: string | null }> {
  const before = await findOwnSkill(c, skill.name);
  return { before, question: before === null ? null : askWhichSkill(before.current.skill, skill) };
}

/** Makes an earlier version current again. */
export async function restoreSkill(c: AppContext, record: SkillRecord, which: number | string): Promise<Uploaded> {
  const { name, current } = record;
  const wanted = unwrap(await databaseFromEnv(c.env).skills.version(getTenant(c), name, which));
  const [before, after] = [await readSkillPackage(c, current.skill), await readSkillPackage(c, wanted.skill)];
  const difference = await compareSkills(
    { skill: current.skill, opened: before },
    { skill: wanted.skill, opened: after },
  );
  const { skill, report, files, bytes, createdBy: by } = wanted;
  const act = await createAuditEntry(c, "skill.restore", name);
  unwrap(await changeSkill(c, { kind: "put", skill, report, files, bytes, by }, act));
  const isSame = current.skill.hash === skill.hash;
  const restored = (await findOwnSkill(c, name)) ?? raise("not_found", "There is no such skill.");
  return {
    record: restored,
    outcome: isSame ? "unchanged" : "restored",
    report: { ...report, problems: [] },
    difference,
  };
}

async function judgeBody(c: AppContext, tools: readonly Tool[]): Promise<JudgedSkill> {
  const given = unwrap(await readUpload(c.req.header("content-type") ?? "", readUploadBody(c)));
  return await judgeSkill(given, listNames(tools));
}

function readUploadBody(c: AppContext): Uint8Array<ArrayBuffer> {
  return (c.get("bodyBytes") ?? new Uint8Array()) as Uint8Array<ArrayBuffer>;
}

/** Returns every name that a pattern of a skill can match. */
function listNames(tools: readonly Tool[]): string[] {
  return tools.flatMap(({ name, alsoNamed = [] }) => [name, ...alsoNamed]);
}

/**
 * Explains why the skill's tool cannot have its name; null if it can. A tenant's skill overrides a shipped one of the
 * same name.
 */
function findNameConflict({ name, slug }: Skill, tools: readonly Tool[]): Failure | null {
  const other = indexByKey(tools).get(toNameKey(slug));
  if (other === undefined) return null;
  const source = other.written?.source;
  if ((source === SKILLS_SOURCE || source === SHIPPED_SOURCE) && other.name === slug) return null;
  const whose = source === undefined ? "a built-in tool" : `a tool of the source ${source}`;
  const message = `name: the tool of the skill ${name} would be ${slug}, which is ${whose}. Choose another name for the skill.`;
  return failed("conflict", message, { field: "name" }).error;
}

async function getOutcome(
  c: AppContext,
  { name, hash }: Skill,
  before: SkillRecord | null,
): Promise<Uploaded["outcome"]> {
  if (before === null) return "created";
  if (before.current.skill.hash === hash) return "unchanged";
  const known = await databaseFromEnv(c.env).skills.version(getTenant(c), name, hash);
  if (known.ok) return "restored";
  if (known.error.code !== "not_found") throw new OttoError(known.error);
  if (before.versions >= MAX_SKILL_VERSIONS)
    raise("quota_exceeded", `A skill has at most ${MAX_SKILL_VERSIONS} versions. Delete it and upload it again.`);
  return "updated";
}

async function findDifference(
  c: AppContext,
  { current }: SkillRecord,
  { packed }: JudgedSkill,
  skill: Skill,
): Promise<SkillDifference> {
  const opened = await readSkillPackage(c, current.skill);
  return await compareSkills({ skill: current.skill, opened }, { skill, opened: readPackage(packed) });
}

/** Reports a package that cannot be read. */
function toReport(failure: Failure): SkillReport {
  const faults = failure.fields ?? [{ field: failure.field ?? "body", message: failure.message }];
  const problems = faults.map(({ field, message }): SkillNote => ({ file: field, line: null, field, message }));
  return { problems, warnings: [], scan: { findings: [], isCut: false } };
}
