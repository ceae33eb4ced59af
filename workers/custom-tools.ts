/** The tools that a tenant defines by itself: each change is made from what is there, and made again when another was first. */
import { databaseFromEnv, patternsFromEnv, toolSourcesFromEnv } from "../adapters/from-env.ts";
import { CUSTOM_SOURCE, type CustomTool, customTool, MAX_CUSTOM_TOOLS, readDefinition } from "../core/custom-tool.ts";
import type { AuditEntry } from "../core/audit-entry.ts";
import { failed, ok, type Result } from "../core/errors.ts";
import type { DefinedTool, OutsideTool } from "../core/tool-source.ts";
import { meterWork } from "./charge-cost.ts";
import type { AppContext } from "./context.ts";
import { tenantOf } from "./task-access.ts";

/** How often a change is made again when another was first: of so many at once, one at least gets through each time. */
const MAX_TRIES = 30;

/** What a change does to one tool; a null definition takes it away. */
interface Change {
  readonly name: string;
  readonly definition: CustomTool | null;
}

/** The present definitions of the tenant, by name. */
async function definitionsOf(c: AppContext): Promise<Result<ReadonlyMap<string, DefinedTool>>> {
  const read = await databaseFromEnv(c.env).toolSources.definitions(tenantOf(c));
  return read.ok ? ok(new Map(read.value.map((defined) => [defined.name, defined]))) : read;
}

/**
 * Changes the tenant's definitions and publishes them: tasks that are made after this have what they say. `decide` is given
 * what there is; null changes no definition, and publishes what they are in this release.
 */
export async function changeDefinitions(
  c: AppContext,
  decide: (present: ReadonlyMap<string, DefinedTool>) => Result<Change | null>,
  act: AuditEntry,
): Promise<Result<void>> {
  const sources = toolSourcesFromEnv(c.env);
  const tenant = tenantOf(c);
  for (let tries = 1; ; tries += 1) {
    const records = await sources.all(tenant);
    if (!records.ok) return records;
    const ifVersion = records.value.find(({ name }) => name === CUSTOM_SOURCE)?.version ?? 0;
    const present = await definitionsOf(c);
    if (!present.ok) return present;
    const change = decide(present.value);
    if (!change.ok) return change;
    const tools = await toolsAfter(c, present.value, change.value);
    if (!tools.ok) return tools;
    const definitions = change.value === null ? [] : [written(change.value)];
    const source = { name: CUSTOM_SOURCE, tools: tools.value, ifVersion, definitions };
    const published = await sources.publish(tenant, source, act);
    if (published.ok) return ok(undefined);
    if (published.error.field !== "ifVersion" || tries === MAX_TRIES) return published;
  }
}

function written({ name, definition }: Change) {
  return { name, definition: definition === null ? null : JSON.stringify(definition) };
}

/**
 * Returns the tenant's own tools after a change, by name, each made in a turn of its own. A tool that this release cannot
 * read is omitted.
 */
async function toolsAfter(
  c: AppContext,
  present: ReadonlyMap<string, DefinedTool>,
  change: Change | null,
): Promise<Result<readonly OutsideTool[]>> {
  const after = new Map<string, CustomTool>();
  for (const { name, definition } of present.values()) {
    if (definition !== null) after.set(name, readDefinition(definition));
  }
  if (change?.definition === null) after.delete(change.name);
  else if (change !== null) after.set(change.name, change.definition);
  if (after.size > MAX_CUSTOM_TOOLS)
    return failed("quota_exceeded", `A tenant defines at most ${MAX_CUSTOM_TOOLS} tools by itself.`);
  const patterns = patternsFromEnv(c.env);
  const { giveWay } = meterWork(c.env, tenantOf(c));
  const made: OutsideTool[] = [];
  for (const [name, definition] of [...after].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const tool = customTool(definition, patterns);
    if (tool.ok) made.push(tool.value);
    else if (name === change?.name) return tool;
    await giveWay();
  }
  return ok(made);
}
