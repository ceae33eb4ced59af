/**
 * The folders of loaded skills in a cage: `/skill/<name>` for each, in the order in which they were loaded. The sidecar
 * links the entries of the last one into the working folder, and those of a single one into `/skill`.
 */
import { toStream } from "../base/byte-stream.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import type { ScriptFile } from "../ports/scripts.ts";
import type { SkillPackage, SkillsPort } from "../ports/skills.ts";
import type { Skill } from "./skill.ts";

/** Limit of all packages of one run, which are in the Worker's memory of 128 MB while they are sent. */
const MAX_FOLDER_BYTES = 32_000_000;

/** The files of `/skill`, and the variables of a program that has them. */
export interface SkillFolders {
  readonly files: readonly ScriptFile[];
  readonly env: Readonly<Record<string, string>>;
}

/** Returns the path of a skill's file in the cage. */
export function getCagedPath({ name }: Pick<Skill, "name">, path: string): string {
  return `/skill/${name}/${path}`;
}

/** The skills in force in the order of their loading; `last` comes last. For a call without a task, `last` alone. */
export function orderSkills(
  pinned: readonly Skill[],
  inForce: readonly string[] | null,
  last: Skill | null = null,
): readonly Skill[] {
  const loaded = (inForce ?? []).flatMap((hash) => pinned.find((skill) => skill.hash === hash) ?? []);
  const others = loaded.filter(({ name }) => name !== last?.name);
  return last === null ? others : [...others, last];
}

/**
 * Opens the packages of these skills. From the last one on, those that exceed the limit together are left out; the last
 * itself never is. Fails if a package cannot be read.
 */
export async function openSkillFolders(skills: readonly Skill[], port: SkillsPort): Promise<Result<SkillFolders>> {
  const folders: ScriptFile[][] = [];
  let bytes = 0;
  for (const skill of skills.toReversed()) {
    const opened = await port.open(skill.hash);
    if (!opened.ok) return opened;
    bytes += opened.value.files.reduce((sum, { size }) => sum + size, 0);
    if (bytes > MAX_FOLDER_BYTES && folders.length > 0) break;
    folders.unshift(placeFiles(skill, opened.value));
  }
  const last = skills.at(-1);
  return ok({ files: folders.flat(), env: last === undefined ? {} : { SKILL_DIR: `/skill/${last.name}` } });
}

function placeFiles({ name }: Skill, opened: SkillPackage): ScriptFile[] {
  return opened.files.map(({ path, size, mode }) => ({
    path: `${name}/${path}`,
    size,
    mode,
    open: async (): Promise<Result<ReadableStream<Uint8Array>>> => {
      const read = opened.read(path);
      return read.ok ? ok(toStream(read.value)) : failed(read.error.code, read.error.message);
    },
  }));
}
