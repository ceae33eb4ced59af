/** The rows of a tenant's skills, written with their source (`SourceToPublish.skill`). */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { SkillNote } from "../skills/head.ts";
import type { Scan } from "../skills/scan-finding.ts";
import type { Skill } from "../skills/skill.ts";

/** The report of a version's upload. */
export interface UploadReport {
  readonly warnings: readonly SkillNote[];
  readonly scan: Scan;
}

/** One uploaded version of a skill. */
export interface SkillVersion {
  readonly version: number;
  readonly skill: Skill;
  readonly report: UploadReport;
  readonly files: number;
  /** Bytes of the package. */
  readonly bytes: number;
  readonly createdAt: number;
  /** A key's id. */
  readonly createdBy: string;
}

/** A tenant's own skill, with the version that new tasks use. */
export interface SkillRecord {
  readonly name: string;
  readonly current: SkillVersion;
  /** The number of versions. */
  readonly versions: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The change of one skill that is published with its source. */
export type SkillChange =
  /** Makes this the current version: a new one, or the existing one with this hash. */
  | {
      readonly kind: "put";
      readonly skill: Skill;
      readonly report: UploadReport;
      readonly files: number;
      readonly bytes: number;
      readonly by: string;
    }
  | { readonly kind: "remove"; readonly name: string };

/** The most own skills of a tenant, and versions of one. */
export const MAX_SKILLS = 200;
export const MAX_SKILL_VERSIONS = 200;

export interface SkillTable {
  get(tenant: string, name: string): Promise<Result<SkillRecord>>;
  /** The latest first. The position's id is the slug. */
  page(tenant: string, request: PageRequest): Promise<Result<Page<SkillRecord>>>;
  /** The latest first; the position is the version number. */
  versions(tenant: string, name: string, request: PageRequest): Promise<Result<Page<SkillVersion>>>;
  /** A version by its number, or by its hash. */
  version(tenant: string, name: string, which: number | string): Promise<Result<SkillVersion>>;
}
