/** Skills and packages made of texts. */
import { failed, ok } from "../../core/base/errors.ts";
import type { SkillsPort } from "../../core/ports/skills.ts";
import { type Skill, SKILL_FILE, toSkillSlug } from "../../core/skills/skill.ts";

/** A skill that says nothing but what it is given. */
export function skillOf(name: string, change: Partial<Skill> = {}): Skill {
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

/** The skills that the tools' examples speak of. */
export const EXAMPLE_SKILLS: readonly Skill[] = [
  skillOf("data-report", {
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

/** `packages`: by hash, the text of each file by its path. */
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
