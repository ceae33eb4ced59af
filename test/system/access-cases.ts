/** The routes of keys, secrets and connections, and of persons who act, for the tenancy matrix. */
import type { Case } from "./tenancy-cases.ts";

/** Requests that name a person, and the deletion of that person after them. */
export const PERSON_CASES: readonly Case[] = [
  {
    route: "POST /v1/tasks",
    path: () => "/v1/tasks",
    body: ({ person }) => ({ input: "x", acts_for: person, hold: true }),
    other: 422,
    owner: 201,
  },
  {
    route: "POST /v1/keys",
    path: () => "/v1/keys",
    body: ({ person }) => ({ name: "of a person", scopes: ["tasks:read"], person }),
    other: 422,
    owner: 201,
  },
  {
    route: "PATCH /v1/keys/{id}",
    path: ({ key }) => `/v1/keys/${key}`,
    body: ({ person }) => ({ person }),
    other: 404,
    owner: 200,
  },
  { route: "DELETE /v1/people/{id}", path: ({ person }) => `/v1/people/${person}`, other: 404, owner: 200 },
];

/** Of the form of a connection's id. No request of the API makes a connection: a person in a browser does. */
const CONNECTION = "con_01jd0000000000000000000000";
/** Of the form of a codebase's id. `test/workerd/codebases/routes.test.ts` has the same with codebases of each tenant. */
const CODEBASE = "cdb_01jd0000000000000000000000";
/** Of the form of a trigger's id: one needs a connection. `test/workerd/apps/triggers.test.ts` has the same with triggers. */
const TRIGGER = "trg_01jd0000000000000000000000";

/** Of the form of a document's id. `test/workerd/knowledge/routes.test.ts` has the same with documents. */
const DOCUMENT = "doc_01jd0000000000000000000000";
const PIECE = "pce_01jd0000000000000000000000";

/** The routes of documents. */
const DOCUMENT_CASES: readonly Case[] = [
  { route: "GET /v1/knowledge/documents", path: () => "/v1/knowledge/documents", other: "nothing of it", owner: 200 },
  { route: "GET /v1/knowledge/pieces/{id}", path: () => `/v1/knowledge/pieces/${PIECE}`, other: 404, owner: 404 },
  {
    route: "POST /v1/knowledge/documents",
    path: () => "/v1/knowledge/documents",
    body: () => ({ text: "x" }),
    other: "nothing of it",
    owner: 202,
  },
  ...["GET", "PUT", "DELETE"].map((method) => ({
    route: `${method} /v1/knowledge/documents/{id}`,
    path: () => `/v1/knowledge/documents/${DOCUMENT}`,
    ...(method === "PUT" ? { body: () => ({ text: "x" }) } : {}),
    other: 404 as const,
    owner: 404,
  })),
  {
    route: "POST /v1/knowledge/documents/{id}/reingest",
    path: () => `/v1/knowledge/documents/${DOCUMENT}/reingest`,
    other: 404,
    owner: 404,
  },
];

/** The routes of connections. `test/workerd/connections/routes.test.ts` has the same with connections of each tenant. */
const CONNECTION_CASES: readonly Case[] = [
  { route: "GET /v1/apps", path: () => "/v1/apps", other: "nothing of it", owner: 200 },
  { route: "GET /v1/connections", path: () => "/v1/connections", other: "nothing of it", owner: 200 },
  { route: "GET /v1/connections", path: () => "/v1/connections?owner=all", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/connections",
    path: () => "/v1/connections",
    body: () => ({ app: "crm" }),
    other: 404,
    owner: 404,
  },
  { route: "GET /v1/connections/{id}", path: () => `/v1/connections/${CONNECTION}`, other: 404, owner: 404 },
  {
    route: "PATCH /v1/connections/{id}",
    path: () => `/v1/connections/${CONNECTION}`,
    body: () => ({ alias: "x" }),
    other: 404,
    owner: 404,
  },
  { route: "DELETE /v1/connections/{id}", path: () => `/v1/connections/${CONNECTION}`, other: 404, owner: 404 },
  { route: "GET /v1/triggers", path: () => "/v1/triggers", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/triggers",
    path: () => "/v1/triggers",
    body: () => ({ app: "gmail", trigger: "GMAIL_NEW_MESSAGE", connection: CONNECTION }),
    other: 422,
    owner: 422,
  },
  { route: "GET /v1/triggers/{id}", path: () => `/v1/triggers/${TRIGGER}`, other: 404, owner: 404 },
  { route: "DELETE /v1/triggers/{id}", path: () => `/v1/triggers/${TRIGGER}`, other: 404, owner: 404 },
  { route: "GET /v1/triggers/{id}/received", path: () => `/v1/triggers/${TRIGGER}/received`, other: 404, owner: 404 },
  { route: "POST /v1/triggers/{id}/pause", path: () => `/v1/triggers/${TRIGGER}/pause`, other: 404, owner: 404 },
  { route: "POST /v1/triggers/{id}/resume", path: () => `/v1/triggers/${TRIGGER}/resume`, other: 404, owner: 404 },
  {
    route: "POST /v1/triggers/{id}/received/{message}/replay",
    path: () => `/v1/triggers/${TRIGGER}/received/msg_none/replay`,
    other: 404,
    owner: 404,
  },
  {
    route: "POST /v1/integrations/composio/rotate",
    path: () => "/v1/integrations/composio/rotate",
    other: 403,
    owner: 403,
  },
  { route: "GET /connect/{token}", path: () => "/connect/x", other: 400, owner: 400 },
  { route: "POST /connect/{token}/go", path: () => "/connect/x/go", body: () => ({}), other: 403, owner: 403 },
  { route: "GET /connect/callback", path: () => "/connect/callback?state=x", other: 400, owner: 400 },
  { route: "GET /api/composio/callback", path: () => "/api/composio/callback?state=x", other: 400, owner: 400 },
];

