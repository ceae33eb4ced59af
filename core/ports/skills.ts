/** Packages of skills, read by their hash. What stands under a hash never changes. */
import type { Result } from "../base/errors.ts";

/** A file of a package. */
export interface SkillFile {
  /** From the top of the package: `SKILL.md`, `scripts/report.py`. */
  readonly path: string;
  readonly size: number;
  /** Nine permission bits: 0o755 or 0o644. */
  readonly mode: number;
}

/** A package, and its bytes as they are asked for. */
export interface SkillPackage {
  /** In the order of the code points of their paths. */
  readonly files: readonly SkillFile[];
  /** The text of SKILL.md, whole. */
  readonly text: string;
  /** The bytes of a file; `not_found` when the package has none at this path. */
  read(path: string): Result<Uint8Array>;
}

/** The packages that a task of one tenant may read: those the tenant uploaded, and those that ship with Otto. */
export interface SkillsPort {
  /** `not_found` for a hash that the tenant has not and that no release shipped. */
  open(hash: string): Promise<Result<SkillPackage>>;
}
