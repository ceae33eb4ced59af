/**
 * The custom tools of a tenant. Each change starts from the current definitions, and is retried if another change
 * came first.
 */
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
import { getRequestPatterns } from "../http/request-patterns.ts";
import { getTenant } from "../http/principal.ts";

/** Retries when another change came first. Of several concurrent changes, one succeeds each time. */
const MAX_TRIES = 30;

/** A change of one tool. A null definition deletes it. */
interface Change {
  readonly name: string;
  readonly definition: CustomTool | null;
}

/** Returns the tenant's current definitions by name. */
async function listDefinitions(c: AppContext): Promise<Result<ReadonlyMap<string, DefinedTool>>> {
  const read = await databaseFromEnv(c.env).toolSources.definitions(getTenant(c));
  return read.ok ? ok(new Map(read.value.map((defined) => [defined.name, defined]))) : read;
}

/**
 * Changes the tenant's definitions and publishes them for later tasks. `decide` gets the current definitions. If it
 * returns null, no definition changes, and all are published again in the form of this release.
 */
export async function changeDefinitions(
  c: AppContext,
  decide: (present: ReadonlyMap<string, DefinedTool>) => Result<Change | null>,
  act: AuditEntry,
): Promise<Result<void>> {
  const sources = toolSourcesFromEnv(c.env);
  const tenant = getTenant(c);
  for (let tries = 1; ; tries += 1) {
    const records = await sources.all(tenant);
    if (!records.ok) return records;
    const record = records.value.find(({ name }) => name === CUSTOM_SOURCE);
    const ifVersion = record?.version ?? 0;
    const present = await listDefinitions(c);
    if (!present.ok) return present;
    const change = decide(present.value);
    if (!change.ok) return change;
    const before = await listPublishedTools(c, record?.hash ?? null);
    if (!before.ok) return before;
    const tools = await buildTools(c, { present: present.value, published: before.value, change: change.value });
    if (!tools.ok) return tools;
    const definitions = change.value === null ? [] : [toRecord(change.value)];
    const source = { name: CUSTOM_SOURCE, tools: tools.value, ifVersion, definitions };
    const published = await sources.publish(tenant, source, act);
    if (published.ok) return ok(undefined);
    if (published.error.field !== "ifVersion" || tries === MAX_TRIES) return published;
  }
}

function toRecord({ name, definition }: Change) {
  return { name, definition: definition === null ? null : JSON.stringify(definition) };
}

/** Returns the tenant's published tools by name. */
async function listPublishedTools(
  c: AppContext,
  hash: string | null,
): Promise<Result<ReadonlyMap<string, OutsideTool>>> {
  if (hash === null) return ok(new Map());
  const read = await toolSourcesFromEnv(c.env).read(getTenant(c), hash);
  return read.ok ? ok(new Map(read.value.map((tool) => [tool.name, tool]))) : read;
}

interface Definitions {
  readonly present: ReadonlyMap<string, DefinedTool>;
  readonly published: ReadonlyMap<string, OutsideTool>;
  readonly change: Change | null;
}

/**
 * Returns the tenant's own tools after a change, by name. A published tool with an unchanged definition is reused.
 * Without a change, all tools are rebuilt, each in its own turn and within the budget of the request. A tool that
 * this release cannot read is omitted; one beyond the budget stays as published.
 */
async function buildTools(
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
    return failed("quota_exceeded", `A tenant can define at most ${MAX_CUSTOM_TOOLS} tools. Delete one first.`);
  const { patterns, budget } = getRequestPatterns(c);
  const { giveWay } = meterWork(c.env, getTenant(c));
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
