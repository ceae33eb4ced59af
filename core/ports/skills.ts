/** Packages of skills by their hash. The content of a hash never changes. */
import type { Result } from "../base/errors.ts";

/** A file of a package. */
export interface SkillFile {
  /** Relative to the root of the package: `SKILL.md`, `scripts/report.py`. */
  readonly path: string;
  readonly size: number;
  /** Nine permission bits: 0o755 or 0o644. */
  readonly mode: number;
}

/** A package, whose bytes are read on request. */
export interface SkillPackage {
  /** In the order of the code points of their paths. */
  readonly files: readonly SkillFile[];
  /** The full text of SKILL.md. */
  readonly text: string;
  /** Reads a file; `not_found` if the package has none at this path. */
  read(path: string): Result<Uint8Array>;
}

/** The packages that a task of one tenant may read: the tenant's uploads, and those that ship with Otto. */
export interface SkillsPort {
  /** `not_found` for a hash that neither the tenant nor a release has. */
  open(hash: string): Promise<Result<SkillPackage>>;
}
