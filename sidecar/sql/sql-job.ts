/** The job kind `sql` checks the role of a database, or runs one query that only reads. */
import type { EgressDeps } from "../egress.ts";
import { type CheckedJobKind, defineJob, failJob } from "../jobs/job.ts";
import { checkRole } from "./postgres/check-role.ts";
import { runQuery } from "./postgres/query.ts";
import { sqlOrderSchema } from "./sql-order.ts";

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
      const work = order.action === "check" ? checkRole(order, egress, signal) : runQuery(order, egress, signal);
      const outcome = await work;
      return outcome.ok ? { ok: true, body: outcome.value } : failJob(outcome.error);
    },
  });
}