/** The routes of codebases. */
const CODEBASE_CASES: readonly Case[] = [
  { route: "GET /v1/codebases", path: () => "/v1/codebases", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/codebases",
    path: () => "/v1/codebases",
    body: () => ({ name: "of-nobody", source: { project: "x" } }),
    other: 422,
    owner: 422,
  },
  {
    route: "POST /v1/codebases/archives",
    path: () => "/v1/codebases/archives",
    body: () => ({}),
    other: 415,
    owner: 415,
  },
  { route: "GET /v1/codebases/{id}", path: () => `/v1/codebases/${CODEBASE}`, other: 404, owner: 404 },
  {
    route: "PATCH /v1/codebases/{id}",
    path: () => `/v1/codebases/${CODEBASE}`,
    body: () => ({ projects: [] }),
    other: 404,
    owner: 404,
  },
  {
    route: "POST /v1/codebases/search",
    path: () => "/v1/codebases/search",
    body: () => ({ query: "canary" }),
    other: "nothing of it",
    owner: 200,
  },
  { route: "DELETE /v1/codebases/{id}", path: () => `/v1/codebases/${CODEBASE}`, other: 404, owner: 404 },
  {
    route: "PUT /v1/codebases/{id}/reindex",
    path: () => `/v1/codebases/${CODEBASE}/reindex`,
    body: () => ({ every: "6h" }),
    other: 404,
    owner: 404,
  },
  { route: "POST /v1/codebases/{id}/reindex", path: () => `/v1/codebases/${CODEBASE}/reindex`, other: 404, owner: 404 },
];

const read = (path: string, route = path): Case => {
  return { route: `GET /api/tools/${route}`, path: () => `/api/tools/${path}`, other: "nothing of it", owner: 200 };
};

/** The catalogue is the same for all tenants. `test/workerd/apps/` has the same with connections of each tenant. */
const APP_CASES: readonly Case[] = [
  ...["marketplace", "stats", "connected", "workspace", "integrations/status"].map((path) => read(path)),
  ...["sync-history", "debug/cache-status", "debug/connections"].map((path) => read(path)),
  read("debug/resolve?q=mail", "debug/resolve"),
  { ...read("unknown/actions", "{app}/actions"), other: 404, owner: 404 },
  { ...read("unknown/triggers", "{app}/triggers"), other: 404, owner: 404 },
  { ...read("unknown/logo", "{app}/logo"), other: 404, owner: 404 },
  ...["connect", "disconnect"].map(
    (name): Case => ({
      route: `POST /api/tools/${name}`,
      path: () => `/api/tools/${name}`,
      body: () => ({ app_name: "crm" }),
      other: 404,
      owner: 404,
    }),
  ),
  {
    route: "POST /api/tools/refresh-connections",
    path: () => "/api/tools/refresh-connections",
    other: "nothing of it",
    owner: 200,
  },
  {
    route: "GET /v1/integrations/composio",
    path: () => "/v1/integrations/composio",
    other: "nothing of it",
    owner: 200,
  },
  {
    // Refused before the provider is asked.
    route: "PUT /v1/integrations/composio",
    path: () => "/v1/integrations/composio",
    body: () => ({ api_key: "short" }),
    other: 422,
    owner: 422,
  },
  {
    route: "DELETE /v1/integrations/composio",
    path: () => "/v1/integrations/composio",
    other: "nothing of it",
    owner: 200,
  },
  // No provider is set up.
  { route: "POST /api/tools/sync", path: () => "/api/tools/sync", other: 422, owner: 422 },
  { route: "POST /api/tools/backfill-params", path: () => "/api/tools/backfill-params", other: 422, owner: 422 },
];

const unknown = (route: string, path: string, body?: object): Case => {
  const given = body === undefined ? {} : { body: () => body };
  return { route, path: () => path, ...given, other: 404, owner: 404 };
};

