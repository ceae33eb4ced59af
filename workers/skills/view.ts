/** Formats skills for the API. */
import { z } from "zod";
import { formatNote, type SkillNote } from "../../core/skills/head.ts";
import type { SkillDifference } from "../../core/skills/difference.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import type { SkillPackage } from "../../core/ports/skills.ts";
import type { Skill } from "../../core/skills/skill.ts";
import type { UploadReport, SkillRecord, SkillVersion } from "../../core/ports/skill-table.ts";
import { unwrap } from "../http/unwrap.ts";
import { iso } from "../../core/base/iso.ts";

const time = z.iso.datetime();
const texts = z.array(z.string());

const noteSchema = z.strictObject({
  file: z.string(),
  line: z.int().nullable(),
  field: z.string().nullable().describe("The field of the head with the problem."),
  message: z.string().describe("The problem with its position: `SKILL.md:3: description is missing`."),
});

const scanSchema = z
  .strictObject({
    findings: z.array(
      noteSchema.extend({
        kind: z.enum(["network", "environment", "other_files", "programs", "made_code", "hidden_characters"]),
      }),
    ),
    is_cut: z.boolean().describe("True if the list is incomplete."),
  })
  .describe("Lines to review before you trust the skill. They do not block an upload.");

const scriptSchema = z.strictObject({
  name: z.string(),
  path: z.string(),
  description: z.string(),
  timeout_s: z.int().nullable(),
  network: z.boolean(),
  read_only: z.boolean().describe("True for a read-only script: its changes are discarded."),
});

const fields = {
  name: z.string(),
  slug: z.string().describe("The name of the skill's tool."),
  description: z.string(),
  hash: z.string().describe("SHA-256 of the package: its paths, modes and bytes."),
  allowed_tools: texts.nullable().describe("fnmatch patterns; null if unrestricted."),
  scripts: z.array(scriptSchema),
  category: z.string().nullable(),
  stated_version: z.string().nullable().describe("The version in the head."),
  author: z.string().nullable(),
  tags: texts,
  license: z.string().nullable(),
  compatibility: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
};

export const skillSchema = z
  .strictObject({
    ...fields,
    source: z.enum(["own", "otto"]).describe("`otto`: shipped with Otto."),
    version: z.int().nullable().describe("Null for a shipped skill."),
    versions: z.int(),
    created_at: time.nullable(),
    updated_at: time.nullable(),
  })
  .meta({ id: "Skill" });

const fileSchema = z.strictObject({
  path: z.string(),
  size: z.int(),
  mode: z.string(),
  hash: z.string().describe("SHA-256 of its bytes, in hex."),
});

export const skillDetailSchema = skillSchema
  .extend({ instructions: z.string(), files: z.array(fileSchema), warnings: z.array(noteSchema), scan: scanSchema })
  .meta({ id: "SkillDetail" });

export const skillVersionSchema = z
  .strictObject({
    ...fields,
    version: z.int().nullable(),
    is_current: z.boolean(),
    created_at: time.nullable(),
    created_by: z.string().nullable(),
  })
  .meta({ id: "SkillVersion" });

export const versionDetailSchema = skillVersionSchema
  .extend({ instructions: z.string(), files: z.array(fileSchema), warnings: z.array(noteSchema), scan: scanSchema })
  .meta({ id: "SkillVersionDetail" });

export const differenceSchema = z
  .strictObject({
    widens: z.boolean().describe("True if it has more permissions than before. Review changed scripts yourself."),
    allowed_tools: z.strictObject({
      before: texts.nullable(),
      after: texts.nullable(),
      added: texts,
      removed: texts,
    }),
    scripts: z.strictObject({
      added: texts,
      removed: texts,
      changed: texts,
      network_added: texts,
      network_removed: texts,
    }),
    said: texts.describe("One sentence for each difference."),
  })
  .meta({ id: "SkillDifference" });

