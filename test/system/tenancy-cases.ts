/** What one tenant has, and every route of the document with what another tenant gets for it. */
import { ACCESS_CASES, PERSON_CASES } from "./access-cases.ts";
import { SLACK_CASES } from "./slack-cases.ts";
import { SCHEDULE_CASES } from "./schedule-cases.ts";
import { TOOL_CASES } from "./tool-cases.ts";
import { WEBHOOK_CASES } from "./webhook-cases.ts";

/** A text that all data of the first tenant contains. */
export const CANARY = "canary-7f3a9c";

/** What the first tenant has. */
export interface Owned {
  readonly ended: string;
  readonly waiting: string;
  readonly question: string;
  /** A task whose subtask `part` waits for an approval. */
  readonly asking: string;
  readonly approval: string;
  readonly part: string;
  readonly call: string;
  readonly held: string;
  readonly doomed: string;
  readonly agent: string;
  readonly key: string;
  readonly tenant: string;
  readonly secret: string;
  readonly database: string;
  readonly memory: string;
  readonly person: string;
  readonly delivery: string;
  readonly webhook: string;
  readonly hook: string;
  /** A workspace of Slack. */
  readonly install: string;
  readonly schedule: string;
  readonly session: string;
}

export interface Case {
  /** The route, as the document writes it. */
  readonly route: string;
  readonly path: (owned: Owned) => string;
  readonly body?: (owned: Owned) => unknown;
  /** What the other tenant gets. A list answers 200 and holds nothing of the first tenant's. */
  readonly other: 400 | 401 | 404 | 403 | 415 | 422 | "nothing of it";
  /** For an answer that never ends: only its head is asked for. */
  readonly headOnly?: true;
  /** What the owner gets for the same request, in this order: the route works, and 404 was about who asked. */
  readonly owner: number;
}

export const agentConfig = { name: `agent-${CANARY}`, instructions: CANARY, tools: ["*"], permissions: ["read"] };

/** The name and address of a person are those of nobody else in one tenant, and free in any other. */
export const personConfig = { name: "Spy Smith", addresses: [{ kind: "email", address: "spy@acme.example" }] };

