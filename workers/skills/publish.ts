/**
 * Publishes a tenant's skills. Each change starts from the current source, and is retried if another change came
 * first. The rows change together with the source.
 */
import { toolSourcesFromEnv } from "../../adapters/env/tool-sources.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { SKILLS_SOURCE, createSkillTool } from "../../core/tool/skill-tool.ts";
import { MAX_SKILLS, type SkillChange } from "../../core/ports/skill-table.ts";
import type { OutsideTool } from "../../core/tool/source.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";

/** Retries when another change came first. Of several concurrent changes, one succeeds each time. */
const MAX_TRIES = 30;

/** Publishes the change for later tasks. The package has to be stored before. */
export async function changeSkill(c: AppContext, change: SkillChange, act: AuditEntry): Promise<Result<void>> {
  const sources = toolSourcesFromEnv(c.env);
  const tenant = getTenant(c);
  for (let tries = 1; ; tries += 1) {
    const records = await sources.all(tenant);
    if (!records.ok) return records;
    const record = records.value.find(({ name }) => name === SKILLS_SOURCE);
    const present = record?.hash == null ? ok([]) : await sources.read(tenant, record.hash);
    if (!present.ok) return present;
    const tools = buildTools(present.value, change);
    if (tools.length > MAX_SKILLS)
      return failed("quota_exceeded", `A tenant can have at most ${MAX_SKILLS} skills of its own. Delete one first.`);
    const source = { name: SKILLS_SOURCE, tools, ifVersion: record?.version ?? 0, skill: change };
    const published = await sources.publish(tenant, source, act);
    if (published.ok) return ok(undefined);
    if (published.error.field !== "ifVersion" || tries === MAX_TRIES) return published;
  }
}

/** Returns the tools by name, with the skill's tool added, replaced or removed. */
function buildTools(present: readonly OutsideTool[], change: SkillChange): OutsideTool[] {
  const name = change.kind === "put" ? change.skill.name : change.name;
  const others = present.filter(({ origin }) => origin.kind !== "skill" || origin.skill.name !== name);
  const after = change.kind === "put" ? [...others, createSkillTool(change.skill)] : others;
  return after.sort((a, b) => (a.name < b.name ? -1 : 1));
}
