/** Packages of skills in memory, by their hash. They pass the same contract as those of the bucket. */
import { failed, ok } from "../../core/errors.ts";
import { hasShebang, openPackage } from "../../core/skills/package.ts";
import type { SkillsPort } from "../../core/skills/port.ts";
import { shippedPackage } from "../../core/skills/shipped.ts";
import { type Skill, SKILL_FILE, skillSlug } from "../../core/skills/skill.ts";

/** A skill that says nothing but what it is given. */
export function skillOf(name: string, change: Partial<Skill> = {}): Skill {
  return {
    name,
    slug: skillSlug(name),
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

/** `packages`: by hash, the content of each file by its path. What ships is there beside them. */
export function fakeSkills(
  packages: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>> = {
    "hash-of-data-report": EXAMPLE_FILES,
  },
): SkillsPort {
  return {
    async open(hash) {
      const shipped = shippedPackage(hash);
      if (shipped !== null) return ok(shipped);
      const files = packages[hash];
      if (files === undefined) return failed("not_found", "There is no such skill.");
      const bytes = new Map(Object.entries(files).map(([path, content]) => [path, bytesOf(content)]));
      const entries = [...bytes]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, content]) => {
          return { path, size: content.length, mode: hasShebang(content) ? 0o755 : 0o644 };
        });
      return ok(openPackage(entries, bytes));
    },
  };
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}
