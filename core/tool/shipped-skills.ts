/**
 * The skills that ship with Otto, as a source of tools that every tenant has in addition to its own. A tenant's tool or
 * skill of the same name shadows them. A task pins the source by its hash, like any other.
 */
import type { OutsideTool, PinnedSource } from "./source.ts";
import { openPackage } from "../skills/package.ts";
import type { SkillPackage } from "../ports/skills.ts";
import { SHIPPED, SHIPPED_HASH, type ShippedSkill } from "../skills/shipped.generated.ts";
import { SHIPPED_SOURCE, createSkillTool } from "./skill-tool.ts";

/**
 * The prefix under which a release's skills are stored for tasks that continue under a later one. It belongs to no
 * tenant and is not deleted with one.
 */
const STORED_PREFIX = "shipped/";

export const shippedPin: PinnedSource = { name: SHIPPED_SOURCE, hash: SHIPPED_HASH };

/** The tools of this release's skills. */
export const shippedTools: readonly OutsideTool[] = SHIPPED.map(({ skill }) => createSkillTool(skill));

/** Returns a tenant's sources with the shipped one, which comes last: of two tools of one name, the first is used. */
export function addShipped(sources: readonly PinnedSource[]): readonly PinnedSource[] {
  return [...sources, shippedPin];
}

/** Finds a skill of this release by its name; undefined if absent. */
export function findShippedSkill(name: string): ShippedSkill | undefined {
  return SHIPPED.find(({ skill }) => skill.name === name);
}

/** Opens the package of a skill of this release by its hash; null for another. */
export function findShippedPackage(hash: string): SkillPackage | null {
  const shipped = SHIPPED.find(({ skill }) => skill.hash === hash);
  if (shipped === undefined) return null;
  const encoder = new TextEncoder();
  const bytes = new Map(shipped.files.map(({ path, text }) => [path, encoder.encode(text)]));
  const files = shipped.files.map(({ path, mode }) => ({ path, mode, size: bytes.get(path)?.length ?? 0 }));
  return openPackage(files, bytes);
}

/** Returns the key of a shipped package. */
export function getShippedPackageKey(hash: string): string {
  return `${STORED_PREFIX}skills/${hash}`;
}

/** Returns the key of a shipped source. */
export function getShippedSourceKey(hash: string): string {
  return `${STORED_PREFIX}tools/${hash}.json`;
}
