/** The tools that a tenant defines by itself: each change is made from what is there, and made again when another was first. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { toolSourcesFromEnv } from "../../adapters/env/tool-sources.ts";
import {
  CUSTOM_SOURCE,
  type CustomTool,
  createCustomTool,
  MAX_CUSTOM_TOOLS,
  parseDefinition,
} from "../../core/custom-tools/custom-tool.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { DefinedTool, OutsideTool } from "../../core/tool/source.ts";
import { meterWork } from "../http/charge-cost.ts";
import type { AppContext } from "../http/context.ts";
import { requestPatterns } from "../http/request-patterns.ts";
import { tenantOf } from "../http/principal.ts";

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
    const record = records.value.find(({ name }) => name === CUSTOM_SOURCE);
    const ifVersion = record?.version ?? 0;
    const present = await definitionsOf(c);
    if (!present.ok) return present;
    const change = decide(present.value);
    if (!change.ok) return change;
    const before = await publishedTools(c, record?.hash ?? null);
    if (!before.ok) return before;
    const tools = await toolsAfter(c, { present: present.value, published: before.value, change: change.value });
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

/** The tenant's own tools as tasks have them now, by name. */
async function publishedTools(c: AppContext, hash: string | null): Promise<Result<ReadonlyMap<string, OutsideTool>>> {
  if (hash === null) return ok(new Map());
  const read = await toolSourcesFromEnv(c.env).read(tenantOf(c), hash);
  return read.ok ? ok(new Map(read.value.map((tool) => [tool.name, tool]))) : read;
}

interface Definitions {
  readonly present: ReadonlyMap<string, DefinedTool>;
  readonly published: ReadonlyMap<string, OutsideTool>;
  readonly change: Change | null;
}

/**
 * Returns the tenant's own tools after a change, by name. A published tool whose definition is unchanged is not made again;
 * without a change all are, each in a turn of its own and within the budget of the request. A tool that this release cannot
 * read is omitted, one beyond the budget stays as it was published.
 */
async function toolsAfter(
  c: AppContext,
  { present, published, change }: Definitions,
): Promise<Result<readonly OutsideTool[]>> {
  const after = new Map<string, () => CustomTool>();
  for (const { name, definition } of present.values())
    if (definition !== null) after.set(name, () => parseDefinition(definition));
  if (change !== null) {
    const { name, definition } = change;
    if (definition === null) after.delete(name);
    else after.set(name, () => definition);
  }
  if (after.size > MAX_CUSTOM_TOOLS)
    return failed("quota_exceeded", `A tenant defines at most ${MAX_CUSTOM_TOOLS} tools by itself.`);
  const { patterns, budget } = requestPatterns(c);
  const { giveWay } = meterWork(c.env, tenantOf(c));
  const made: OutsideTool[] = [];
  for (const [name, read] of [...after].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const before = published.get(name);
    if (before !== undefined && change !== null && name !== change.name) {
      made.push(before);
      continue;
    }
    const tool = createCustomTool(read(), patterns);
    if (tool.ok) made.push(tool.value);
    else if (name === change?.name) return tool;
    else if (before !== undefined && budget.refusals > 0) made.push(before);
    await giveWay();
  }
  return ok(made);
}
