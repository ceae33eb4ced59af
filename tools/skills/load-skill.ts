import { z } from "zod";
import { toSkillInForce } from "../../core/task/skills-in-force.ts";
import type { SkillPackage } from "../../core/ports/skills.ts";
import { listScripts } from "../../core/skills/find-scripts.ts";
import { formatSkill } from "../../core/skills/skill-text.ts";
import { control, defineTool, failure, failWith } from "../define-tool.ts";
import { pinnedSkill } from "./pinned-skill.ts";

/** Characters of one answer. */
const MAX_CHARACTERS = 40_000;
/** Names that a refusal lists. */
const MAX_LISTED = 100;

export default defineTool({
  name: "load_skill",
  summary:
    "Bring a skill's instructions into the task, or read one of its files. If the skill lists tools, you keep only those.",
  toolbox: "skills",
  category: "control",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: ["skills"],
  steers: true,
  aliases: { skill_name: "name" },
  input: z.object({
    name: z.string().trim().min(1).max(200).describe("e.g. data-report"),
    file: z.string().min(1).max(300).optional().describe("A file to read, e.g. references/errors.md"),
    offset: z.int().min(0).default(0).describe("Character to go on at"),
  }),
  output: z.object({
    name: z.string(),
    hash: z.string(),
    file: z.string().nullable(),
    characters: z.int().describe("Of the whole text"),
    files: z.array(z.string()),
    scripts: z.array(z.string()),
  }),
  async run({ name, file, offset }, { skills, taskSkills }) {
    const found = pinnedSkill(name, taskSkills, "name");
    if (!found.ok) return failWith(found.error);
    const skill = found.value;
    const opened = await skills.open(skill.hash);
    if (!opened.ok) return failWith(opened.error);
    const text = file === undefined ? formatSkill(skill, opened.value) : fileText(file, opened.value);
    if (text === null) return failure("invalid_input", noFile(file ?? "", opened.value), { field: "file" });
    return control({
      kind: "load",
      skill: toSkillInForce(skill, "load"),
      result: {
        name: skill.name,
        hash: skill.hash,
        file: file ?? null,
        characters: text.length,
        files: opened.value.files.map(({ path }) => path),
        scripts: listScripts(skill, opened.value).map((script) => script.name),
      },
      content: partOf(text, offset),
    });
  },
  show: ({ name }) => name,
  examples: [
    { note: "the instructions", given: { name: "data-report" } },
    { note: "a file that they speak of", given: { name: "data-report", file: "references/errors.md" } },
  ],
});

/** Null: there is no such file, or it is no text. */
function fileText(path: string, opened: SkillPackage): string | null {
  const read = opened.read(path.replace(/^\.\//, ""));
  if (!read.ok) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(read.value);
  } catch {
    return null;
  }
}

function noFile(path: string, { files }: SkillPackage): string {
  const listed = files.slice(0, MAX_LISTED).map((file) => file.path);
  return `The skill has no text file ${path.slice(0, 100)}. It has: ${listed.join(", ")}.`;
}

/** What is shown of a text: at most so many characters from a place on, and where to go on. */
function partOf(text: string, offset: number): string {
  const part = text.slice(offset, offset + MAX_CHARACTERS).toWellFormed();
  const end = offset + part.length;
  return end >= text.length ? part : `${part}\n\n(${text.length - end} more characters, offset ${end}.)`;
}