export const uploadedSchema = z
  .strictObject({
    skill: skillSchema,
    outcome: z.enum(["created", "updated", "unchanged", "restored"]),
    warnings: z.array(noteSchema),
    scan: scanSchema,
    difference: differenceSchema.nullable().describe("Changes since the previous version; null without one."),
  })
  .meta({ id: "UploadedSkill" });

export const verdictSchema = z
  .strictObject({
    valid: z.boolean(),
    skill: z.strictObject(fields).nullable(),
    problems: z.array(noteSchema).describe("The problems that prevent an upload."),
    warnings: z.array(noteSchema),
    scan: scanSchema,
    difference: differenceSchema.nullable().describe("Changes since the current version; null without one."),
    question: z
      .string()
      .nullable()
      .describe("Whether it replaces the skill of another publisher; null: there is nothing to ask."),
  })
  .meta({ id: "SkillVerdict" });

export function toFields(skill: Skill): z.infer<z.ZodObject<typeof fields>> {
  const { name, slug, description, hash, category, author, license, compatibility } = skill;
  return {
    name,
    slug,
    description,
    hash,
    allowed_tools: skill.allowedTools === null ? null : [...skill.allowedTools],
    scripts: skill.scripts.map(({ timeoutS, readOnly = false, ...script }) => ({
      ...script,
      timeout_s: timeoutS,
      read_only: readOnly,
    })),
    category,
    stated_version: skill.version,
    author,
    tags: [...skill.tags],
    license,
    compatibility,
    metadata: { ...skill.metadata },
  };
}

export function toOwnView({ current, versions, createdAt, updatedAt }: SkillRecord): z.infer<typeof skillSchema> {
  const [created_at, updated_at] = [iso(createdAt), iso(updatedAt)];
  return { ...toFields(current.skill), source: "own", version: current.version, versions, created_at, updated_at };
}

export function toShippedView(skill: Skill): z.infer<typeof skillSchema> {
  const times = { created_at: null, updated_at: null };
  return { ...toFields(skill), source: "otto", version: null, versions: 1, ...times };
}

/** `current` is the hash of the published version. */
export function toVersionView(skill: Skill, kept: SkillVersion | null, current: string) {
  return {
    ...toFields(skill),
    version: kept?.version ?? null,
    is_current: skill.hash === current,
    created_at: kept === null ? null : iso(kept.createdAt),
    created_by: kept?.createdBy ?? null,
  };
}

export function toNotesView(notes: readonly SkillNote[]): z.infer<typeof noteSchema>[] {
  return notes.map((note) => ({ file: note.file, line: note.line, field: note.field, message: formatNote(note) }));
}

export function toReportView({ warnings, scan }: UploadReport) {
  const findings = scan.findings.map(({ kind, ...note }) => ({ ...note, message: formatNote(note), kind }));
  return { warnings: toNotesView(warnings), scan: { findings, is_cut: scan.isCut } };
}

export async function toFilesView(opened: SkillPackage): Promise<z.infer<typeof fileSchema>[]> {
  return await Promise.all(
    opened.files.map(async ({ path, size, mode }) => {
      const bytes = unwrap(opened.read(path));
      return { path, size, mode: mode.toString(8).padStart(4, "0"), hash: await sha256Hex(bytes) };
    }),
  );
}

export function toDifferenceView({
  widens,
  allowedTools,
  scripts,
  said,
}: SkillDifference): z.infer<typeof differenceSchema> {
  const listed = (list: readonly string[] | null) => (list === null ? null : [...list]);
  const { before, after, added, removed } = allowedTools;
  return {
    widens,
    allowed_tools: { before: listed(before), after: listed(after), added: [...added], removed: [...removed] },
    scripts: {
      added: [...scripts.added],
      removed: [...scripts.removed],
      changed: [...scripts.changed],
      network_added: [...scripts.networkAdded],
      network_removed: [...scripts.networkRemoved],
    },
    said: [...said],
  };
}
