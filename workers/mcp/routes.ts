/** The MCP servers of a tenant: their settings, approved tools, and changes that wait for a person. */
import { createRoute } from "@hono/zod-openapi";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { mcpFromEnv } from "../../adapters/env/mcp.ts";
import { runConcurrently } from "../../core/base/run-concurrently.ts";
import { raise, type Result } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { MAX_SERVERS, mcpServersSchema, readServer, serverNameSchema, serverSchema } from "../../core/mcp/config.ts";
import { getClientMetadata } from "../../core/mcp/oauth-client.ts";
import type { McpServerRecord } from "../../core/ports/mcp-server-table.ts";
import { SETUP } from "../../core/secrets/secret-use.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import { answers, openAnswers, withKey } from "../http/answers.ts";
import {
  serveConsentPage,
  isFromSession,
  isSameBrowser,
  OTHER_BROWSER,
  renderMessage,
  getFirstUrl,
} from "../http/consent-browser.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { BUILT_IN, getLooker, getPlace, reloadServer, findServer } from "./access.ts";
import {
  BEGIN_PATH,
  CALLBACK_PATH,
  CLIENT_PATH,
  findConsentPage,
  type ConsentState,
  completeConsent,
  storeConsentPage,
  openMcpConsent,
} from "./consent.ts";
import { removeServer, setServer } from "./change-server.ts";
import { findGrant, recordGrant } from "./server-grant.ts";
import { approveTools, readServerTools, type ReadServer, type NeededConsent, listPublishedTools } from "./servers.ts";
import { mcpServerDetailSchema, mcpServerSchema, toDetailView, toServerView } from "./view.ts";
import { z } from "zod";

/** Servers that are contacted at once. A Worker has six connections. */
const MAX_AT_ONCE = 4;

const shared = { tags: ["MCP servers"], ...withKey, middleware: [requireScope("admin")] };
const params = z.object({ name: serverNameSchema });
const detail = {
  description: "The server, its tools, and the changes that wait for a person.",
  json: mcpServerDetailSchema,
};
const listed = {
  description: "All servers, by name.",
  json: z.strictObject({ data: z.array(mcpServerSchema), next_cursor: z.null() }),
};

const put = createRoute({
  ...shared,
  method: "put",
  operationId: "mcpServers.replaceAll",
  path: "/v1/mcp-servers",
  summary: "Replace all MCP servers",
  description:
    "Accepts the `mcpServers` form of MCP clients. Servers that it does not name are removed. Each server is contacted; an unavailable one is stored as `failed`, without tools. Adding a server approves the tools that it lists then. `${NAME}` in a header is the tenant's secret of that name, which is sent only to its hosts. A server with a `command` runs as an isolated process in the sidecar, in an empty folder, and reaches only the hosts of its `network`; its secrets must be bound to each of them. A server that installs itself at its start (`npx -y …`) also needs its installer's hosts in `network`.",
  request: {
    body: {
      required: true,
      content: { "application/json": { schema: mcpServersSchema.meta({ id: "McpServersInput" }) } },
    },
  },
  responses: answers({ 200: listed }, [409, 413, 415, 422]),
});

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "mcpServers.set",
  path: "/v1/mcp-servers",
  summary: "Add or replace an MCP server",
  description:
    "New tasks have its tools as `{server}_{tool}`. They are `dangerous` and called at most once, unless the server is `trusted` and marks the tool as read-only or repeatable. If the server needs OAuth, the reply has an `authorization_url`. A server with a new URL, OAuth setting, command or arguments counts as another server: earlier approvals no longer apply. With `oauth`, calls act through a shared connection that names the authorization. With `oauth.per` `person`, each person connects an account; the approved tools stay the tenant's, and are read through the account of the person who adds or reloads the server.",
  request: {
    body: {
      required: true,
      content: {
        "application/json": { schema: serverSchema.extend({ name: serverNameSchema }).meta({ id: "McpServerInput" }) },
      },
    },
  },
  responses: answers({ 201: detail }, [409, 413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "mcpServers.list",
  path: "/v1/mcp-servers",
  summary: "List MCP servers",
  responses: answers({ 200: listed }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "mcpServers.get",
  path: "/v1/mcp-servers/{name}",
  summary: "Show an MCP server",
  request: { params },
  responses: answers({ 200: detail }, [404, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "mcpServers.delete",
  path: "/v1/mcp-servers/{name}",
  summary: "Remove an MCP server",
  description: "Running tasks keep its tools by name; calls of them fail because the server was removed.",
  request: { params },
  responses: answers({ 204: { description: "It was removed." } }, [404, 422]),
});

const reload = createRoute({
  ...shared,
  method: "post",
  operationId: "mcpServers.reload",
  path: "/v1/mcp-servers/{name}/reload",
  summary: "Reload an MCP server",
  description:
    "Connects and reads its tools. A list that differs from the approved one waits for `approve`; until then, tasks have the approved tools.",
  request: { params },
  responses: answers({ 200: detail }, [404, 409, 422]),
});

const approve = createRoute({
  ...shared,
  method: "post",
  operationId: "mcpServers.approve",
  path: "/v1/mcp-servers/{name}/approve",
  summary: "Approve the tools that an MCP server lists now",
  description: "`hash` is the `pending_hash` that you reviewed. 409 if the server lists other tools by now.",
  request: {
    params,
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/) }).meta({ id: "McpApprovalInput" }),
        },
      },
    },
  },
  responses: answers({ 200: detail }, [404, 409, 413, 415, 422]),
});

