/** The links of waits for an account. Each read creates new ones, and only for a reader who may connect the account. */
import { appsFromEnv } from "../../adapters/env/connections.ts";
import { hasServerGrant } from "../../core/connections/app-client.ts";
import type { PendingView } from "../../core/task/view.ts";
import { getActorId } from "../http/audit-entry.ts";
import type { AppContext } from "../http/context.ts";
import { getAuthor, getPerson, getTenant } from "../http/principal.ts";
import { canSeeConnectUrl, makeConnectUrl } from "./connect-token.ts";
import { makeServerPageUrl } from "./server-grant-page.ts";

/**
 * Adds the link to a wait for an account; for an MCP server with one grant, the page where it is authorized. Anything else that is
 * pending stays as it is. `task` is the task that was read.
 */
export async function addConnectUrl(c: AppContext, task: string, pending: PendingView): Promise<PendingView> {
  if (pending.kind !== "connection" || !canReaderConnect(c, pending)) return pending;
  const { id, app, person_id: person, reason, task_id = task } = pending;
  const { origin } = new URL(c.req.url);
  if (person === null && (await isGrantOfServer(c, app)))
    return { ...pending, connect_url: makeServerPageUrl(c.env, app, origin) };
  const link = {
    tenant: getTenant(c),
    app,
    person,
    alias: null,
    wait: { task: task_id, id },
    by: getAuthor(c),
    key: getActorId(c),
    ...(reason === "unattended" ? { unattended: true } : {}),
  };
  return { ...pending, connect_url: await makeConnectUrl(c.env, link, origin) };
}

/** Whether the app is an MCP server with one grant. While apps cannot be read, a link is made, whose page says so. */
async function isGrantOfServer(c: AppContext, app: string): Promise<boolean> {
  const found = await appsFromEnv(c.env, getTenant(c)).find(app);
  return found.ok && hasServerGrant(found.value);
}

function canReaderConnect(c: AppContext, { person_id }: { readonly person_id: string | null }): boolean {
  const principal = c.get("principal");
  if (principal.kind !== "tenant") return false;
  const { scopes } = principal.key;
  // Who is signed in to the console is one person, and connects no account of another.
  const own = c.get("session") === null ? scopes : scopes.filter((scope) => scope !== "people:act");
  return canSeeConnectUrl({ person: getPerson(c)?.id ?? null, scopes: own }, { person_id });
}
