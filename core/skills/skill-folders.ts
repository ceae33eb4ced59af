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
  /** Folders that the program lacks, with the reason. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
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
 * Opens the packages of these skills from the last one on, and leaves out those that cannot be read, and all further
 * ones from the first that exceeds the limit. `known` is a package that was opened before, by its hash.
 */
export async function openSkillFolders(
  skills: readonly Skill[],
  port: SkillsPort,
  known: ReadonlyMap<string, SkillPackage> = new Map(),
): Promise<SkillFolders> {
  const placed: { readonly name: string; readonly files: readonly ScriptFile[] }[] = [];
  const refused: { readonly path: string; readonly why: string }[] = [];
  let bytes = 0;
  for (const skill of skills.toReversed()) {
    const path = `/skill/${skill.name}`;
    if (bytes > MAX_FOLDER_BYTES) {
      refused.push({ path, why: TOO_LARGE });
      continue;
    }
    const found = known.get(skill.hash);
    const opened = found === undefined ? await port.open(skill.hash) : ok(found);
    if (!opened.ok) {
      refused.push({ path, why: `it was left out: ${opened.error.message}` });
      continue;
    }
    bytes += opened.value.files.reduce((sum, { size }) => sum + size, 0);
    if (bytes > MAX_FOLDER_BYTES && placed.length > 0) refused.push({ path, why: TOO_LARGE });
    else placed.unshift({ name: skill.name, files: placeFiles(skill, opened.value) });
  }
  const last = placed.at(-1);
  return {
    files: placed.flatMap(({ files }) => files),
    env: last === undefined ? {} : { SKILL_DIR: `/skill/${last.name}` },
    refused,
  };
}

const TOO_LARGE = `it was left out: the loaded skills have more than ${MAX_FOLDER_BYTES / 1_000_000} MB together, and the last ones go first.`;

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
