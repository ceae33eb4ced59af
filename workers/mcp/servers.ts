/**
 * Reads a tenant's MCP servers, and publishes the tools that a person approved. Adding a server approves its first
 * list. A later list that differs waits, and until then tasks have the approved tools.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { mcpFromEnv } from "../../adapters/env/mcp.ts";
import { toolSourcesFromEnv } from "../../adapters/env/tool-sources.ts";
import type { McpServerRecord } from "../../core/ports/mcp-server-table.ts";
import { type Failure, ok, type Result } from "../../core/base/errors.ts";
import type { Connection } from "../../core/connections/connection.ts";
import { hasSharedGrant, isPerPerson } from "../../core/mcp/config.ts";
import { toOutsideTools, getServerSource } from "../../core/mcp/outside-tools.ts";
import { cleanText, readToolList } from "../../core/mcp/tool-list.ts";
import type { McpTool } from "../../core/ports/mcp.ts";
import { SETUP } from "../../core/secrets/secret-use.ts";
import { toNameKey, type OutsideTool } from "../../core/tool/source.ts";
import type { StartedConsent } from "../http/consent-browser.ts";
import { startConsent } from "./consent.ts";
import { checkServerName, openReaderAccount } from "./server-app.ts";
import { expireGrant, findGrant, findToolApp, type GrantedBy, recordGrant } from "./server-grant.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";

const MAX_ERROR = 500;
/** Retries with other names, when servers that are set at the same time took them. */
const MAX_TRIES = 5;

/** The tenant of the servers, and the names of built-in tools. */
export interface McpPlace {
  readonly env: Env;
  readonly tenant: string;
  readonly builtIn: readonly string[];
}

/** The caller: what an authorization by a person needs. */
export interface McpRequester extends GrantedBy {
  /** `https://host` of this API. */
  readonly origin: string;
  /** The person through whose account a server is read to which each person connects; null without one. */
  readonly person: string | null;
  readonly signal: AbortSignal;
}

/** A server after it was read. `consent` is set if a person has to authorize Otto first. */
export interface ReadServer {
  readonly record: McpServerRecord;
  readonly consent: NeededConsent | null;
}

/** A started consent: the page where the person agrees, and the state that it returns. */
export interface NeededConsent {
  readonly begun: StartedConsent;
  readonly state: string;
  readonly page: string;
}

/** Connects to the server and stores its list. An unavailable server is a state rather than a failure. */
export async function readServerTools(
  place: McpPlace,
  record: McpServerRecord,
  looker: McpRequester,
): Promise<Result<ReadServer>> {
  const { env, tenant } = place;
  const { name, version, settings } = record;
  const grant = await findKnownGrant(place, record);
  if (!grant.ok) return grant;
  const asksForAll = settings.oauth?.grant === "authorization_code" && !isPerPerson(settings);
  const consent = asksForAll ? await startConsent(env, tenant, name, looker) : ok(null);
  if (!consent.ok) return consent;
  const table = databaseFromEnv(env).mcpServers;
  const at = Date.now();
  const mcp = mcpFromEnv(env, { tenant }, SETUP, consent.value);
  const reader = await openReaderAccount(place, record, looker);
  const listed = reader.ok ? await mcp.list(name, looker.signal, reader.value ?? undefined) : reader;
  const read = listed.ok ? await readToolList(listed.value.tools) : listed;
  if (!listed.ok || !read.ok) {
    const error = listed.ok ? (read as { error: Failure }).error : listed.error;
    return await storeFailure(place, record, { error, at, grant: grant.value, consent: consent.value });
  }
  const { protocolVersion, prior } = listed.value;
  const seen = read.value;
  const check = { status: "connected", error: null, seen, protocolVersion, prior, at } as const;
  const kept = await table.saveCheck(tenant, name, version, check);
  if (!kept.ok) return kept;
  // Before its tools are published: they name the account.
  const granted = hasSharedGrant(settings) ? await recordGrant(place, record, grant.value, looker) : ok(undefined);
  if (!granted.ok) return granted;
  const agreed = await approveTools(place, kept.value, null);
  return agreed.ok ? ok({ record: agreed.value, consent: null }) : agreed;
}

interface FailedRead {
  readonly error: Failure;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The account of the server's one grant from before; null: none. */
  readonly grant: Connection | null;
  /** Null if no person can be asked. */
  readonly consent: Omit<NeededConsent, "page"> | null;
}

