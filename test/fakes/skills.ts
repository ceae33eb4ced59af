/** Packages of skills, in memory. They pass the same contract as those of the bucket. */
import { failed, ok } from "../../core/errors.ts";
import { readPackage } from "../../core/skills/package.ts";
import type { SkillsPort } from "../../core/skills/port.ts";
import { shippedPackage } from "../../core/skills/shipped.ts";

/** The packages of one tenant; `packed` by hash. */
export function fakeSkills(packed: ReadonlyMap<string, Uint8Array> = new Map()): SkillsPort {
  return {
    async open(hash) {
      const shipped = shippedPackage(hash);
      if (shipped !== null) return ok(shipped);
      const own = packed.get(hash);
      return own === undefined ? failed("not_found", "There is no such blob.") : ok(readPackage(own));
    },
  };
}
