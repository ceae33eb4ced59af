/** Budgets above a task: of the tenant, an API key, a schedule, or an agent. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { DEFAULT_AGENT } from "../../core/agents/agent.ts";
import { MICROS_PER_DOLLAR } from "../../core/task/amounts.ts";
import { BUDGET_PERIODS, type BudgetAccount, type BudgetLimit, TENANT_ACCOUNT } from "../../core/tenant/budget-tree.ts";
import { raise } from "../../core/base/errors.ts";
import { isId } from "../../core/base/ids.ts";
import { answers, withKey } from "../http/answers.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { scheduleStub } from "../schedules/access.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";

const amountSchema = z.strictObject({ tokens: z.int(), cost_usd: z.number() });

const limitSchema = z.strictObject({
  max_tokens: z.int().min(1).max(1_000_000_000_000).nullable(),
  max_cost_usd: z
    .number()
    .min(1 / MICROS_PER_DOLLAR)
    .max(1_000_000_000)
    .nullable(),
  period: z.enum(BUDGET_PERIODS).describe("When the count restarts at zero (UTC); `total`: never."),
});

/** A requested limit. Unlimited when omitted. */
const limitRequestSchema = limitSchema
  .partial({ max_tokens: true, max_cost_usd: true })
  .refine(({ max_tokens, max_cost_usd }) => max_tokens != null || max_cost_usd != null, {
    error: "must have max_tokens or max_cost_usd, or both",
    path: ["max_tokens"],
  });

const budgetSchema = z
  .strictObject({
    account: z.string().describe("`tenant`, or the id of a key, a schedule or an agent."),
    limit: limitSchema.nullable(),
    used: amountSchema.describe("Use in the limit's period; without a limit, in this month."),
    reserved: amountSchema.describe("Leased to running tasks and not used yet. The unused rest is returned."),
  })
  .meta({ id: "Budget" });

const shared = { tags: ["Budgets"], middleware: [requireScope("admin")], ...withKey };
const params = z.object({
  account: z.string().describe("`tenant`, or the id of a key (`key_…`), a schedule (`sch_…`) or an agent (`agent_…`)"),
});
const budget = { description: "The current account.", json: budgetSchema };

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "budgets.list",
  path: "/v1/budgets",
  summary: "List the accounts with a limit or any use",
  responses: answers({
    200: { description: "All accounts.", json: z.strictObject({ data: z.array(budgetSchema) }) },
  }),
});

const set = createRoute({
  ...shared,
  method: "put",
  operationId: "budgets.set",
  path: "/v1/budgets/{account}",
  summary: "Set the limit of an account",
  description:
    "A task's use counts against its tenant, its agent, and the key or schedule that created its tree. A task waits while other tasks lease what its next model call needs, and fails with `budget_exceeded` when a limit is used up. Earlier use counts too. A model without a known price uses tokens but no money: with `max_cost_usd`, a task that may call one fails with `budget_exceeded`. A lowered limit takes effect at a task's next request, within seconds. For `tenant` it takes effect at once, even if the reply is 503 (then repeat the request). A key or an agent must be found in the database: while that is unavailable, the reply is 503 and nothing is set.",
  request: {
    params,
    body: {
      required: true,
      content: { "application/json": { schema: limitRequestSchema.meta({ id: "BudgetLimitInput" }) } },
    },
  },
  responses: answers({ 200: budget }, [404, 413, 415, 422]),
});

const unset = createRoute({
  ...shared,
  method: "delete",
  operationId: "budgets.delete",
  path: "/v1/budgets/{account}",
  summary: "Remove the limit of an account",
  request: { params },
  responses: answers({ 200: budget }, [404]),
});

export function budgetRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const accounts = await tenantsFromEnv(c.env)(getTenant(c)).budgets();
    return c.json({ data: accounts.map(toBudgetView) }, 200);
  });

  app.openapi(set, async (c) => {
    const { max_tokens, max_cost_usd, period } = c.req.valid("json");
    const costMicros = max_cost_usd == null ? null : Math.round(max_cost_usd * MICROS_PER_DOLLAR);
    return c.json(
      await change(c, c.req.valid("param").account, { tokens: max_tokens ?? null, costMicros, period }),
      200,
    );
  });

  app.openapi(unset, async (c) => c.json(await change(c, c.req.valid("param").account, null), 200));
}

/** Changes the object first, because it enforces the limit. */
async function change(c: AppContext, account: string, limit: BudgetLimit | null) {
  await requireAccount(c, account);
  const changed = await tenantsFromEnv(c.env)(getTenant(c)).setBudget(account, limit);
  const act = await createAuditEntry(c, limit === null ? "budget.delete" : "budget.set", account);
  unwrap(await databaseFromEnv(c.env).audit.add(getTenant(c), act));
  return toBudgetView(changed);
}

/** Fails with `not_found` for an id that is no key, schedule or agent of this tenant. */
async function requireAccount(c: AppContext, account: string): Promise<void> {
  if (account === TENANT_ACCOUNT || account === DEFAULT_AGENT.id) return;
  const { keys, agents } = databaseFromEnv(c.env);
  const tenant = getTenant(c);
  const look = async () => {
    if (isId("key", account)) return await keys.get(tenant, account);
    if (isId("agent", account)) return await agents.get(tenant, account);
    return isId("schedule", account) ? await scheduleStub(c, account).view() : raise("not_found", NO_ACCOUNT);
  };
  const found = await look();
  if (!found.ok && found.error.code === "not_found") raise("not_found", NO_ACCOUNT);
  unwrap<unknown>(found);
}

const NO_ACCOUNT = "There is no such account. Name `tenant`, or the id of a key, a schedule or an agent.";

function toBudgetView(shown: BudgetAccount): z.infer<typeof budgetSchema> {
  const { account, limit, usedTokens, usedCostMicros, leasedTokens, leasedCostMicros } = shown;
  return {
    account,
    limit:
      limit === null
        ? null
        : { max_tokens: limit.tokens, max_cost_usd: toDollars(limit.costMicros), period: limit.period },
    used: { tokens: usedTokens, cost_usd: usedCostMicros / MICROS_PER_DOLLAR },
    reserved: { tokens: leasedTokens, cost_usd: leasedCostMicros / MICROS_PER_DOLLAR },
  };
}

function toDollars(micros: number | null): number | null {
  return micros === null ? null : micros / MICROS_PER_DOLLAR;
}
