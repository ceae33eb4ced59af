/** Creates skills and packages from texts. */
import { failed, ok } from "../../core/base/errors.ts";
import type { SkillsPort } from "../../core/ports/skills.ts";
import { type Skill, SKILL_FILE, toSkillSlug } from "../../core/skills/skill.ts";

/** Creates a skill with only the given fields. */
export function makeSkill(name: string, change: Partial<Skill> = {}): Skill {
  return {
    name,
    slug: toSkillSlug(name),
    description: `What ${name} does.`,
    hash: `hash-of-${name}`,
    allowedTools: null,
    scripts: [],
    category: null,
    version: null,
    author: null,
    tags: [],
    license: null,
    compatibility: null,
    metadata: {},
    ...change,
  };
}

/** The skills in the tools' examples. */
export const EXAMPLE_SKILLS: readonly Skill[] = [
  makeSkill("data-report", {
    scripts: [
      { name: "report.py", path: "scripts/report.py", description: "Makes it.", timeoutS: null, network: false },
    ],
  }),
];

const EXAMPLE_FILES = {
  [SKILL_FILE]: "---\nname: data-report\ndescription: A report.\n---\n\nMake a report.\n",
  "references/errors.md": "# Figures\n",
  "scripts/report.py": "#!/usr/bin/env python3\n",
};

/** `packages` holds the text of each file by path, by hash. */
export function skillsOfTexts(
  packages: Readonly<Record<string, Readonly<Record<string, string>>>> = { "hash-of-data-report": EXAMPLE_FILES },
): SkillsPort {
  return {
    async open(hash) {
      const files = packages[hash];
      if (files === undefined) return failed("not_found", "There is no such skill.");
      const bytesOf = (path: string) => new TextEncoder().encode(files[path] ?? "");
      return ok({
        files: Object.keys(files)
          .sort()
          .map((path) => ({ path, size: bytesOf(path).length, mode: path.startsWith("scripts/") ? 0o755 : 0o644 })),
        text: files[SKILL_FILE] ?? "",
        read: (path) => (files[path] === undefined ? failed("not_found", `There is no ${path}.`) : ok(bytesOf(path))),
      });
    },
  };
}
