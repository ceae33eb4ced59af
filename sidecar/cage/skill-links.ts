/**
 * Links the entries of skills, so that `python scripts/x.py` of a skill's text works in the working directory, and
 * `/skill/scripts/x.py` where there is one skill. A skill is a folder with a SKILL.md below the skills' folder. Requests
 * of an earlier release have one skill's files in that folder itself, and get no links.
 */
import { chmodSync, existsSync, lstatSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SKILL_FILE = "SKILL.md";
/** In the skills' folder, so that it is neither in a repository nor among the program's changes. */
const EXCLUDED = ".git-exclude";

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

/**
 * Keeps the links out of the program's repository: `git add -A` would commit them. Returns the variables that have git
 * read the list (https://git-scm.com/docs/git-config#ENVIRONMENT). `seenAt` is the skills' folder as the program sees it.
 */
export function excludeFromGit(
  links: ReadonlyMap<string, string>,
  { skillsFolder, seenAt }: { readonly skillsFolder: string; readonly seenAt: string },
  { work, cwd }: { readonly work: string; readonly cwd: string },
): Readonly<Record<string, string>> {
  if (links.size === 0) return {};
  const root = findRepositoryRoot(work, cwd);
  // A link is no folder to git: one that takes its place is not excluded.
  const lines = [...links.keys()].map((path) => {
    const pattern = `/${escapePattern(root === "" ? path : path.slice(root.length + 1))}`;
    return `${pattern}\n!${pattern}/\n`;
  });
  const file = join(skillsFolder, EXCLUDED);
  writeFileSync(file, lines.join(""));
  chmodSync(file, 0o644);
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.excludesFile",
    GIT_CONFIG_VALUE_0: `${seenAt}/${EXCLUDED}`,
  };
}

/** The nearest folder with a repository, otherwise the working directory, where a program would make one. */
function findRepositoryRoot(work: string, cwd: string): string {
  for (let folder = cwd; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    if (existsSync(join(work, folder, ".git"))) return folder;
    if (folder === "") return cwd;
  }
}

/** Escapes a name for a list of patterns (https://git-scm.com/docs/gitignore#_pattern_format). */
function escapePattern(path: string): string {
  return path.replaceAll(/[\\*?[ ]/g, String.raw`\$&`);
}