/** Stores that a server could not be read. The approved tools stay, with its current trust, even while it is unavailable. */
async function storeFailure(
  place: McpPlace,
  record: McpServerRecord,
  { error, at, grant, consent }: FailedRead,
): Promise<Result<ReadServer>> {
  const isRefused = error.code === "permission_denied";
  const status = isRefused ? "authorization_needed" : "failed";
  const nothing = { seen: null, protocolVersion: null, prior: null };
  const check = { status, error: cleanText(error.message, MAX_ERROR), ...nothing, at } as const;
  const kept = await databaseFromEnv(place.env).mcpServers.saveCheck(place.tenant, record.name, record.version, check);
  if (!kept.ok) return kept;
  const expired = isRefused ? await expireGrant(place, grant, error) : ok(undefined);
  if (!expired.ok) return expired;
  const agreed = await approveTools(place, kept.value, null);
  if (!agreed.ok) return agreed;
  const page = error.cause?.kind === "needs_consent" ? error.cause.url : null;
  return ok({ record: agreed.value, consent: page === null || consent === null ? null : { ...consent, page } });
}

/** Finds the account of a server with one grant. `conflict` for the name of an import to whose app people connect. */
async function findKnownGrant(
  place: McpPlace,
  { name, settings }: McpServerRecord,
): Promise<Result<Connection | null>> {
  if (!hasSharedGrant(settings)) return ok(null);
  const free = await checkServerName(place, name);
  return free.ok ? await findGrant(place, name) : free;
}

/**
 * Approves a list and publishes it, in this order: otherwise a published list without approval could be taken over by
 * a later one. The next read publishes what an interruption left out. `hash` names the list, or it is the first list
 * of a server or the approved one. A list that waits for a person leaves the published one in place.
 */
export async function approveTools(
  place: McpPlace,
  record: McpServerRecord,
  approval: { readonly hash: string; readonly act: AuditEntry | null } | null,
): Promise<Result<McpServerRecord>> {
  const { approved, seen } = record;
  const hash = approval?.hash ?? (approved === null ? seen?.hash : approved.hash);
  const list = [seen, approved].find((one) => one?.hash === hash);
  if (list == null) return ok(record);
  const table = databaseFromEnv(place.env).mcpServers;
  const isKnown = approved?.hash === list.hash && approval === null;
  const agreed = isKnown
    ? ok(record)
    : await table.approve(place.tenant, record.name, list.hash, approval?.act ?? null);
  if (!agreed.ok) return agreed;
  const published = await publish(place, agreed.value, list.tools);
  return published.ok ? agreed : published;
}

/** Publishes these tools of the server for later tasks. Another source that takes a name meanwhile keeps it. */
async function publish(place: McpPlace, record: McpServerRecord, tools: readonly McpTool[]): Promise<Result<unknown>> {
  for (let tries = 1; ; tries += 1) {
    const published = await publishOnce(place, record, tools);
    if (published.ok || published.error.code !== "conflict" || tries >= MAX_TRIES) return published;
  }
}

async function publishOnce(
  { env, tenant, builtIn }: McpPlace,
  { name, settings }: McpServerRecord,
  tools: readonly McpTool[],
): Promise<Result<unknown>> {
  const sources = toolSourcesFromEnv(env);
  const present = await sources.present(tenant);
  if (!present.ok) return present;
  const taken = new Set(builtIn.map(toNameKey));
  for (const other of present.value) {
    if (other.name === getServerSource(name)) continue;
    const read = await sources.read(tenant, other.hash);
    if (!read.ok) return read;
    for (const tool of read.value) taken.add(toNameKey(tool.name));
  }
  const app = await findToolApp({ env, tenant }, { name, settings });
  if (!app.ok) return app;
  const { trusted, timeoutMs } = settings;
  const trust = { trusted, timeoutMs, app: app.value };
  const named = await toOutsideTools(name, tools, trust, (candidate) => taken.has(candidate));
  return await sources.publish(tenant, { name: getServerSource(name), tools: named }, null);
}

/** Returns the published tools of a server. */
export async function listPublishedTools(
  { env, tenant }: McpPlace,
  server: string,
): Promise<Result<readonly OutsideTool[]>> {
  const sources = toolSourcesFromEnv(env);
  const present = await sources.present(tenant);
  if (!present.ok) return present;
  const source = present.value.find(({ name }) => name === getServerSource(server));
  return source === undefined ? ok([]) : await sources.read(tenant, source.hash);
}

/** Removes the server's tools from later tasks. */
export async function withdraw({ env, tenant }: McpPlace, server: string): Promise<Result<unknown>> {
  return await toolSourcesFromEnv(env).publish(tenant, { name: getServerSource(server), tools: [] }, null);
}
