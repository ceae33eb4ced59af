/**
 * Reads and checks bodies. `readBody` counts a JSON body as it arrives, after the key is validated, and stores its
 * bytes for the fingerprint of a repeatable request. `checkJsonBody` runs after the authentication and checks the
 * bytes. A file's body is counted and read by its route; a skill's is counted here.
 */
import type { MiddlewareHandler } from "hono";
import { parseAgentDocument } from "../../../core/agents/document.ts";
import { OttoError, raise } from "../../../core/base/errors.ts";
import { rateBody } from "../../../core/tenant/cost-rates.ts";
import { chargeCost, meterWork } from "../charge-cost.ts";
import type { AppContext, AppEnv, Principal } from "../context.ts";
import { readCounted } from "../counted-body.ts";
import { findBadText } from "../json-text.ts";
import { isSignIn, MAX_SIGN_IN_BYTES } from "../admit-sign-in.ts";
import { invalidInput } from "../validation.ts";
import { namesYaml, readDocument } from "../yaml-text.ts";

/** Bytes of a JSON body. */
const MAX_JSON_BYTES = 1_048_576;
/** Bytes of a request with a skill: its files, and the separators of a form. */
const MAX_UPLOAD_BYTES = 10_500_000;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
/** Where the body may be a YAML file instead of JSON. */
const AGENT_PATH = /^\/v1\/agents(?:\/[^/]+)?$/;
const FILE_PATH = /^\/v1\/tasks\/[^/]+\/files\/[^]/;
/** Where the body contains schemas, patterns and tools to compile. */
const COMPILED_PATH = /^\/v1\/(?:tools|mcp-servers)(?:\/|$)/;
/** Where a skill is uploaded. Its route reads the bytes. */
const UPLOAD_PATH = /^\/v1\/skills(?:\/validate)?$/;

/**
 * Returns the bytes of the request's body, read once; null for no body or a file. Fails with `too_large` beyond the
 * limit.
 */
export async function readBody(c: AppContext): Promise<Uint8Array | null> {
  const known = c.get("bodyBytes");
  if (known !== undefined) return known;
  const bytes = hasReadBody(c) ? await readLimited(c) : null;
  c.set("bodyBytes", bytes);
  return bytes;
}

function hasReadBody(c: AppContext): boolean {
  const isFile = c.req.method === "PUT" && FILE_PATH.test(c.req.path);
  const hasNone = c.req.method === "GET" || c.req.method === "HEAD";
  return !isFile && !hasNone && c.req.raw.body !== null;
}

async function readLimited(c: AppContext): Promise<Uint8Array> {
  const maxBytes = findMaxBytes(c);
  const bytes = await readCounted(c.req.raw, maxBytes);
  return bytes ?? raise("too_large", `A request body has at most ${maxBytes} bytes.`, { field: "body" });
}

function findMaxBytes(c: AppContext): number {
  if (isSignIn(c)) return MAX_SIGN_IN_BYTES;
  return UPLOAD_PATH.test(c.req.path) ? MAX_UPLOAD_BYTES : MAX_JSON_BYTES;
}

export const checkJsonBody: MiddlewareHandler<AppEnv> = async function checkJsonBody(c, next) {
  const bytes = await readBody(c);
  if (bytes !== null && UPLOAD_PATH.test(c.req.path)) charge(c, rateBody("compiled", bytes.length));
  else if (bytes !== null) {
    const type = c.req.header("content-type") ?? "";
    const headers = new Headers(c.req.raw.headers);
    const isAgentFile = bytes.length > 0 && AGENT_PATH.test(c.req.path) && namesYaml(type);
    if (bytes.length > 0 && !JSON_TYPE.test(type) && !isAgentFile) {
      raise("unsupported_media", "Send the body as application/json.", { field: "content-type" });
    }
    // An empty body has no fields; a route names the fields that it needs.
    const text =
      bytes.length === 0
        ? JSON_TYPE.test(type)
          ? "{}"
          : null
        : await (isAgentFile ? readAgentFile(c, bytes) : readJson(c, bytes));
    if (isAgentFile) headers.set("content-type", "application/json");
    // The body's stream was read. The routes' validators read the checked text.
    c.req.raw = new Request(c.req.url, { method: c.req.method, headers, body: text });
  }
  await next();
};

/** Returns the checked text of a JSON body, and charges its tenant for reading it. */
function readJson(c: AppContext, bytes: Uint8Array): string {
  const startedAt = Date.now();
  try {
    return checkText(decode(bytes));
  } finally {
    const kind = COMPILED_PATH.test(c.req.path) ? "compiled" : "json";
    // The route reads the checked text a second time.
    charge(c, Math.max(rateBody(kind, bytes.length), 2 * (Date.now() - startedAt)));
  }
}

/** Converts an agent file to the JSON body. */
async function readAgentFile(c: AppContext, bytes: Uint8Array): Promise<string> {
  const countedMs = rateBody("yaml", bytes.length);
  const principal: Principal | undefined = c.get("principal");
  const giveWay =
    principal?.kind === "tenant"
      ? meterWork(c.env, principal.tenant, { countedMs }).giveWay
      : async () => await scheduler.wait(0);
  const document = await readDocument(decode(bytes), "body", giveWay);
  const agent = document.ok ? parseAgentDocument(document.value) : document;
  if (!agent.ok) throw new OttoError(agent.error);
  return checkText(JSON.stringify(agent.value));
}

/** Charges the tenant. A sign-in and the operator have none. */
function charge(c: AppContext, costMs: number): void {
  const principal: Principal | undefined = c.get("principal");
  if (principal?.kind === "tenant") chargeCost(c.env, principal.tenant, costMs);
}

function checkText(text: string): string {
  const bad = findBadText(parse(text));
  if (bad !== null) throw new OttoError(invalidInput([bad]));
  return text;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return raise("invalid_input", "The body is not valid UTF-8.", { field: "body" });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return raise("invalid_input", "The body is not valid JSON.", { field: "body" });
  }
}
