/** A tenant of the bench's own, and reports of tasks as their objects send them. */
import { DEFAULT_AGENT } from "../core/agents/agent.ts";
import { type IdKind, makeId } from "../core/base/ids.ts";
import type { Database } from "../core/ports/database.ts";
import type { KeyRecord } from "../core/tenant/rpc.ts";
import type { TaskReport } from "../core/task/rpc.ts";

export interface MadeTenant {
  readonly id: string;
  readonly key: KeyRecord;
  readonly keyHash: string;
}

/** Creates a tenant with one key. */
export async function makeTenant(database: Database): Promise<MadeTenant> {
  const id = newId("tenant", 1);
  const key = { id: newId("key", 1), tenant: id, name: "bench", scopes: ["admin"], createdAt: 1 } as const;
  const unbound = { projects: null, agents: null, person: null };
  const record = { ...key, ...unbound, createdBy: "operator", expiresAt: null, revokedAt: null };
  const act = { id: newId("audit", 1), at: 1, actor: "operator", action: "tenant.create", target: id } as const;
  const hash = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
  const tenant = { id, name: "bench", createdAt: 1 };
  const made = await database.tenants.create(tenant, { key: record, hash }, { ...act, requestId: "req_bench" });
  if (!made.ok) throw new Error(made.error.message);
  const { name, scopes, expiresAt } = record;
  return { id, key: { id: key.id, tenant: id, name, scopes, expiresAt }, keyHash: hash };
}

/** A completed task as it reports itself. */
export function makeReport(input: string, at: number): TaskReport {
  const task = newId("task", at);
  const used = { steps: 3, tool_calls: 2, input_tokens: 900, output_tokens: 100, cost_usd: 0.001, estimated: false };
  const view = {
    id: task,
    status: "completed",
    reason: null,
    agent: { id: DEFAULT_AGENT.id, version: 1 },
    project: null,
    parent_id: null,
    input,
    output: { text: "Done.", files: [] },
    error: null,
    pending: [],
    usage: used,
    budget: null,
    skills: [],
    metadata: {},
    created_at: new Date(at).toISOString(),
    started_at: new Date(at).toISOString(),
    ended_at: new Date(at + 1000).toISOString(),
  } as const;
  return {
    task,
    version: 1,
    view,
    hidden: false,
    wakeAt: null,
    key: "key_a",
    used: { tokens: 1000, costMicros: 1000 },
  };
}

function newId(kind: IdKind, at: number): string {
  return makeId(kind, at, crypto.getRandomValues(new Uint8Array(10)));
}
