/** The job kind `sql` checks the role of a database, reads the facts about its schema, or runs one query that only reads. */
import type { EgressDeps } from "../egress.ts";
import type { Result } from "../../core/base/errors.ts";
import { type CheckedJobKind, defineJob, failJob } from "../jobs/job.ts";
import { checkRole } from "./postgres/check-role.ts";
import { readFacts } from "./postgres/facts.ts";
import { runQuery } from "./postgres/query.ts";
import { type SqlOrder, sqlOrderSchema } from "./sql-order.ts";

/** Limits all tenants together. Each holds at most the bytes that a server may send. */
const MAX_CONCURRENT = 16;

export function defineSqlJob(egress: EgressDeps): CheckedJobKind {
  return defineJob({
    name: "sql",
    maxConcurrent: MAX_CONCURRENT,
    maxBytes: 0,
    maxFiles: 0,
    order: sqlOrderSchema,
    async run({ order, signal }) {
      const outcome = await runOrder(order, egress, signal);
      return outcome.ok ? { ok: true, body: outcome.value } : failJob(outcome.error);
    },
  });
}

async function runOrder(order: SqlOrder, egress: EgressDeps, signal: AbortSignal): Promise<Result<unknown>> {
  switch (order.action) {
    case "check":
      return await checkRole(order, egress, signal);
    case "facts":
      return await readFacts(order, egress, signal);
    case "query":
      return await runQuery(order, egress, signal);
  }
}
