/**
 * The account of an MCP server's one grant: a shared connection that names the grant in ledgers and approvals. The server's
 * own row stores its tokens, and the flow of the protocol package gets them.
 */
import { connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { hasRefreshToken, mcpRegistryFromEnv } from "../../adapters/env/mcp.ts";
import { type Failure, ok, type Result } from "../../core/base/errors.ts";
import { isServerGrant, type ToolApp } from "../../core/connections/account.ts";
import type { Actor } from "../../core/connections/actors.ts";
import { type AppSettings, hashAppSettings } from "../../core/connections/app-settings.ts";
import type { Connection } from "../../core/connections/connection.ts";
import { MAX_OF_OWNER } from "../../core/connections/rules.ts";
import { hasSharedGrant } from "../../core/mcp/config.ts";
import { decideGrant } from "../../core/mcp/grant.ts";
import { getServerApp } from "../../core/mcp/outside-tools.ts";
import type { McpServerRecord } from "../../core/ports/mcp-server-table.ts";
import { storeApp } from "../connections/apps.ts";
import { wakeTasksOf, writeConnectionChange } from "../connections/changes.ts";
import { createConnectAct } from "../connections/consent-notices.ts";
import { changeAuth } from "./consent.ts";
import type { McpPlace } from "./servers.ts";

type GrantPlace = Pick<McpPlace, "env" | "tenant">;

/** Who authorizes Otto, and the request for the audit log. */
export interface GrantedBy {
  readonly by: Actor;
  readonly actor: string;
  readonly requestId: string;
}

/** Finds the account of a server's one grant; null for a server that Otto was never authorized for. */
export async function findGrant({ env, tenant }: GrantPlace, server: string): Promise<Result<Connection | null>> {
  const query = { person: null, app: server, limit: MAX_OF_OWNER };
  const listed = await connectionTableFromEnv(env, tenant).list(query);
  return listed.ok ? ok(listed.value.find((one) => isServerGrant(one) && one.consent > 0) ?? null) : listed;
}

/** Finds through whose account the tools of a server act; null for a server that needs no authorization. */
export async function findToolApp(
  place: GrantPlace,
  { name, settings }: Pick<McpServerRecord, "name" | "settings">,
): Promise<Result<ToolApp | null>> {
  const app = getServerApp(name, settings);
  if (!hasSharedGrant(settings)) return ok(app);
  const grant = await findGrant(place, name);
  return grant.ok ? ok(grant.value === null ? null : app) : grant;
}

/** Records that the server accepts Otto. `known` is the account from before that. */
export async function recordGrant(
  place: GrantPlace,
  record: McpServerRecord,
  known: Connection | null,
  granted: GrantedBy,
): Promise<Result<void>> {
  const { env, tenant } = place;
  const store = mcpRegistryFromEnv(env, tenant).authOf(record.name);
  const saved = await store.load();
  if (!saved.ok) return saved;
  const { tokens, isNew = false } = saved.value;
  const settings = describeApp(record);
  const settingsHash = await hashAppSettings(settings);
  const step = decideGrant(known, { hasTokens: tokens !== undefined, isNew, settingsHash });
  if (step === "keep") return ok(undefined);
  const app = { app: record.name, provider: "mcp", settings, clientSecret: undefined } as const;
  const stored = await storeApp(place, app);
  if (!stored.ok) return stored;
  const changed = await writeConnectionChange(env, tenant, async () =>
    step === "restore" && known !== null
      ? await connectionTableFromEnv(env, tenant).restore(known.id)
      : await storeConsent(place, { server: record.name, known, settingsHash }, granted),
  );
  if (!changed.ok) return changed;
  await wakeTasksOf(env, changed.value);
  if (!isNew) return ok(undefined);
  // Only now: a consent that is counted twice asks for an approval again, and one that is lost does not.
  const counted = await changeAuth(store, ({ isNew: _, ...rest }) => ok(rest));
  return counted.ok ? ok(undefined) : counted;
}

/** Records that a check failed because the server does not accept Otto any more. */
export async function expireGrant(
  { env, tenant }: GrantPlace,
  known: Connection | null,
  { message: why, cause }: Failure,
): Promise<Result<void>> {
  if (known?.status !== "active") return ok(undefined);
  const { id, app, consent } = known;
  const saved = await mcpRegistryFromEnv(env, tenant).authOf(app).load();
  if (!saved.ok) return saved;
  // A consent is offered too while the authorization server has a fault. Its refusal discards the token.
  if (cause?.kind === "needs_consent" && hasRefreshToken(saved.value)) return ok(undefined);
  const expire = async () => await connectionTableFromEnv(env, tenant).settle(id, "expired", why, { consent });
  const expired = await writeConnectionChange(env, tenant, expire);
  return expired.ok ? ok(undefined) : expired;
}

interface ConsentFacts {
  readonly server: string;
  readonly known: Connection | null;
  readonly settingsHash: string;
}

async function storeConsent(
  { env, tenant }: GrantPlace,
  { server, known, settingsHash }: ConsentFacts,
  { by, actor, requestId }: GrantedBy,
): Promise<Result<Connection>> {
  const table = connectionTableFromEnv(env, tenant);
  const found = known === null ? await table.ensure({ app: server, person: null, alias: null }, "mcp") : ok(known);
  if (!found.ok) return found;
  const { id } = found.value;
  const given = { tokens: null, label: null, scopes: null, unattended: false, settingsHash, by };
  return await table.complete(id, given, createConnectAct(requestId, actor, id));
}

/** The app of the server. Nobody connects it by a link, so it names no provider. */
function describeApp({ name, settings: { url, oauth } }: McpServerRecord): AppSettings {
  return {
    title: name,
    per: "shared",
    kind: "mcp",
    scopes: [],
    fields: [],
    hosts: url === null ? [] : [new URL(url).host],
    header: "authorization",
    at: null,
    clientId: oauth?.clientId ?? null,
    params: {},
    ...(url === null ? {} : { resource: url }),
    ...(oauth === null ? {} : { grant: { kind: oauth.grant, scope: oauth.scope } }),
  };
}
