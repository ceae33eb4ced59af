/** What the tenant's tasks used: by day, agent, key and project. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { MICROS_PER_DOLLAR } from "../../core/task/amounts.ts";
import { USAGE_PARTS, type UsagePart, type UsageRow } from "../../core/ports/usage-table.ts";
import { raise } from "../../core/base/errors.ts";
import { answers, withKey } from "../http/answers.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { optionalQuery } from "../http/list-query.ts";
import { tenantOf } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { awaitWithin } from "../../core/base/deadline.ts";

/** Days of one answer, those of an answer that names none, and rows of one. */
const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;
const MAX_ROWS = 5_000;
const DAY_MS = 86_400_000;
/** How long an answer waits for the index to take what was reported last. */
const FRESH_WITHIN_MS = 1_000;

const date = z.iso.date();
const sums = {
  tasks: z.int().describe("Without the calls over the API."),
  steps: z.int(),
  tool_calls: z.int(),
  tokens: z.int(),
  cost_usd: z.number().describe("A model of unknown price adds nothing."),
};
const rowSchema = z.strictObject({
  day: date.optional(),
  agent: z.string().optional(),
  key: z.string().nullable().optional().describe("Null: the key is not known."),
  project: z.string().nullable().optional(),
  ...sums,
});
const usageSchema = z
  .strictObject({ from: date, to: date, data: z.array(rowSchema), total: z.strictObject(sums) })
  .meta({ id: "Usage" });

const show = createRoute({
  tags: ["Usage"],
  ...withKey,
  method: "get",
  operationId: "usage.get",
  path: "/v1/usage",
  summary: "Show what tasks used, by day, agent, key and project",
  description: `Days are those on which a task was made, in UTC, both ends included: the last ${DEFAULT_DAYS} unless \`from\` and \`to\` say otherwise, at most ${MAX_DAYS}. \`by\` lists what to tell apart (\`day,agent\`). A subtask counts by itself, and an erased task goes on counting. What tasks that run have used follows within moments.`,
  middleware: [requireScope("admin")],
  request: {
    query: z.strictObject({
      from: optionalQuery(date),
      to: optionalQuery(date),
      by: optionalQuery(z.string().regex(/^[a-z]+(?:,[a-z]+)*$/, `a list of ${USAGE_PARTS.join(", ")}`)),
    }),
  },
  responses: answers({ 200: { description: "The use.", json: usageSchema } }, [422]),
});

export function usageRoutes(app: App): void {
  app.openapi(show, async (c) => {
    const query = c.req.valid("query");
    const days = daysOf(query, Date.now());
    const by = partsOf(query.by ?? "day");
    await awaitWithin(globalThis, FRESH_WITHIN_MS, tenantsFromEnv(c.env)(tenantOf(c)).flush(), null);
    const rows = await readUsage(c, { ...days, by });
    if (rows.length > MAX_ROWS)
      raise("invalid_input", `by: there are more than ${MAX_ROWS} rows; ask for fewer days or parts`, { field: "by" });
    const [total] = by.length === 0 ? rows : await readUsage(c, { ...days, by: [] });
    return c.json({ ...days, data: rows.map(shownRow), total: shownSums(total ?? NOTHING) }, 200);
  });
}

async function readUsage(c: AppContext, request: { from: string; to: string; by: readonly UsagePart[] }) {
  return unwrap(await databaseFromEnv(c.env).usage.read(tenantOf(c), { ...request, limit: MAX_ROWS + 1 }));
}

function daysOf(
  query: { from?: string | undefined; to?: string | undefined },
  now: number,
): { readonly from: string; readonly to: string } {
  const to = query.to ?? dayOf(query.from === undefined ? now : Math.max(now, Date.parse(query.from)));
  const from = query.from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) raise("invalid_input", "to: is before from", { field: "to" });
  if (days > MAX_DAYS)
    raise("invalid_input", `from: ${days} days are asked for, at most ${MAX_DAYS}`, { field: "from" });
  return { from, to };
}

function partsOf(list: string): UsagePart[] {
  const names = list.split(",");
  const unknown = names.find((name) => !USAGE_PARTS.some((part) => part === name));
  if (unknown !== undefined)
    raise("invalid_input", `by: there is no part ${unknown}; there are ${USAGE_PARTS.join(", ")}`, { field: "by" });
  return USAGE_PARTS.filter((part) => names.includes(part));
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const NOTHING: UsageRow = { parts: {}, tasks: 0, steps: 0, toolCalls: 0, tokens: 0, costMicros: 0 };

function shownRow(row: UsageRow) {
  return { ...row.parts, ...shownSums(row) };
}

function shownSums({ tasks, steps, toolCalls, tokens, costMicros }: UsageRow) {
  return { tasks, steps, tool_calls: toolCalls, tokens, cost_usd: costMicros / MICROS_PER_DOLLAR };
}
