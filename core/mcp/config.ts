/**
 * The configuration of MCP servers in the format that MCP clients share, `{"mcpServers": {name: {…}}}`. `${NAME}` in a
 * header refers to the tenant's secret, which the egress module fills in. A server has a `url` or a `command`.
 */
import { z } from "zod";
import { type Failure, failed, ok, type Result } from "../base/errors.ts";
import { toCanonicalJson } from "../base/canonical-json.ts";
import {
  toReferences,
  BROKEN_REFERENCE,
  hasBrokenReference,
  type McpProcessSettings,
  processFields,
  readProcess,
} from "./process-config.ts";

/** Servers of one tenant. */
export const MAX_SERVERS = 50;
const MAX_HEADERS = 20;
const MAX_VALUE = 4_096;
const MAX_URL = 2_000;
const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_TIMEOUT_MS = 300_000;

/** Headers that the protocol or the connection sets. */
const OWN_HEADERS = /^(?:mcp-.*|accept|content-type|content-length|host|connection|transfer-encoding|last-event-id)$/i;
const PROCESS_FIELDS = ["command", "args", "env", "network"] as const;
const URL_FIELDS = ["url", "headers", "oauth"] as const;

export const serverNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,38}[A-Za-z0-9])?$/, "has to be 1 to 40 letters, digits, _, - and .");

const headerSchema = z
  .string()
  .max(MAX_VALUE)
  .regex(/^[\x20-\x7e]*$/, "has to be printable ASCII");

const oauthSchema = z
  .strictObject({
    grant: z.enum(["authorization_code", "client_credentials"]).default("authorization_code"),
    client_id: z.string().min(1).max(2_000).optional().describe("Without one, Otto registers itself with the server."),
    client_secret: z.string().min(1).max(2_000).optional().describe("Sealed at once and never returned."),
    scope: z.string().max(2_000).optional().describe("Requested when the server names no scope."),
    per: z
      .enum(["shared", "person"])
      .optional()
      .describe("`person`: each person connects an account of their own. `shared`, the default: Otto has one for all."),
  })
  .refine(
    ({ grant, client_id, client_secret }) =>
      grant !== "client_credentials" || (client_id !== undefined && client_secret !== undefined),
    {
      path: ["client_id"],
      message: "the grant client_credentials needs client_id and client_secret",
    },
  )
  .refine(({ grant, per }) => grant !== "client_credentials" || per !== "person", {
    path: ["per"],
    message: "the grant client_credentials authorizes Otto itself, so there is no account of a person",
  });

const transportSchema = z.enum(["http", "streamable-http", "sse", "stdio"]);

/** One server of a configuration. */
export const serverSchema = z.strictObject({
  type: transportSchema.optional(),
  transport: transportSchema.optional(),
  url: z.string().max(MAX_URL).optional(),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/, "has to be a header's name"), headerSchema)
    .optional()
    .describe("Sealed at once; only the names are returned. `${NAME}` refers to the secret of that name."),
  oauth: oauthSchema.optional(),
  trusted: z
    .boolean()
    .optional()
    .describe("True: trust the server's statements about its tools (that one only reads, or may be repeated)."),
  timeout_ms: z.int().min(1_000).max(MAX_TIMEOUT_MS).optional().describe("For one call. A minute by default."),
  ...processFields,
});

/** The whole configuration. */
export const mcpServersSchema = z.strictObject({
  mcpServers: z.record(serverNameSchema, serverSchema).refine((servers) => Object.keys(servers).length <= MAX_SERVERS, {
    message: `a tenant has at most ${MAX_SERVERS} servers`,
  }),
});

/** How the server authorizes Otto. */
export interface McpOAuthSettings {
  readonly grant: "authorization_code" | "client_credentials";
  readonly clientId: string | null;
  readonly scope: string | null;
  /** Each person has an account. Absent, as in rows of earlier releases: Otto has one for all. */
  readonly per?: "person";
}

/** The public part of a server's configuration. */
export interface McpSettings {
  /** Null for a process. */
  readonly url: string | null;
  readonly headerNames: readonly string[];
  readonly oauth: McpOAuthSettings | null;
  /** Null for a server with a URL. Absent in rows from before there were processes. */
  readonly process?: McpProcessSettings | null;
  readonly trusted: boolean;
  readonly timeoutMs: number;
}

