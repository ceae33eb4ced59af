/** Formats a skill for a model: its instructions, files and scripts. */
import type { SkillPackage } from "../ports/skills.ts";
import { listScripts } from "./find-scripts.ts";
import { type Skill, SKILL_FILE, getSkillInstructions } from "./skill.ts";

/** The text of a skill's package. Deterministic. */
export function formatSkill(
  skill: Pick<Skill, "name" | "scripts" | "declaresNoScripts">,
  opened: SkillPackage,
): string {
  const { text, files } = opened;
  const scripts = listScripts(skill, opened);
  const ran = new Set(scripts.map(({ path }) => path));
  const others = files.filter(({ path }) => path !== SKILL_FILE && !ran.has(path)).map(({ path }) => path);
  return [
    `# Skill: ${skill.name}`,
    getSkillInstructions(text).trim(),
    ...(others.length === 0 ? [] : [`Files of this skill, which load_skill reads one by one: ${others.join(", ")}`]),
    ...(scripts.length === 0
      ? []
      : [["Scripts of this skill, which run_skill_script runs:", ...scripts.map(formatScript)].join("\n")]),
  ].join("\n\n");
}

function formatScript({ name, description }: Skill["scripts"][number]): string {
  return description === "" ? `- ${name}` : `- ${name}: ${description}`;
}