const callback = createRoute({
  tags: ["MCP servers"],
  method: "get",
  operationId: "mcpOauth.complete",
  path: CALLBACK_PATH,
  summary: "Return from an authorization server",
  description: "For browsers. `state` comes from Otto. It is valid once, for ten minutes.",
  request: {
    query: z.object({
      state: z.string().max(2_000),
      code: z.string().max(4_000).optional(),
      iss: z.string().max(2_000).optional(),
      error: z.string().max(200).optional(),
      error_description: z.string().max(2_000).optional(),
      error_uri: z.string().max(2_000).optional(),
      session_state: z.string().max(2_000).optional(),
      scope: z.string().max(4_000).optional(),
    }),
  },
  responses: openAnswers({
    200: { description: "Otto is authorized.", other: ["text/html"] },
    400: { description: "Otto was not authorized; the page explains why.", other: ["text/html"] },
  }),
});

const begin = createRoute({
  tags: ["MCP servers"],
  method: "get",
  operationId: "mcpOauth.begin",
  path: BEGIN_PATH,
  summary: "Go to an authorization server",
  description: "For browsers. Only the browser that opened this page can return.",
  request: { query: z.object({ state: z.string().max(2_000), go: z.string().max(100).optional() }) },
  responses: openAnswers({
    200: { description: "A page that names the tenant and links to the authorization server.", other: ["text/html"] },
    303: { description: "Redirects to the authorization server." },
    400: { description: "The authorization has expired.", other: ["text/html"] },
    409: { description: "The browser is signed in to another tenant.", other: ["text/html"] },
  }),
});

const client = createRoute({
  tags: ["MCP servers"],
  method: "get",
  operationId: "mcpOauth.getClient",
  path: CLIENT_PATH,
  summary: "Describe Otto as an OAuth client",
  description: "For authorization servers that accept this URL as the client id.",
  responses: openAnswers({
    200: { description: "The metadata of the client.", json: z.record(z.string(), z.unknown()) },
  }),
});

