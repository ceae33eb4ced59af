/** The rows of a tenant's skills. They are written with their source (`SourceToPublish.skill`) and read here. */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { SkillNote } from "../skills/head.ts";
import type { Scan } from "../skills/scan-finding.ts";
import type { Skill } from "../skills/skill.ts";

/** What was found when a version was uploaded. */
export interface KeptReport {
  readonly warnings: readonly SkillNote[];
  readonly scan: Scan;
}

/** One content of a skill that was uploaded. */
export interface SkillVersion {
  readonly version: number;
  readonly skill: Skill;
  readonly report: KeptReport;
  readonly files: number;
  /** Of the package. */
  readonly bytes: number;
  readonly createdAt: number;
  /** A key's id. */
  readonly createdBy: string;
}

/** A skill of the tenant's own, with the version that tasks have which are made now. */
export interface SkillRecord {
  readonly name: string;
  readonly current: SkillVersion;
  /** How many there are. */
  readonly versions: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What becomes of one skill when the source is published that has it, has it no longer, or has another version of it. */
export type SkillChange =
  /** Makes this its version: a further one, or the one that has this hash already. */
  | {
      readonly kind: "put";
      readonly skill: Skill;
      readonly report: KeptReport;
      readonly files: number;
      readonly bytes: number;
      readonly by: string;
    }
  | { readonly kind: "remove"; readonly name: string };

/** Skills that a tenant has by itself, and versions of one. */
export const MAX_SKILLS = 200;
export const MAX_SKILL_VERSIONS = 200;

export interface SkillTable {
  get(tenant: string, name: string): Promise<Result<SkillRecord>>;
  /** The latest first. The place of a skill has its slug for an id. */
  page(tenant: string, request: PageRequest): Promise<Result<Page<SkillRecord>>>;
  /** The latest first; the place of a version is its number. */
  versions(tenant: string, name: string, request: PageRequest): Promise<Result<Page<SkillVersion>>>;
  /** A version by its number, or by its hash. */
  version(tenant: string, name: string, which: number | string): Promise<Result<SkillVersion>>;
}
