import { expect, test } from "vitest";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { fnmatch } from "../../../core/lib/fnmatch.ts";
import { checkPackage } from "../../../core/skills/package.ts";
import { SHIPPED, SHIPPED_HASH, type ShippedSkill } from "../../../core/skills/shipped.generated.ts";
import { shippedTools } from "../../../core/tool/shipped-skills.ts";
import { formatSource } from "../../../core/tool/source.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { judgeSkill } from "../../../workers/skills/judge-package.ts";

/** Characters of everything that ships in the Worker. */
const MAX_SHIPPED = 40_000;
const names = catalogue.flatMap(({ name, alsoNamed = [] }) => [name, ...alsoNamed]);

const judge = async ({ skill, files }: ShippedSkill) => {
  const encoder = new TextEncoder();
  const given = checkPackage(
    files.map(({ path, text }) => ({ path: `${skill.name}/${path}`, bytes: encoder.encode(text) })),
  );
  if (!given.ok) throw new Error(given.error.message);
  return await judgeSkill(given.value, names);
};

test.each(SHIPPED.map((shipped) => [shipped.skill.name, shipped] as const))(
  "%s is a skill without a warning, by the rules of an upload",
  async (_, shipped) => {
    const { skill, report } = await judge(shipped);
    expect(report).toEqual({ problems: [], warnings: [], scan: { findings: [], isCut: false } });
    expect(skill).toEqual(shipped.skill);
  },
);

test.each(SHIPPED.map((shipped) => [shipped.skill.name, shipped] as const))(
  "%s names only tools that it allows, and only files that it has",
  (_, { skill, files }) => {
    for (const { path, text } of files.filter(({ path }) => path === "SKILL.md")) {
      const mentioned = names.filter((name) => text.includes(`\`${name}\``));
      const allowed = skill.allowedTools ?? ["*"];
      const missing = mentioned.filter(
        (name) => name !== "ask_human" && !allowed.some((pattern) => fnmatch(name, pattern)),
      );
      expect(
        missing.filter((name) => skill.name !== "skill-writer" || name !== "run_command"),
        path,
      ).toEqual([]);
      for (const [, link = ""] of text.matchAll(/\]\((?!http)([\w./-]+)\)/g)) {
        expect([...files.map((file) => file.path), "chart.svg"]).toContain(link);
      }
    }
  },
);

test("the shipped source matches its hash, and is small", async () => {
  expect(await sha256Hex(formatSource(shippedTools))).toBe(SHIPPED_HASH);
  expect(JSON.stringify(SHIPPED).length).toBeLessThan(MAX_SHIPPED);
  expect(SHIPPED.map(({ skill }) => skill.name)).toEqual(["data-report", "meeting-notes", "skill-writer"]);
});
