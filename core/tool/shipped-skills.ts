/**
 * The skills that ship with Otto, as a source of tools that every tenant has beside its own. A tool or a skill of the tenant's
 * of the same name stands before them. A task pins the source by its hash as it pins any other.
 */
import type { OutsideTool, PinnedSource } from "./source.ts";
import { openPackage } from "../skills/package.ts";
import type { SkillPackage } from "../ports/skills.ts";
import { SHIPPED, SHIPPED_HASH, type ShippedSkill } from "../skills/shipped.generated.ts";
import { SHIPPED_SOURCE, skillTool } from "./skill-tool.ts";

/** Where what a release ships is kept for tasks that go on under a later one. It is nobody's: it does not go with a tenant. */
const KEPT_PREFIX = "shipped/";

export const shippedPin: PinnedSource = { name: SHIPPED_SOURCE, hash: SHIPPED_HASH };

/** The tools of this release's skills. */
export const shippedTools: readonly OutsideTool[] = SHIPPED.map(({ skill }) => skillTool(skill));

/** A tenant's sources with the one that ships, which comes last: of two tools of one name the first is meant. */
export function withShipped(sources: readonly PinnedSource[]): readonly PinnedSource[] {
  return [...sources, shippedPin];
}

/** A skill of this release by its name; undefined when there is none. */
export function shippedNamed(name: string): ShippedSkill | undefined {
  return SHIPPED.find(({ skill }) => skill.name === name);
}

/** The package of a skill of this release, by its hash; null: it is none. */
export function shippedPackage(hash: string): SkillPackage | null {
  const shipped = SHIPPED.find(({ skill }) => skill.hash === hash);
  if (shipped === undefined) return null;
  const encoder = new TextEncoder();
  const bytes = new Map(shipped.files.map(({ path, text }) => [path, encoder.encode(text)]));
  const files = shipped.files.map(({ path, mode }) => ({ path, mode, size: bytes.get(path)?.length ?? 0 }));
  return openPackage(files, bytes);
}

/** Where a package that some release shipped is kept. */
export function keptPackageKey(hash: string): string {
  return `${KEPT_PREFIX}skills/${hash}`;
}

/** Where a source that some release shipped is kept. */
export function keptSourceKey(hash: string): string {
  return `${KEPT_PREFIX}tools/${hash}.json`;
}
