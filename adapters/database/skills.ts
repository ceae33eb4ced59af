/**
 * Skills of tenants and their versions. The table of sources writes them, in the transaction that publishes a source.
 */
import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { failed, ok } from "../../core/base/errors.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import type { Skill } from "../../core/skills/skill.ts";
import type { UploadReport, SkillChange, SkillRecord, SkillTable, SkillVersion } from "../../core/ports/skill-table.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { skills, skillVersions } from "./schema.ts";

/** The maximum of the version column. */
const MAX_VERSION = 2_147_483_647;

const NO_SKILL = failed("not_found", "There is no such skill.");

export function skillTable(connection: Connection): SkillTable {
  return {
    async get(tenant, name) {
      const read = await asTenant(connection, tenant, (query) => [
        selectSkills(query, and(eq(skills.tenant, tenant), eq(skills.name, name))),
      ]);
      if (!read.ok) return read;
      const [row] = read.value[0];
      return row === undefined ? NO_SKILL : ok(toRecord(row));
    },

    async page(tenant, { after, limit }) {
      const later = after === null ? undefined : isBefore(skills.createdAt, skills.slug, after);
      const read = await asTenant(connection, tenant, (query) => [
        selectSkills(query, and(eq(skills.tenant, tenant), later))
          .orderBy(desc(skills.createdAt), desc(skills.slug))
          .limit(limit + 1),
      ]);
      if (!read.ok) return read;
      const records = read.value[0].map(toRecord);
      return ok(cutPage(records, limit, ({ createdAt, current }) => ({ at: createdAt, id: current.skill.slug })));
    },

    async versions(tenant, name, { after, limit }) {
      const isThis = and(eq(skillVersions.tenant, tenant), eq(skillVersions.name, name));
      const older = after === null ? undefined : lt(skillVersions.version, Math.min(after.at, MAX_VERSION));
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select()
          .from(skillVersions)
          .where(and(isThis, older))
          .orderBy(desc(skillVersions.version))
          .limit(limit + 1),
        query.select({ name: skillVersions.name }).from(skillVersions).where(isThis).limit(1),
      ]);
      if (!read.ok) return read;
      const [rows, [known]] = read.value;
      if (known === undefined) return NO_SKILL;
      return ok(cutPage(rows.map(toVersion), limit, ({ version }) => ({ at: version, id: "version" })));
    },

    async version(tenant, name, which) {
      const isWhich = typeof which === "number" ? eq(skillVersions.version, which) : eq(skillVersions.hash, which);
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select()
          .from(skillVersions)
          .where(and(eq(skillVersions.tenant, tenant), eq(skillVersions.name, name), isWhich)),
      ]);
      if (!read.ok) return read;
      const [row] = read.value[0];
      return row === undefined ? failed("not_found", "There is no such version of the skill.") : ok(toVersion(row));
    },
  };
}

/**
 * The statements of a change, in order. Each runs only where `stands` is true: in the transaction that published the
 * source.
 */
export function buildSkillWrites(tenant: string, change: SkillChange, at: number, stands: SQL): SQL[] {
  if (change.kind === "remove") {
    const { name } = change;
    return [
      sql`delete from skill_versions where tenant = ${tenant} and name = ${name} and ${stands}`,
      sql`delete from skills where tenant = ${tenant} and name = ${name} and ${stands}`,
    ];
  }
  const { skill, report, files, bytes, by } = change;
  const { name, slug, hash } = skill;
  const now = sql`${new Date(at).toISOString()}::timestamptz`;
  return [
    sql`
      insert into skills (tenant, name, slug, version, created_at, updated_at)
      select ${tenant}::text, ${name}::text, ${slug}::text, 0, ${now}, ${now} where ${stands}
      on conflict do nothing`,
    sql`
      insert into skill_versions (tenant, name, version, hash, skill, report, files, bytes, created_at, created_by)
      select ${tenant}::text, ${name}::text, coalesce(max(version), 0) + 1, ${hash}::text, ${JSON.stringify(skill)}::text,
        ${JSON.stringify(report)}::text, ${files}::int, ${bytes}::int, ${now}, ${by}::text
      from skill_versions where tenant = ${tenant} and name = ${name}
      having ${stands}
      on conflict on constraint skill_versions_hash do nothing`,
    sql`
      update skills set updated_at = ${now}, version =
        (select version from skill_versions where tenant = ${tenant} and name = ${name} and hash = ${hash})
      where tenant = ${tenant} and name = ${name} and ${stands}`,
  ];
}

function selectSkills(query: Query, where: SQL | undefined) {
  const isCurrent = and(
    eq(skillVersions.tenant, skills.tenant),
    eq(skillVersions.name, skills.name),
    eq(skillVersions.version, skills.version),
  );
  const versions = sql<number>`(select count(*)::int from skill_versions as every
    where every.tenant = ${skills.tenant} and every.name = ${skills.name})`;
  return query
    .select({ skill: skills, current: skillVersions, versions })
    .from(skills)
    .innerJoin(skillVersions, isCurrent)
    .where(where)
    .$dynamic();
}

interface Row {
  readonly skill: typeof skills.$inferSelect;
  readonly current: typeof skillVersions.$inferSelect;
  readonly versions: number;
}

function toRecord({ skill, current, versions }: Row): SkillRecord {
  const { name, createdAt, updatedAt } = skill;
  return { name, current: toVersion(current), versions: Number(versions), createdAt, updatedAt };
}

function toVersion(row: typeof skillVersions.$inferSelect): SkillVersion {
  const { version, files, bytes, createdAt, createdBy } = row;
  return {
    version,
    skill: JSON.parse(row.skill) as Skill,
    report: JSON.parse(row.report) as UploadReport,
    files,
    bytes,
    createdAt,
    createdBy,
  };
}
