/** The usage of the tenant's tasks, by day, agent, key and project. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { MICROS_PER_DOLLAR } from "../../core/task/amounts.ts";
import { USAGE_PARTS, type UsagePart, type UsageRow } from "../../core/ports/usage-table.ts";
import { raise } from "../../core/base/errors.ts";
import { answers, withKey } from "../http/answers.ts";
import type { App, AppContext } from "../http/context.ts";
import { flushIndex } from "../http/fresh-index.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { optionalQuery } from "../http/list-query.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";

/** Maximum and default days of a reply, and its maximum rows. */
const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;
const MAX_ROWS = 5_000;
const DAY_MS = 86_400_000;

const date = z.iso.date();
const sums = {
  tasks: z.int().describe("Excludes calls over the API."),
  steps: z.int(),
  tool_calls: z.int(),
  tokens: z.int(),
  cost_usd: z.number().describe("Excludes models of unknown price."),
};
const rowSchema = z.strictObject({
  day: date.optional(),
  agent: z.string().optional(),
  key: z.string().nullable().optional().describe("Null if the key is unknown."),
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
  summary: "Show the usage of tasks, by day, agent, key and project",
  description: `Days are the tasks' creation days in UTC, both ends included: the last ${DEFAULT_DAYS} by default, at most ${MAX_DAYS}. \`by\` lists the grouping (\`day,agent\`). Each subtask counts on its own, and erased tasks still count. The usage of running tasks is updated within moments.`,
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
    const days = readDays(query, Date.now());
    const by = readParts(query.by ?? "day");
    await flushIndex(c);
    const rows = await readUsage(c, { ...days, by });
    if (rows.length > MAX_ROWS)
      raise("invalid_input", `by: there are more than ${MAX_ROWS} rows; request fewer days or groups`, { field: "by" });
    const [total] = by.length === 0 ? rows : await readUsage(c, { ...days, by: [] });
    return c.json({ ...days, data: rows.map(toRowView), total: toSums(total ?? NOTHING) }, 200);
  });
}

async function readUsage(c: AppContext, request: { from: string; to: string; by: readonly UsagePart[] }) {
  return unwrap(await databaseFromEnv(c.env).usage.read(getTenant(c), { ...request, limit: MAX_ROWS + 1 }));
}

function readDays(
  query: { from?: string | undefined; to?: string | undefined },
  now: number,
): { readonly from: string; readonly to: string } {
  const to = query.to ?? toDay(query.from === undefined ? now : Math.max(now, Date.parse(query.from)));
  const from = query.from ?? toDay(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) raise("invalid_input", "to: is before from", { field: "to" });
  if (days > MAX_DAYS)
    raise("invalid_input", `from: ${days} days were requested; the maximum is ${MAX_DAYS}`, { field: "from" });
  return { from, to };
}

function readParts(list: string): UsagePart[] {
  const names = list.split(",");
  const unknown = names.find((name) => !USAGE_PARTS.some((part) => part === name));
  if (unknown !== undefined)
    raise("invalid_input", `by: ${unknown} is unknown; use ${USAGE_PARTS.join(", ")}`, { field: "by" });
  return USAGE_PARTS.filter((part) => names.includes(part));
}

function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const NOTHING: UsageRow = { parts: {}, tasks: 0, steps: 0, toolCalls: 0, tokens: 0, costMicros: 0 };

function toRowView(row: UsageRow) {
  return { ...row.parts, ...toSums(row) };
}

function toSums({ tasks, steps, toolCalls, tokens, costMicros }: UsageRow) {
  return { tasks, steps, tool_calls: toolCalls, tokens, cost_usd: costMicros / MICROS_PER_DOLLAR };
}
