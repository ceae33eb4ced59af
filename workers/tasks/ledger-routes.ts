/** The ledger of a task's calls, and the trace of its steps. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { formatAccount } from "../../core/connections/account.ts";
import { raise } from "../../core/base/errors.ts";
import { isCallOf, findTaskOfCall } from "../../core/base/ids.ts";
import { getLabelName } from "../../core/provenance/label.ts";
import type { LedgerRow } from "../../core/task/decision.ts";
import { answers, withKey } from "../http/answers.ts";
import { ledgerRowSchema, pageOf, traceSchema } from "../http/schemas.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getRequestName } from "../http/new-ids.ts";
import { getActor } from "../http/principal.ts";
import { findDecidingTask, readTask, taskParams, getTaskStub } from "./access.ts";
import { optionalQuery } from "../http/list-query.ts";
import { unwrap } from "../http/unwrap.ts";
import { buildTrace, type TraceSource } from "./trace.ts";

/** Calls per page. */
const MAX_CALLS = 500;
const NO_SUCH_CALL = "This task has no call with that id.";

const shared = { tags: ["Tasks"], ...withKey };

const ledger = createRoute({
  ...shared,
  method: "get",
  operationId: "calls.list",
  path: "/v1/tasks/{id}/ledger",
  summary: "Show the ledger: every call, recorded before and after",
  description:
    "A page of calls in order; it is shorter if results are large. A result that is too large for a row is stored outside it; the row then has `stored` and its number of characters.",
  middleware: [requireScope("tasks:read")],
  request: {
    params: taskParams,
    query: z.strictObject({
      limit: optionalQuery(z.coerce.number().int().min(1).max(MAX_CALLS)),
      cursor: optionalQuery(z.string().max(200)),
    }),
  },
  responses: answers({ 200: { description: "A page of calls.", json: pageOf(ledgerRowSchema) } }, [404, 422]),
});

const trace = createRoute({
  ...shared,
  method: "get",
  operationId: "tasks.getTrace",
  path: "/v1/tasks/{id}/trace",
  summary: "Show the times and cost of each step and call",
  middleware: [requireScope("tasks:read")],
  request: { params: taskParams },
  responses: answers({ 200: { description: "The trace.", json: traceSchema } }, [404]),
});

const decide = createRoute({
  ...shared,
  method: "post",
  operationId: "calls.decide",
  path: "/v1/tasks/{id}/ledger/{call_id}",
  summary: "Decide a call of unknown outcome",
  description:
    "With the agent's `on_unknown: ask`, a task waits for this decision; `pending` shows the call. `done`: it happened, and the model reads that. `retry`: it is repeated. `skip`: it stays unknown, and the model continues without it. 409 for any other call. Decide a call of a subtask at the subtask or at any task above.",
  middleware: [requireScope("tasks:write")],
  request: {
    params: taskParams.extend({ call_id: z.string() }),
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z.strictObject({ decision: z.enum(["done", "retry", "skip"]) }).meta({ id: "CallDecisionInput" }),
        },
      },
    },
  },
  responses: answers({ 200: { description: "The call.", json: ledgerRowSchema } }, [404, 409, 413, 415, 422]),
});

export function taskLedgerRoutes(app: App): void {
  app.openapi(ledger, async (c) => {
    const { id } = c.req.valid("param");
    const { limit = MAX_CALLS, cursor = null } = c.req.valid("query");
    if (cursor !== null && !isCallOf(id, cursor))
      raise("invalid_input", "cursor: is not a cursor of this list", { field: "cursor" });
    const page = await readTask(c, id, (stub) => stub.ledger({ after: cursor, limit, withResults: true }));
    return c.json({ data: page.rows.map(toRowView), next_cursor: page.next }, 200);
  });

  app.openapi(trace, async (c) => {
    const { id } = c.req.valid("param");
    const view = await readTask(c, id, (stub) => stub.view());
    return c.json(await buildTrace(view, createSource(c, id)), 200);
  });

  app.openapi(decide, async (c) => {
    const { id, call_id } = c.req.valid("param");
    const { decision } = c.req.valid("json");
    const owner = await findDecidingTask(c, id, findTaskOfCall(call_id), NO_SUCH_CALL);
    const by = getActor(c);
    const decided = await getTaskStub(c, owner).decideUnknown(call_id, { decision, by }, getRequestName(c));
    return c.json(toRowView(unwrap(decided)), 200);
  });
}

function createSource(c: AppContext, id: string): TraceSource {
  return {
    events: async (after, limit) => await readTask(c, id, (stub) => stub.events(after, limit)),
    ledger: async (page) => await readTask(c, id, (stub) => stub.ledger(page)),
    spending: async () => await readTask(c, id, (stub) => stub.spending()),
  };
}

function toRowView(row: LedgerRow) {
  return {
    call_id: row.callId,
    step: row.step,
    tool: row.tool,
    effect: row.effect,
    state: row.state,
    key: row.key,
    arguments_hash: row.argumentsHash,
    attempts: row.attempts,
    intended_at: new Date(row.intendedAt).toISOString(),
    settled_at: row.settledAt === null ? null : new Date(row.settledAt).toISOString(),
    label: row.label === undefined ? null : getLabelName(row.label),
    account: row.account === undefined ? null : formatAccount(row.account),
    ...(row.result === null ? {} : { result: row.result }),
  };
}
