/**
 * Links the entries of skills, so that `python scripts/x.py` of a skill's text works in the working directory, and
 * `/skill/scripts/x.py` where there is one skill. A skill is a folder with a SKILL.md below the skills' folder. Requests
 * of an earlier release have one skill's files in that folder itself, and get no links.
 */
import { lstatSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const SKILL_FILE = "SKILL.md";

/** Finds the names of the skills among the files of the skills' folder, in the order of the files. */
export function findSkillNames(paths: readonly string[]): readonly string[] {
  if (paths.includes(SKILL_FILE)) return [];
  const names = paths.flatMap((path) => /^([^/]+)\/SKILL\.md$/.exec(path)?.[1] ?? []);
  const order = paths.map((path) => path.slice(0, path.indexOf("/")));
  return [...new Set(order)].filter((name) => names.includes(name));
}

/** Links the entries of a single skill into the skills' folder. */
export function linkSingleSkill(skillsFolder: string, names: readonly string[]): void {
  const [name, ...others] = names;
  if (name === undefined || others.length > 0) return;
  for (const entry of readdirSync(join(skillsFolder, name)))
    if (entry !== name) symlinkSync(`${name}/${entry}`, join(skillsFolder, entry));
}

/**
 * Links the entries of a skill into the working directory, where it lacks them. `seenAt` is the skill's folder as the
 * program sees it. Returns the target of each link by its path from the work folder.
 */
export function linkIntoWork(
  skillFolder: string,
  seenAt: string,
  { work, cwd }: { readonly work: string; readonly cwd: string },
): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  for (const entry of readdirSync(skillFolder)) {
    const path = cwd === "" ? entry : `${cwd}/${entry}`;
    if (lstatSync(join(work, path), { throwIfNoEntry: false }) !== undefined) continue;
    const target = `${seenAt}/${entry}`;
    symlinkSync(target, join(work, path));
    links.set(path, target);
  }
  return links;
}