export function mcpServerRoutes(app: App): void {
  app.openapi(client, (c) => {
    const { origin } = new URL(c.req.url);
    const description = getClientMetadata(`${origin}${CALLBACK_PATH}`);
    return c.json({ client_id: `${origin}${CLIENT_PATH}`, ...description, token_endpoint_auth_method: "none" }, 200);
  });

  app.openapi(put, async (c) => {
    const { mcpServers } = c.req.valid("json");
    const configs = Object.entries(mcpServers).map(([name, given]) => {
      return { name, config: unwrap(readServer(given, `mcpServers.${name}.`)) };
    });
    const place = getPlace(c);
    const table = databaseFromEnv(c.env).mcpServers;
    const before = unwrap(await table.all(place.tenant));
    for (const { name } of before) if (!Object.hasOwn(mcpServers, name)) await removeServer(c, place, name);
    const records: McpServerRecord[] = [];
    for (const { name, config } of configs) records.push(await setServer(c, place, name, config, before));
    const looker = getLooker(c);
    const looked: Result<ReadServer>[] = [];
    for await (const one of runConcurrently(records, MAX_AT_ONCE, (record) => readServerTools(place, record, looker)))
      looked.push(one);
    for (const one of looked) unwrap(one);
    return c.json({ data: unwrap(await table.all(place.tenant)).map(toServerView), next_cursor: null }, 200);
  });

  app.openapi(create, async (c) => {
    const { name, ...given } = c.req.valid("json");
    const config = unwrap(readServer(given, ""));
    const place = getPlace(c);
    const before = unwrap(await databaseFromEnv(c.env).mcpServers.all(place.tenant));
    const isNew = !before.some((one) => one.name === name);
    if (isNew && before.length >= MAX_SERVERS)
      raise("quota_exceeded", `A tenant has at most ${MAX_SERVERS} MCP servers. Remove one first.`);
    const record = await setServer(c, place, name, config, before);
    const looked = unwrap(await readServerTools(place, record, getLooker(c)));
    return c.json(await readDetail(c, looked), 201, { location: `/v1/mcp-servers/${name}` });
  });

  app.openapi(list, async (c) => {
    const all = unwrap(await databaseFromEnv(c.env).mcpServers.all(getTenant(c)));
    return c.json({ data: all.map(toServerView), next_cursor: null }, 200);
  });

  app.openapi(show, async (c) => {
    const record = await findServer(c, c.req.valid("param").name);
    return c.json(await readDetail(c, { record, consent: null }), 200);
  });

  app.openapi(remove, async (c) => {
    await removeServer(c, getPlace(c), c.req.valid("param").name);
    return c.body(null, 204);
  });

  app.openapi(reload, async (c) => {
    return c.json(await readDetail(c, unwrap(await reloadServer(c, c.req.valid("param").name))), 200);
  });

  app.openapi(approve, async (c) => {
    const place = getPlace(c);
    const record = await findServer(c, c.req.valid("param").name);
    const { hash } = c.req.valid("json");
    if (record.seen?.hash !== hash)
      raise("conflict", "The server does not list these tools. Reload it and review the new list.", { field: "hash" });
    const act = await createAuditEntry(c, "mcp_server.approve", record.name);
    const agreed = unwrap(await approveTools(place, record, { hash, act }));
    return c.json(await readDetail(c, { record: agreed, consent: null }), 200);
  });

  app.openapi(begin, async (c) => {
    const { state: text, go } = c.req.valid("query");
    const state = await requireConsent(c, text);
    const url = await findConsentPage(c.env, state);
    if (!url.ok) return renderMessage(c, 400, url.error.message);
    return await serveConsentPage(c, state, { what: `the MCP server ${state.server}`, url: url.value, go });
  });

  app.openapi(callback, async (c) => {
    const query = c.req.valid("query");
    const state = await requireConsent(c, query.state);
    const { tenant, server, actor, by = { person: null, name: actor } } = state;
    if (!(await isSameBrowser(c, state))) return renderMessage(c, 400, OTHER_BROWSER);
    const ended = await completeConsent(c.env, state, query.state);
    if (!ended.ok) return renderMessage(c, 400, ended.error.message);
    if (query.code === undefined)
      return renderMessage(c, 400, `The authorization was refused: ${query.error ?? "no code"}.`);
    const mcp = mcpFromEnv(c.env, { tenant }, SETUP, ended.value);
    const finished = await mcp.finish(server, new URL(c.req.url).searchParams);
    if (!finished.ok) return renderMessage(c, 400, finished.error.message);
    const database = databaseFromEnv(c.env);
    const at = Date.now();
    const id = makeId("audit", at, crypto.getRandomValues(new Uint8Array(10)));
    const requestId = c.get("requestId");
    const act = { id, at, actor, action: "mcp_server.authorize", target: server, requestId } as const;
    unwrap(await database.audit.add(tenant, act));
    const place = { env: c.env, tenant, builtIn: BUILT_IN };
    const record = unwrap(await database.mcpServers.get(tenant, server));
    const who = { actor, by, requestId };
    unwrap(await recordGrant(place, record, unwrap(await findGrant(place, server)), who));
    const { origin } = new URL(ended.value.redirectUrl);
    const looker = { origin, ...who, person: null, signal: c.req.raw.signal };
    const looked = unwrap(await readServerTools(place, record, looker));
    const isConnected = looked.record.status === "connected";
    const count = looked.record.approved?.tools.length ?? 0;
    return renderMessage(
      c,
      200,
      isConnected ? `Otto is authorized, and has ${count} tools of ${server}.` : "Otto is authorized.",
    );
  });
}

async function readDetail(c: AppContext, { record, consent }: ReadServer) {
  const published = unwrap(await listPublishedTools(getPlace(c), record.name));
  return toDetailView(record, published, consent === null ? null : await getConsentAddress(c, record.name, consent));
}

/** Returns the address at which a person starts a consent. Stores the consent page for Otto's own page before it. */
async function getConsentAddress(
  c: AppContext,
  server: string,
  { begun, state, page }: NeededConsent,
): Promise<string> {
  const { origin } = new URL(c.req.url);
  if (!isFromSession(c, origin)) unwrap(await storeConsentPage(c.env, { ...begun, server }, page));
  return await getFirstUrl(c, begun, { url: page, origin, path: BEGIN_PATH, state });
}

async function requireConsent(c: AppContext, text: string): Promise<ConsentState> {
  const state = await openMcpConsent(c.env, text);
  return state ?? raise("invalid_input", "state: Otto did not start this authorization", { field: "state" });
}