/** The secret part, which is sealed in storage. Header values contain references in the format of the egress module. */
export interface McpSecrets {
  readonly headers: readonly (readonly [string, string])[];
  readonly clientSecret: string | null;
  /** For a process: names and values. */
  readonly env?: readonly (readonly [string, string])[];
}

export interface McpConfig {
  readonly settings: McpSettings;
  readonly secrets: McpSecrets;
}

/** Reads one server. `at` is its position in the request, for the field in an error. */
export function readServer(given: z.infer<typeof serverSchema>, at: string): Result<McpConfig> {
  const wrong = (field: string, message: string, code: Failure["code"] = "invalid_input") =>
    failed(code, `${at}${field}: ${message}`, { field: `${at}${field}` });
  const processField = PROCESS_FIELDS.find((field) => given[field] !== undefined);
  const transport = given.transport ?? given.type ?? (processField === undefined ? "http" : "stdio");
  const shared = { trusted: given.trusted ?? false, timeoutMs: given.timeout_ms ?? DEFAULT_TIMEOUT_MS };
  if (transport === "stdio") {
    const other = URL_FIELDS.find((field) => given[field] !== undefined);
    if (other !== undefined) return wrong(other, "applies to HTTP servers, and this one is a process");
    const read = readProcess(given);
    if (!read.ok) return wrong(read.error.field ?? "command", read.error.message);
    const { settings, env: variables } = read.value;
    return ok({
      settings: { url: null, headerNames: [], oauth: null, process: settings, ...shared },
      secrets: { headers: [], clientSecret: null, env: variables },
    });
  }
  if (processField !== undefined)
    return wrong(processField, "applies to servers that are processes, and this one is reached over HTTP");
  if (transport === "sse") {
    const message =
      "the transport of before 2025 (HTTP with SSE) is not available; give the server's streamable HTTP endpoint";
    return wrong(given.transport === undefined ? "type" : "transport", message, "not_available");
  }
  const { url = "", headers = {}, oauth } = given;
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return wrong("url", "has to be an http or https URL");
  if (parsed.username !== "" || parsed.password !== "")
    return wrong("url", "contains a user or a password; use a header");
  if (/\$\{|\{\{/.test(decodeUrl(url))) return wrong("url", "contains a reference to a secret; use a header");
  parsed.hash = "";
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) return wrong("headers", `a server has at most ${MAX_HEADERS} headers`);
  for (const [name, value] of entries) {
    if (OWN_HEADERS.test(name)) return wrong(`headers.${name}`, "is set by Otto");
    if (oauth !== undefined && name.toLowerCase() === "authorization")
      return wrong(`headers.${name}`, "conflicts with OAuth; set only one of them");
    if (hasBrokenReference(value)) return wrong(`headers.${name}`, BROKEN_REFERENCE);
  }
  return ok({
    settings: {
      url: parsed.href,
      headerNames: entries.map(([name]) => name),
      oauth:
        oauth === undefined
          ? null
          : {
              grant: oauth.grant,
              clientId: oauth.client_id ?? null,
              scope: oauth.scope ?? null,
              ...(oauth.per === "person" ? { per: oauth.per } : {}),
            },
      process: null,
      ...shared,
    },
    secrets: {
      headers: entries.map(([name, value]) => [name, toReferences(value)]),
      clientSecret: oauth?.client_secret ?? null,
    },
  });
}

/** True if each person connects an account of their own. */
export function isPerPerson({ oauth }: Pick<McpSettings, "oauth">): boolean {
  return oauth?.per === "person";
}

/** True if Otto has one grant of the server for everyone. */
export function hasSharedGrant({ oauth }: Pick<McpSettings, "oauth">): boolean {
  return oauth !== null && oauth.per !== "person";
}

/** Whether a server is reached or started, and identified, as before: then its agreement still applies. */
export function isSameAccess(before: McpSettings, after: McpSettings): boolean {
  return toCanonicalJson(getAccess(before)) === toCanonicalJson(getAccess(after));
}

function getAccess({ url, oauth, process: program }: McpSettings) {
  return [url, oauth, program == null ? null : [program.command, program.args]];
}

function decodeUrl(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
