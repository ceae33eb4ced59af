/** Connects and disconnects apps by their names, and checks what is connected at the provider of the catalogue. */
import { createRoute } from "@hono/zod-openapi";
import { appsFromEnv, connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { publicUrlFromEnv } from "../../adapters/env/deployment.ts";
import { raise } from "../../core/base/errors.ts";
import { type Connection, toConnectionStatus } from "../../core/connections/connection.ts";
import { MAX_OF_OWNER } from "../../core/connections/rules.ts";
import { disconnect, requireAdminOfShared } from "../connections/disconnect.ts";
import { createLink } from "../connections/new-link.ts";
import { refreshConnections } from "../connections/refresh.ts";
import { answers, emptyBody, withKey } from "../http/answers.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getTenant } from "../http/principal.ts";
import { requirePerson } from "../http/require-person.ts";
import { unwrap } from "../http/unwrap.ts";
import {
  connectInput,
  disconnectedSchema,
  disconnectInput,
  redirectSchema,
  refreshedSchema,
} from "./connect-schemas.ts";

const shared = { tags: ["Apps"], ...withKey, method: "post" as const };
const writes = [requireScope("tasks:write")];

const connect = createRoute({
  ...shared,
  operationId: "marketplace.connect",
  path: "/api/tools/connect",
  summary: "Get a link to connect an account of an app",
  description:
    "Like `POST /v1/connections`. The link works once, for 15 minutes. 422 for an app that needs no account, or that an administrator has to set up at the provider first; the message says which.",
  middleware: writes,
  request: { body: { required: true, content: { "application/json": { schema: connectInput } } } },
  responses: answers({ 200: { description: "The link.", json: redirectSchema } }, [404, 413, 415, 422]),
});

const disconnectApp = createRoute({
  ...shared,
  operationId: "marketplace.disconnect",
  path: "/api/tools/disconnect",
  summary: "Disconnect the accounts of an app",
  description:
    "All of the key's person, or the shared ones. New calls are refused everywhere within five seconds, and Otto revokes the accounts at the app.",
  middleware: writes,
  request: { body: { required: true, content: { "application/json": { schema: disconnectInput } } } },
  responses: answers(
    { 200: { description: "They are disconnected.", json: disconnectedSchema } },
    [404, 413, 415, 422],
  ),
});

const refresh = createRoute({
  ...shared,
  operationId: "marketplace.refreshConnections",
  path: "/api/tools/refresh-connections",
  summary: "Check connected accounts at the provider of the catalogue",
  description:
    "Of everyone in the tenant, the longest unchecked first. An account that has ended at the provider ends here, and its owner is notified. No connection becomes active by this.",
  middleware: [requireScope("admin")],
  request: { body: emptyBody },
  responses: answers({ 200: { description: "What was found.", json: refreshedSchema } }, [413, 415, 422]),
});

export function appConnectRoutes(app: App): void {
  app.openapi(connect, async (c) => {
    const { app_name, callback_url, owner = "me" } = c.req.valid("json");
    const returnTo = readReturn(c, callback_url);
    const name = await findName(c, app_name);
    const wanted = { name, owner, alias: null, unattended: undefined };
    const link = await createLink(c, returnTo === null ? wanted : { ...wanted, returnTo });
    return c.json({ redirect_url: link.url, app_name: link.app.app }, 200);
  });

  app.openapi(disconnectApp, async (c) => {
    const { app_name, owner = "me" } = c.req.valid("json");
    if (owner === "shared") requireAdminOfShared(c);
    const connections = await listConnected(c, app_name, owner);
    const [first] = connections;
    if (first === undefined)
      raise("not_found", `No account of ${app_name} is connected. GET /v1/connections lists those that are.`);
    for (const connection of connections) await disconnect(c, connection);
    const count = connections.length;
    const message = count === 1 ? "The account was disconnected." : `${count} accounts were disconnected.`;
    return c.json({ status: "success" as const, message, app_name: first.app }, 200);
  });

  app.openapi(refresh, async (c) => c.json(await refreshConnections(c.env, getTenant(c), c.get("requestId")), 200));
}

/** Names of the catalogue are in lower case. One of the tenant's own apps counts as it is written. */
async function findName(c: AppContext, given: string): Promise<string> {
  const lower = given.toLowerCase();
  if (lower === given) return given;
  const own = await appsFromEnv(c.env, getTenant(c)).find(given);
  return !own.ok && own.error.code === "not_found" ? lower : given;
}

/** Reads the address to return to; null without one. An address elsewhere would make this an open redirect. */
function readReturn(c: AppContext, given: string | undefined): string | null {
  if (given === undefined) return null;
  const own = [new URL(c.req.url).origin, publicUrlFromEnv(c.env)].flatMap((url) => URL.parse(url ?? "") ?? []);
  const url = URL.parse(given, own[0]?.href);
  if (url === null || !own.some(({ origin }) => origin === url.origin))
    raise("invalid_input", "callback_url has to be an address of this Otto. Omit it to stay on the page.", {
      field: "callback_url",
    });
  // With its origin, because a path that begins with two slashes would name another host.
  return `${url.origin}${url.pathname}${url.search}${url.hash}`;
}

/** The connections of the owner to the app that are not disconnected yet. */
async function listConnected(c: AppContext, given: string, owner: "me" | "shared"): Promise<readonly Connection[]> {
  const table = connectionTableFromEnv(c.env, getTenant(c));
  const of = owner === "me" ? { person: requirePerson(c).id, shared: false } : { person: null };
  for (const app of new Set([given, given.toLowerCase()])) {
    const listed = unwrap(await table.list({ ...of, app, limit: MAX_OF_OWNER }));
    const connected = listed.filter((one) => toConnectionStatus(one, Date.now()) !== "revoked");
    if (connected.length > 0) return connected;
  }
  return [];
}