/** The catalogue is empty here. `test/workerd/apps/` has the same with apps that each tenant added. */
const WORKSPACE_CASES: readonly Case[] = [
  unknown("POST /api/tools/add-to-workspace", "/api/tools/add-to-workspace", { app_name: "gmail" }),
  unknown("DELETE /api/tools/remove-from-workspace/{app}", "/api/tools/remove-from-workspace/gmail"),
  unknown("POST /api/tools/{app}/actions", "/api/tools/gmail/actions", { actions: [] }),
  unknown("PUT /api/tools/{app}/overrides", "/api/tools/gmail/overrides", { overrides: {} }),
  unknown("GET /api/tools/{app}/overrides", "/api/tools/gmail/overrides"),
  unknown("GET /api/tools/{app}/reading-actions", "/api/tools/gmail/reading-actions"),
  unknown("GET /api/tools/{app}/changes", "/api/tools/gmail/changes"),
  unknown("POST /api/tools/{app}/changes/approve", "/api/tools/gmail/changes/approve", { hash: "x" }),
  {
    route: "GET /api/tools/access",
    path: ({ agent }) => `/api/tools/access?agent=${agent}&tool=run_command`,
    other: 404,
    owner: 200,
  },
  { route: "GET /v1/agents/{id}/apps", path: ({ agent }) => `/v1/agents/${agent}/apps`, other: 404, owner: 200 },
  {
    route: "PUT /v1/agents/{id}/apps",
    path: ({ agent }) => `/v1/agents/${agent}/apps`,
    body: () => ({ assignments: [], permissions: [] }),
    other: 404,
    owner: 200,
  },
];

export const ACCESS_CASES: readonly Case[] = [
  {
    route: "POST /v1/knowledge/search",
    path: () => "/v1/knowledge/search",
    body: () => ({ query: "canary" }),
    other: "nothing of it",
    owner: 200,
  },
  ...CONNECTION_CASES,
  ...DOCUMENT_CASES,
  ...APP_CASES,
  ...WORKSPACE_CASES,
  ...CODEBASE_CASES,
  {
    // No call of these tasks waits for an account; test/workerd/steps/account.test.ts has one that does.
    route: "POST /v1/tasks/{id}/connections/{wait}",
    path: ({ waiting, question }) => `/v1/tasks/${waiting}/connections/${question.replace("qst_", "cnw_")}`,
    body: () => ({ decision: "skip" }),
    other: 404,
    owner: 404,
  },
  { route: "GET /v1/keys", path: () => "/v1/keys", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/keys",
    path: () => "/v1/keys",
    body: () => ({ name: "another", scopes: ["tasks:read"] }),
    other: "nothing of it",
    owner: 201,
  },
  {
    route: "POST /v1/keys",
    path: () => "/v1/keys",
    body: ({ agent }) => ({ name: "bound", scopes: ["tasks:read"], agents: [agent] }),
    other: 422,
    owner: 201,
  },
  { route: "DELETE /v1/keys/{id}", path: ({ key }) => `/v1/keys/${key}`, other: 404, owner: 200 },
  { route: "GET /v1/secrets", path: () => "/v1/secrets", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/secrets",
    path: () => "/v1/secrets",
    body: () => ({ name: "ANOTHER", value: "value", hosts: ["example.com"] }),
    other: "nothing of it",
    owner: 201,
  },
  {
    route: "POST /v1/secrets",
    path: () => "/v1/secrets",
    body: ({ agent }) => ({ name: "BOUND", value: "value", hosts: ["example.com"], agents: [agent] }),
    other: 422,
    owner: 201,
  },
  { route: "GET /v1/secrets/{secret}", path: ({ secret }) => `/v1/secrets/${secret}`, other: 404, owner: 200 },
  {
    route: "PUT /v1/secrets/{secret}",
    path: ({ secret }) => `/v1/secrets/${secret}`,
    body: () => ({ value: "value", hosts: ["example.com"] }),
    other: 404,
    owner: 200,
  },
  { route: "GET /v1/databases", path: () => "/v1/databases", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/databases",
    path: () => "/v1/databases",
    body: () => ({ name: "another", kind: "postgres", dsn: "postgres://a:b@db.example.com/c", projects: [] }),
    other: "nothing of it",
    owner: 201,
  },
  {
    route: "POST /v1/databases",
    path: () => "/v1/databases",
    body: ({ agent }) => ({ name: "bound", kind: "postgres", dsn: "postgres://a:b@db.example.com/c", agents: [agent] }),
    other: 422,
    owner: 201,
  },
  {
    route: "GET /v1/databases/{database}",
    path: ({ database }) => `/v1/databases/${database}`,
    other: 404,
    owner: 200,
  },
  {
    route: "PATCH /v1/databases/{database}",
    path: ({ database }) => `/v1/databases/${database}`,
    body: () => ({ max_rows: 10 }),
    other: 404,
    owner: 200,
  },
  {
    route: "POST /v1/databases/{database}/check",
    path: ({ database }) => `/v1/databases/${database}/check`,
    other: 404,
    // Its host is refused, which only the owner learns.
    owner: 403,
  },
  {
    route: "DELETE /v1/databases/{database}",
    path: ({ database }) => `/v1/databases/${database}`,
    other: 404,
    owner: 200,
  },
  { route: "DELETE /v1/secrets/{secret}", path: ({ secret }) => `/v1/secrets/${secret}`, other: 404, owner: 200 },
];
