/**
 * Writes `core/skills/shipped.generated.ts`, the skills that ship with Otto, from the folders of `skills/`.
 * With `--check` it writes nothing and fails when the file is stale.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { sha256Hex } from "../core/base/sha256.ts";
import { formatNote } from "../core/skills/head.ts";
import { hashPackage, checkPackage, writePackage } from "../core/skills/package.ts";
import { readSkill } from "../core/skills/read-skill.ts";
import { createSkillTool } from "../core/tool/skill-tool.ts";
import { type Skill, SKILL_FILE } from "../core/skills/skill.ts";
import { formatSource } from "../core/tool/source.ts";
import { readSkillText } from "../workers/skills/read-head.ts";

const GENERATED_PATH = "core/skills/shipped.generated.ts";
const FOLDER = "skills";

interface Shipped {
  readonly skill: Skill;
  readonly files: readonly { readonly path: string; readonly mode: number; readonly text: string }[];
}

/** The file's source for these skills. Throws when a folder holds no skill. */
async function renderShipped(root: string): Promise<string> {
  const entries = readdirSync(join(root, FOLDER), { withFileTypes: true });
  const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  const shipped = await Promise.all(names.map((name) => readShipped(root, name)));
  const hash = await sha256Hex(formatSource(shipped.map(({ skill }) => createSkillTool(skill))));
  return [
    "/** The skills of `skills/`. Written by `npm run skills`; not edited by hand. */",
    'import type { Skill } from "./skill.ts";',
    "",
    "/** A skill of this release, whole. */",
    "export interface ShippedSkill {",
    "  readonly skill: Skill;",
    "  readonly files: readonly { readonly path: string; readonly mode: number; readonly text: string }[];",
    "}",
    "",
    "/** Of their tools, as a source. */",
    `export const SHIPPED_HASH = "${hash}";`,
    "",
    `export const SHIPPED: readonly ShippedSkill[] = ${JSON.stringify(shipped, null, 2)};`,
    "",
  ].join("\n");
}

async function readShipped(root: string, name: string): Promise<Shipped> {
  const folder = join(root, FOLDER, name);
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
  const given = checkPackage(
    paths.map((path) => ({ path: `${name}/${path}`, bytes: new Uint8Array(readFileSync(join(folder, path))) })),
  );
  if (!given.ok) throw new Error(`${FOLDER}/${name}: ${given.error.message}`);
  const { files } = given.value;
  const text = readSkillText(files.find(({ path }) => path === SKILL_FILE)?.bytes ?? new Uint8Array());
  if (!text.ok) throw new Error(`${FOLDER}/${name}/${formatNote(text.problem)}`);
  const { skill, problems } = readSkill(text.text, files, name);
  if (skill === null) throw new Error(problems.map((note) => `${FOLDER}/${name}/${formatNote(note)}`).join("\n"));
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return {
    skill: { ...skill, hash: await hashPackage(writePackage(files)) },
    files: files.map(({ path, mode, bytes }) => ({ path, mode, text: decoder.decode(bytes) })),
  };
}

/** Whether the committed file is what the folders make. */
async function shippedIsFresh(root: string): Promise<boolean> {
  return readFileSync(join(root, GENERATED_PATH), "utf8") === (await renderShipped(root));
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  if (!process.argv.includes("--check")) {
    writeFileSync(join(root, GENERATED_PATH), await renderShipped(root));
    console.log(`Wrote ${GENERATED_PATH}.`);
  } else if (!(await shippedIsFresh(root))) {
    console.error(`${GENERATED_PATH} is stale: run \`npm run skills\`.`);
    process.exitCode = 1;
  }
}
