/** A skill as a model reads it: its instructions, and what else there is of it. */
import type { SkillPackage } from "../ports/skills.ts";
import { type Skill, SKILL_FILE, skillInstructions } from "./skill.ts";

/** The text of a skill's package, the same each time. */
export function skillText({ name, scripts }: Pick<Skill, "name" | "scripts">, { text, files }: SkillPackage): string {
  const ran = new Set(scripts.map(({ path }) => path));
  const others = files.filter(({ path }) => path !== SKILL_FILE && !ran.has(path)).map(({ path }) => path);
  return [
    `# Skill: ${name}`,
    skillInstructions(text).trim(),
    ...(others.length === 0 ? [] : [`Files of this skill, which load_skill reads one by one: ${others.join(", ")}`]),
    ...(scripts.length === 0
      ? []
      : [["Scripts of this skill, which run_skill_script runs:", ...scripts.map(scriptLine)].join("\n")]),
  ].join("\n\n");
}

function scriptLine({ name, description }: Skill["scripts"][number]): string {
  return description === "" ? `- ${name}` : `- ${name}: ${description}`;
}
