/**
 * Finds the scripts of a skill whose head declares none: every file below `scripts/` that something can run, and every
 * other file with a first line (`#!`) or a known extension. A declaration narrows them.
 */
import type { SkillPackage } from "../ports/skills.ts";
import { findInterpreter, isScript } from "./interpreter.ts";
import { SCRIPTS_FOLDER, type Skill, type SkillScript, splitSkill } from "./skill.ts";

const FOLDERS_OF_OTHERS = /(?:^|\/)node_modules\//;

/** Lists the scripts among these files, in their order. Names are unique: the path without `scripts/`. */
export function findScripts(files: Iterable<{ readonly path: string; readonly bytes: Uint8Array }>): SkillScript[] {
  const found = new Map<string, SkillScript>();
  const others: SkillScript[] = [];
  for (const { path, bytes } of files) {
    if (!isScript(path, bytes) || FOLDERS_OF_OTHERS.test(path) || !findInterpreter(path, bytes).ok) continue;
    const isBelow = path.startsWith(SCRIPTS_FOLDER);
    const name = isBelow ? path.slice(SCRIPTS_FOLDER.length) : path;
    const script = { name, path, description: "", timeoutS: null, network: false };
    if (isBelow) found.set(name, script);
    else others.push(script);
  }
  for (const script of others) {
    const name = found.has(script.name) ? `./${script.path}` : script.name;
    found.set(name, { ...script, name });
  }
  return [...found.values()];
}

/** The scripts of a version. One that an earlier release stored lists none that its head does not declare. */
export function listScripts(
  { scripts, declaresNoScripts }: Pick<Skill, "scripts" | "declaresNoScripts">,
  opened: SkillPackage,
): readonly SkillScript[] {
  if (scripts.length > 0 || declaresNoScripts === true || hadScripts(opened.text)) return scripts;
  return findScripts(readFiles(opened));
}

/** Whether the head of a version that an earlier release stored has the field. */
function hadScripts(text: string): boolean {
  return /^(?:scripts|"scripts"|'scripts')[ \t]*:/m.test(splitSkill(text)?.head ?? "");
}

function* readFiles(opened: SkillPackage) {
  for (const { path } of opened.files) {
    const read = opened.read(path);
    if (read.ok) yield { path, bytes: read.value };
  }
}
