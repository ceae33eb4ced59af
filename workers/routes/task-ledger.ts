/** What a task did: the ledger of its calls, and the trace of its steps. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { raise } from "../../core/errors.ts";
import { isCallOf } from "../../core/ids.ts";
import type { LedgerRow } from "../../core/task-state.ts";
import { answers, withKey } from "../answers.ts";
import { ledgerRowSchema, pageOf, traceSchema } from "../api-schemas.ts";
import type { App, AppContext } from "../context.ts";
import { requireScope } from "../middleware/require-scope.ts";
import { optionalQuery, readTask, taskParams } from "../task-access.ts";
import { callsOf, traceOf, type TraceSource } from "../task-trace.ts";

/** Calls of one page. */
const MAX_CALLS = 500;

const shared = { tags: ["Tasks"], ...withKey };

const ledger = createRoute({
  ...shared,
  method: "get",
  path: "/v1/tasks/{id}/ledger",
  summary: "Show the ledger: every call, before and after",
  description:
    "A page of the calls in their order; it ends early when its results are large. A result too large for a row is kept outside it; the row then says `stored` and how many characters it has.",
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
  path: "/v1/tasks/{id}/trace",
  summary: "Show when each step and call began and ended",
  middleware: [requireScope("tasks:read")],
  request: { params: taskParams },
  responses: answers({ 200: { description: "The trace.", json: traceSchema } }, [404]),
});

const decide = createRoute({
  ...shared,
  method: "post",
  path: "/v1/tasks/{id}/ledger/{call_id}",
  summary: "Decide a call whose outcome nobody knows",
  description:
    "Only a call that a task is parked on can be decided; the model was told of any other, and the answer is 409.",
  middleware: [requireScope("tasks:write")],
  request: {
    params: taskParams.extend({ call_id: z.string() }),
    body: {
      required: true,
      content: { "application/json": { schema: z.strictObject({ decision: z.enum(["done", "retry", "skip"]) }) } },
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
    return c.json({ data: page.rows.map(shownRow), next_cursor: page.next });
  });

  app.openapi(trace, async (c) => {
    const { id } = c.req.valid("param");
    const view = await readTask(c, id, (stub) => stub.view());
    return c.json(await traceOf(view, sourceOf(c, id)));
  });

  app.openapi(decide, async (c) => {
    const { id, call_id } = c.req.valid("param");
    const row = await findCall(c, id, call_id);
    if (row === null) raise("not_found", "This task has no call with that id.");
    if (row.state === "unknown")
      raise("conflict", "The task was told that the outcome is unknown and went on; there is nothing left to decide.");
    return raise("conflict", `The call is ${row.state}; only an unknown outcome can be decided.`);
  });
}

function sourceOf(c: AppContext, id: string): TraceSource {
  return {
    events: async (after, limit) => await readTask(c, id, (stub) => stub.events(after, limit)),
    ledger: async (page) => await readTask(c, id, (stub) => stub.ledger(page)),
  };
}

async function findCall(c: AppContext, id: string, callId: string): Promise<LedgerRow | null> {
  for await (const row of callsOf(sourceOf(c, id).ledger)) if (row.callId === callId) return row;
  return null;
}

function shownRow(row: LedgerRow) {
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
    ...(row.result === null ? {} : { result: row.result }),
  };
}
