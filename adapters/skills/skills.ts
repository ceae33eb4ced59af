/** Packages of skills: those of this release from the Worker itself, all others from the bucket. */
import { ok, type Result } from "../../core/base/errors.ts";
import type { BlobPort } from "../../core/ports/blobs.ts";
import { getPackageKey, readPackage, type PackedFile, writePackage } from "../../core/skills/package.ts";
import type { SkillsPort } from "../../core/ports/skills.ts";
import { SHIPPED, SHIPPED_HASH } from "../../core/skills/shipped.generated.ts";
import {
  shippedTools,
  getShippedPackageKey,
  getShippedSourceKey,
  findShippedPackage,
} from "../../core/tool/shipped-skills.ts";
import { formatSource } from "../../core/tool/source.ts";

/** The packages that a tenant may read. */
export interface SkillStore extends SkillsPort {
  /** Stores a package of the tenant under its hash. Idempotent. */
  keep(hash: string, packed: Uint8Array): Promise<Result<void>>;
}

export function openSkills(blobs: BlobPort, tenant: string): SkillStore {
  return {
    async open(hash) {
      const shipped = findShippedPackage(hash);
      if (shipped !== null) return ok(shipped);
      const own = await blobs.get(getPackageKey(tenant, hash));
      if (own.ok) return ok(readPackage(own.value));
      if (own.error.code !== "not_found") return own;
      const kept = await blobs.get(getShippedPackageKey(hash));
      return kept.ok ? ok(readPackage(kept.value)) : kept;
    },
    keep: async (hash, packed) => await blobs.put(getPackageKey(tenant, hash), packed),
  };
}

/** Stores what this release ships, for tasks that pin it and continue under a later one. Idempotent. */
export async function storeShipped(blobs: BlobPort): Promise<Result<void>> {
  for (const { skill } of SHIPPED) {
    const put = await blobs.put(getShippedPackageKey(skill.hash), packShipped(skill.hash));
    if (!put.ok) return put;
  }
  // After the packages: a readable source names only readable packages.
  return await blobs.put(getShippedSourceKey(SHIPPED_HASH), new TextEncoder().encode(formatSource(shippedTools)));
}

function packShipped(hash: string): Uint8Array {
  const opened = findShippedPackage(hash);
  if (opened === null) throw new Error("a shipped skill has a package");
  const files = opened.files.map((file): PackedFile => {
    const read = opened.read(file.path);
    if (!read.ok) throw new Error("a package has the files that it lists");
    return { ...file, bytes: read.value };
  });
  return writePackage(files);
}