export const CASES: readonly Case[] = [
  { route: "GET /v1/tasks", path: () => "/v1/tasks", other: "nothing of it", owner: 200 },
  { route: "GET /v1/tasks/{id}", path: ({ ended }) => `/v1/tasks/${ended}`, other: 404, owner: 200 },
  { route: "GET /v1/tasks/{id}/log", path: ({ ended }) => `/v1/tasks/${ended}/log`, other: 404, owner: 200 },
  { route: "GET /v1/tasks/{id}/events", path: ({ ended }) => `/v1/tasks/${ended}/events`, other: 404, owner: 200 },
  { route: "GET /v1/tasks/{id}/subtasks", path: ({ ended }) => `/v1/tasks/${ended}/subtasks`, other: 404, owner: 200 },
  { route: "GET /v1/tasks/{id}/ledger", path: ({ ended }) => `/v1/tasks/${ended}/ledger`, other: 404, owner: 200 },
  { route: "GET /v1/tasks/{id}/trace", path: ({ ended }) => `/v1/tasks/${ended}/trace`, other: 404, owner: 200 },
  { route: "GET /v1/tasks/{id}/tree", path: ({ asking }) => `/v1/tasks/${asking}/tree`, other: 404, owner: 200 },
  { route: "GET /v1/inbox", path: () => "/v1/inbox", other: "nothing of it", owner: 200 },
  { route: "GET /v1/events", path: () => "/v1/events", headOnly: true, other: "nothing of it", owner: 200 },
  { route: "GET /v1/tasks", path: () => `/v1/tasks?query=${CANARY}`, other: "nothing of it", owner: 200 },
  {
    route: "GET /v1/tasks",
    path: ({ asking }) => `/v1/tasks?parent=${asking}`,
    other: "nothing of it",
    owner: 200,
  },
  { route: "GET /v1/tasks/{id}/files", path: ({ ended }) => `/v1/tasks/${ended}/files`, other: 404, owner: 200 },
  {
    route: "GET /v1/tasks/{id}/files/{path}",
    path: ({ ended }) => `/v1/tasks/${ended}/files/${CANARY}.txt`,
    other: 404,
    owner: 200,
  },
  {
    route: "PUT /v1/tasks/{id}/files/{path}",
    path: ({ held }) => `/v1/tasks/${held}/files/in.txt`,
    body: () => "from outside",
    other: 404,
    owner: 201,
  },
  {
    route: "GET /v1/tasks/{id}/file-versions/{path}",
    path: ({ ended }) => `/v1/tasks/${ended}/file-versions/${CANARY}.txt`,
    other: 404,
    owner: 200,
  },
  {
    route: "POST /v1/tasks/{id}/file-versions/{path}",
    path: ({ held }) => `/v1/tasks/${held}/file-versions/in.txt`,
    body: () => ({ version: 1 }),
    other: 404,
    owner: 200,
  },
  {
    route: "POST /v1/tasks/{id}/ledger/{call_id}",
    path: ({ ended, call }) => `/v1/tasks/${ended}/ledger/${call}`,
    body: () => ({ decision: "done" }),
    other: 404,
    owner: 409,
  },
  {
    route: "POST /v1/tasks/{id}/messages",
    path: ({ held }) => `/v1/tasks/${held}/messages`,
    body: () => ({ text: "hello" }),
    other: 404,
    owner: 202,
  },
  {
    route: "POST /v1/tasks/{id}/questions/{question}/answer",
    path: ({ waiting, question }) => `/v1/tasks/${waiting}/questions/${question}/answer`,
    body: () => ({ text: "yes" }),
    other: 404,
    owner: 200,
  },
  {
    route: "GET /v1/tasks/{id}/subtasks",
    path: ({ asking }) => `/v1/tasks/${asking}/subtasks`,
    other: 404,
    owner: 200,
  },
  {
    // At the root of the tree, and then at the task that asks, where it is decided by then.
    route: "POST /v1/tasks/{id}/approvals/{approval}",
    path: ({ asking, approval }) => `/v1/tasks/${asking}/approvals/${approval}`,
    body: () => ({ decision: "refuse" }),
    other: 404,
    owner: 200,
  },
  {
    route: "POST /v1/tasks/{id}/approvals/{approval}",
    path: ({ part, approval }) => `/v1/tasks/${part}/approvals/${approval}`,
    body: () => ({ decision: "approve" }),
    other: 404,
    owner: 409,
  },
  {
    // Before the task starts: one that has ended takes no calls.
    route: "POST /v1/tools/{name}/call",
    path: () => "/v1/tools/read_file/call",
    body: ({ held }) => ({ arguments: { filename: "in.txt" }, task_id: held }),
    other: 404,
    owner: 200,
  },
  {
    route: "DELETE /v1/tasks/{id}/files/{path}",
    path: ({ held }) => `/v1/tasks/${held}/files/in.txt`,
    other: 404,
    owner: 200,
  },
  { route: "POST /v1/tasks/{id}/start", path: ({ held }) => `/v1/tasks/${held}/start`, other: 404, owner: 200 },
  { route: "POST /v1/tasks/{id}/cancel", path: ({ doomed }) => `/v1/tasks/${doomed}/cancel`, other: 404, owner: 202 },
  {
    route: "POST /v1/tasks",
    path: () => "/v1/tasks",
    body: ({ agent }) => ({ input: "x", agent, hold: true }),
    other: 404,
    owner: 201,
  },
  {
    route: "POST /v1/tools/{name}/call",
    path: () => "/v1/tools/read_file/call",
    body: ({ agent }) => ({ arguments: { filename: "x.txt" }, agent }),
    other: 404,
    owner: 200,
  },
  { route: "GET /v1/memory", path: () => "/v1/memory", other: "nothing of it", owner: 200 },
  { route: "GET /v1/memory", path: () => `/v1/memory?query=${CANARY}`, other: "nothing of it", owner: 200 },
  { route: "GET /v1/memory", path: () => `/v1/memory?project=${CANARY}`, other: "nothing of it", owner: 200 },
  { route: "GET /v1/memory/{id}", path: ({ memory }) => `/v1/memory/${memory}`, other: 404, owner: 200 },
  {
    route: "PUT /v1/memory/{id}",
    path: ({ memory }) => `/v1/memory/${memory}`,
    body: () => ({ tags: ["seen"] }),
    other: 404,
    owner: 200,
  },
  { route: "DELETE /v1/memory/{id}", path: ({ memory }) => `/v1/memory/${memory}`, other: 404, owner: 200 },
  {
    route: "POST /v1/memory",
    path: () => "/v1/memory",
    body: () => ({ content: "x" }),
    other: "nothing of it",
    owner: 201,
  },
  { route: "GET /v1/people", path: () => "/v1/people", other: "nothing of it", owner: 200 },
  { route: "GET /v1/people/{id}", path: ({ person }) => `/v1/people/${person}`, other: 404, owner: 200 },
  {
    route: "POST /v1/people",
    path: () => "/v1/people",
    body: () => personConfig,
    other: "nothing of it",
    owner: 409,
  },
  {
    route: "PUT /v1/people/{id}",
    path: ({ person }) => `/v1/people/${person}`,
    body: () => ({ name: "Other" }),
    other: 404,
    owner: 200,
  },
  ...PERSON_CASES,
  { route: "GET /v1/projects", path: () => "/v1/projects", other: "nothing of it", owner: 200 },
  { route: "GET /v1/projects/{name}", path: () => `/v1/projects/${CANARY}`, other: 404, owner: 200 },
  { route: "DELETE /v1/projects/{name}", path: () => `/v1/projects/${CANARY}`, other: 404, owner: 200 },
  { route: "GET /v1/deliveries", path: () => "/v1/deliveries", other: "nothing of it", owner: 200 },
  {
    route: "GET /v1/deliveries",
    path: ({ ended }) => `/v1/deliveries?task=${ended}`,
    other: "nothing of it",
    owner: 200,
  },
  { route: "GET /v1/deliveries/{id}", path: ({ delivery }) => `/v1/deliveries/${delivery}`, other: 404, owner: 200 },
  {
    // It has left.
    route: "POST /v1/deliveries/{id}/replay",
    path: ({ delivery }) => `/v1/deliveries/${delivery}/replay`,
    other: 404,
    owner: 409,
  },
  { route: "GET /v1/agents", path: () => "/v1/agents", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/agents",
    path: () => "/v1/agents",
    body: () => ({ ...agentConfig, instructions: "x" }),
    other: "nothing of it",
    owner: 409,
  },
  { route: "GET /v1/agents/{id}", path: ({ agent }) => `/v1/agents/${agent}`, other: 404, owner: 200 },
  {
    route: "GET /v1/agents/{id}/versions",
    path: ({ agent }) => `/v1/agents/${agent}/versions`,
    other: 404,
    owner: 200,
  },
  {
    route: "PUT /v1/agents/{id}",
    path: ({ agent }) => `/v1/agents/${agent}`,
    body: () => agentConfig,
    other: 404,
    owner: 200,
  },
  // Who is signed in is in the cookie, and these callers send a key: test/workerd/sessions/sessions.test.ts has the cookies.
  { route: "GET /v1/session", path: () => "/v1/session", other: 404, owner: 404 },
  { route: "DELETE /v1/session", path: () => "/v1/session", other: 404, owner: 404 },
  { route: "POST /v1/session", path: () => "/v1/session", body: () => ({ key: CANARY }), other: 401, owner: 401 },
  {
    route: "POST /v1/session/links",
    path: () => "/v1/session/links",
    body: () => ({}),
    other: "nothing of it",
    owner: 201,
  },
  { route: "GET /v1/sessions", path: () => "/v1/sessions", other: "nothing of it", owner: 200 },
  { route: "DELETE /v1/sessions/{id}", path: ({ session }) => `/v1/sessions/${session}`, other: 404, owner: 204 },
  { route: "DELETE /v1/sessions", path: () => "/v1/sessions", other: "nothing of it", owner: 200 },
  { route: "GET /v1/mail", path: () => "/v1/mail", other: "nothing of it", owner: 200 },
  { route: "GET /v1/mail/outbox", path: () => "/v1/mail/outbox", other: "nothing of it", owner: 200 },
  { route: "GET /v1/mail/received", path: () => "/v1/mail/received", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/mail/received/{message}/replay",
    path: () => "/v1/mail/received/none/replay",
    other: 404,
    owner: 404,
  },
  ...ACCESS_CASES,
  { route: "GET /v1/incoming-webhooks", path: () => "/v1/incoming-webhooks", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/incoming-webhooks",
    path: () => "/v1/incoming-webhooks",
    body: () => ({ name: "another", type: "generic", once_per_body: true }),
    other: "nothing of it",
    owner: 201,
  },
  {
    route: "POST /v1/incoming-webhooks",
    path: () => "/v1/incoming-webhooks",
    body: ({ agent }) => ({ name: "with-agent", type: "generic", once_per_body: true, agent }),
    other: 404,
    owner: 201,
  },
  {
    route: "GET /v1/incoming-webhooks/{id}",
    path: ({ hook }) => `/v1/incoming-webhooks/${hook}`,
    other: 404,
    owner: 200,
  },
  {
    route: "PUT /v1/incoming-webhooks/{id}",
    path: ({ hook }) => `/v1/incoming-webhooks/${hook}`,
    body: () => ({ name: CANARY, type: "generic", prompt: CANARY }),
    other: 404,
    owner: 200,
  },
  {
    route: "POST /webhook/{type}",
    path: ({ hook }) => `/webhook/generic?hook=${hook}`,
    body: () => ({ note: "x" }),
    other: 404,
    owner: 200,
  },
  {
    route: "POST /v1/incoming-webhooks/{id}/received/{message}/replay",
    path: ({ hook }) => `/v1/incoming-webhooks/${hook}/received/msg_none/replay`,
    other: 404,
    owner: 404,
  },
  {
    route: "GET /v1/incoming-webhooks/{id}/received",
    path: ({ hook }) => `/v1/incoming-webhooks/${hook}/received`,
    other: 404,
    owner: 200,
  },
  {
    route: "DELETE /v1/incoming-webhooks/{id}",
    path: ({ hook }) => `/v1/incoming-webhooks/${hook}`,
    other: 404,
    owner: 200,
  },
  { route: "GET /v1/audit", path: () => "/v1/audit", other: "nothing of it", owner: 200 },
  { route: "GET /v1/budgets", path: () => "/v1/budgets", other: "nothing of it", owner: 200 },
  {
    route: "PUT /v1/budgets/{account}",
    path: ({ agent }) => `/v1/budgets/${agent}`,
    body: () => ({ max_tokens: 1_000_000, period: "day" }),
    other: 404,
    owner: 200,
  },
  { route: "DELETE /v1/budgets/{account}", path: ({ agent }) => `/v1/budgets/${agent}`, other: 404, owner: 200 },
  { route: "GET /v1/kill-switch", path: () => "/v1/kill-switch", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/kill-switch/stop",
    path: () => "/v1/kill-switch/stop",
    body: () => ({ reason: "x" }),
    other: "nothing of it",
    owner: 200,
  },
  { route: "POST /v1/kill-switch/release", path: () => "/v1/kill-switch/release", other: "nothing of it", owner: 200 },
  { route: "POST /v1/tenants/{id}/stop", path: ({ tenant }) => `/v1/tenants/${tenant}/stop`, other: 404, owner: 404 },
  {
    route: "POST /v1/tenants/{id}/release",
    path: ({ tenant }) => `/v1/tenants/${tenant}/release`,
    other: 404,
    owner: 404,
  },
  { route: "GET /v1/retention", path: () => "/v1/retention", other: "nothing of it", owner: 200 },
  {
    route: "PUT /v1/retention",
    path: () => "/v1/retention",
    body: () => ({ tasks_days: null }),
    other: "nothing of it",
    owner: 200,
  },
  {
    route: "POST /v1/tenants/{id}/keys",
    path: ({ tenant }) => `/v1/tenants/${tenant}/keys`,
    other: 404,
    owner: 404,
  },
  {
    route: "POST /v1/tenants/{id}/reindex",
    path: ({ tenant }) => `/v1/tenants/${tenant}/reindex`,
    other: 404,
    owner: 404,
  },
  {
    route: "GET /v1/tenants/{id}/reindex",
    path: ({ tenant }) => `/v1/tenants/${tenant}/reindex`,
    other: 404,
    owner: 404,
  },
  { route: "GET /v1/tenants", path: () => "/v1/tenants", other: 403, owner: 403 },
  { route: "POST /v1/tenants", path: () => "/v1/tenants", body: () => ({ name: "x" }), other: 403, owner: 403 },
  { route: "GET /v1/tenants/{id}", path: ({ tenant }) => `/v1/tenants/${tenant}`, other: 404, owner: 404 },
  { route: "DELETE /v1/tenants/{id}", path: ({ tenant }) => `/v1/tenants/${tenant}`, other: 404, owner: 404 },
  ...SCHEDULE_CASES,
  ...TOOL_CASES,
  ...WEBHOOK_CASES,
  ...SLACK_CASES,
  { route: "GET /health", path: () => "/health", other: "nothing of it", owner: 200 },
  { route: "GET /openapi.json", path: () => "/openapi.json", other: "nothing of it", owner: 200 },
  { route: "GET /docs", path: () => "/docs", other: "nothing of it", owner: 200 },
  // Near the end: from then on the caller has a project of that name.
  {
    route: "POST /v1/tools/{name}/call",
    path: () => "/v1/tools/memory_search/call",
    body: () => ({ arguments: { query: "canary" }, project: CANARY }),
    other: "nothing of it",
    owner: 200,
  },
  { route: "DELETE /v1/tasks/{id}", path: ({ ended }) => `/v1/tasks/${ended}`, other: 404, owner: 200 },
  { route: "DELETE /v1/agents/{id}", path: ({ agent }) => `/v1/agents/${agent}`, other: 404, owner: 204 },
];
