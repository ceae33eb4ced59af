/** Fake skill packages, by their hash. They pass the same contract as those in the bucket. */
import { failed, ok } from "../../core/base/errors.ts";
import { hasShebang, openPackage } from "../../core/skills/package.ts";
import type { SkillsPort } from "../../core/ports/skills.ts";
import { findShippedPackage } from "../../core/tool/shipped-skills.ts";

/** `packages` holds the content of each file by path, by hash. Shipped skills are included. */
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
