/** Packages of skills in memory, by their hash. They pass the same contract as those of the bucket. */
import { failed, ok } from "../../core/base/errors.ts";
import { hasShebang, openPackage } from "../../core/skills/package.ts";
import type { SkillsPort } from "../../core/ports/skills.ts";
import { findShippedPackage } from "../../core/tool/shipped-skills.ts";

/** `packages`: by hash, the content of each file by its path. What ships is there beside them. */
export function fakeSkills(packages: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>>): SkillsPort {
  return {
    async open(hash) {
      const shipped = findShippedPackage(hash);
      if (shipped !== null) return ok(shipped);
      const files = packages[hash];
      if (files === undefined) return failed("not_found", "There is no such skill.");
      const bytes = new Map(Object.entries(files));
      const entries = [...bytes]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, content]) => {
          return { path, size: content.length, mode: hasShebang(content) ? 0o755 : 0o644 };
        });
      return ok(openPackage(entries, bytes));
    },
  };
}
