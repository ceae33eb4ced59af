/** Finds skills by name and version: the tenant's own, and those shipped with Otto. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { skillsFromEnv } from "../../adapters/env/skills.ts";
import { OttoError, raise, type Result } from "../../core/base/errors.ts";
import { type ComparedSkill, diffSkills, type SkillDifference } from "../../core/skills/difference.ts";
import { isPackageHash } from "../../core/skills/package.ts";
import type { SkillPackage } from "../../core/ports/skills.ts";
import { SHIPPED, type ShippedSkill } from "../../core/skills/shipped.generated.ts";
import { findShippedSkill } from "../../core/tool/shipped-skills.ts";
import { isSkillName, type Skill } from "../../core/skills/skill.ts";
import type { UploadReport, SkillRecord, SkillVersion } from "../../core/ports/skill-table.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { sha256Hex } from "../../core/base/sha256.ts";

/** A version of a skill. `kept` is null for a skill of the release. */
export interface FoundVersion {
  readonly skill: Skill;
  readonly kept: SkillVersion | null;
}

const NO_REPORT: UploadReport = { warnings: [], scan: { findings: [], isCut: false } };

/** Returns the tenant's skill of this name; null if it does not exist. */
export async function findOwnSkill(c: AppContext, name: string): Promise<SkillRecord | null> {
  if (!isSkillName(name)) return null;
  const read = await databaseFromEnv(c.env).skills.get(getTenant(c), name);
  return orNull(read);
}

/** Returns the current skill of this name. `not_found` if it does not exist. */
export async function findCurrentSkill(
  c: AppContext,
  name: string,
): Promise<{ readonly record: SkillRecord } | { readonly shipped: ShippedSkill }> {
  const record = await findOwnSkill(c, name);
  if (record !== null) return { record };
  const shipped = findShippedSkill(name);
  return shipped === undefined ? raise("not_found", "There is no such skill.") : { shipped };
}

/**
 * Returns a version by its number or its hash; the current one if `which` is undefined. `not_found` if it does not exist.
 */
export async function findSkillVersion(c: AppContext, name: string, which: string | undefined): Promise<FoundVersion> {
  const present = await findCurrentSkill(c, name);
  if ("shipped" in present) {
    const { skill } = present.shipped;
    if (which === undefined || which === skill.hash) return { skill, kept: null };
    return raise("not_found", "There is no such version of the skill.");
  }
  const { current } = present.record;
  if (which === undefined) return { skill: current.skill, kept: current };
  if (!isPackageHash(which) && !/^[1-9]\d{0,8}$/.test(which))
    return raise("not_found", "There is no such version of the skill.");
  const wanted = isPackageHash(which) ? which : Number(which);
  const kept = unwrap(await databaseFromEnv(c.env).skills.version(getTenant(c), name, wanted));
  return { skill: kept.skill, kept };
}

/** Returns the report of the version's upload. */
export function getReport({ kept }: FoundVersion): UploadReport {
  return kept?.report ?? NO_REPORT;
}

/** Returns the package of a version. */
export async function readSkillPackage(c: AppContext, { hash }: Pick<Skill, "hash">): Promise<SkillPackage> {
  return unwrap(await skillsFromEnv(c.env, { tenant: getTenant(c) }).open(hash));
}

/** Compares the permissions of two versions. */
export async function compareSkills(
  before: { readonly skill: Skill; readonly opened: SkillPackage },
  after: { readonly skill: Skill; readonly opened: SkillPackage },
): Promise<SkillDifference> {
  return diffSkills(await toComparable(before.skill, before.opened), await toComparable(after.skill, after.opened));
}

async function toComparable(skill: Skill, opened: SkillPackage): Promise<ComparedSkill> {
  const hashes = new Map<string, string>();
  for (const { path } of skill.scripts) {
    const bytes = opened.read(path);
    if (bytes.ok) hashes.set(path, await sha256Hex(bytes.value));
  }
  return { skill, getContent: (path) => hashes.get(path) ?? "" };
}

/** Returns the shipped skills that no skill of the tenant overrides, in order. */
export async function listShippedSkills(c: AppContext): Promise<readonly ShippedSkill[]> {
  const found = await Promise.all(
    SHIPPED.map(async (one) => ((await findOwnSkill(c, one.skill.name)) === null ? [one] : [])),
  );
  return found.flat().sort((a, b) => (a.skill.slug < b.skill.slug ? 1 : -1));
}

function orNull<T>(read: Result<T>): T | null {
  if (read.ok) return read.value;
  if (read.error.code === "not_found") return null;
  throw new OttoError(read.error);
}
