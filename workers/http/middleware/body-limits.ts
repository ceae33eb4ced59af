/**
 * Bodies. `readBody` counts a JSON body while it arrives and stores its bytes for the fingerprint of a repeatable request.
 * It is called after the key was checked: a caller without one has none of its bytes read. `checkJsonBody` runs after the
 * authentication and checks the bytes. Neither reads a file's body: its route counts it. The bytes of a skill are counted
 * here and read by its route.
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
/** Where a file in YAML is taken in place of JSON. */
const AGENT_PATH = /^\/v1\/agents(?:\/[^/]+)?$/;
const FILE_PATH = /^\/v1\/tasks\/[^/]+\/files\/[^]/;
/** Where schemas, patterns and tools are compiled from the body. */
const COMPILED_PATH = /^\/v1\/(?:tools|mcp-servers)(?:\/|$)/;
/** Where a skill is taken: its route reads what the bytes are. */
const UPLOAD_PATH = /^\/v1\/skills(?:\/validate)?$/;

/** The bytes of the request's body, read once; null: it has none, or is a file. `too_large` past the limit. */
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
    // No bytes are no fields, whatever the header says; a route that needs some names them.
    const text =
      bytes.length === 0
        ? JSON_TYPE.test(type)
          ? "{}"
          : null
        : await (isAgentFile ? readAgentFile(c, bytes) : readJson(c, bytes));
    if (isAgentFile) headers.set("content-type", "application/json");
    // The body's stream was read: what the routes' validators read is the checked text.
    c.req.raw = new Request(c.req.url, { method: c.req.method, headers, body: text });
  }
  await next();
};

/** The checked text of a JSON body. Its tenant is charged for the reading, as is the tenant of an agent's file. */
function readJson(c: AppContext, bytes: Uint8Array): string {
  const startedAt = Date.now();
  try {
    return checkedText(decode(bytes));
  } finally {
    const kind = COMPILED_PATH.test(c.req.path) ? "compiled" : "json";
    // The route reads the checked text once more.
    charge(c, Math.max(rateBody(kind, bytes.length), 2 * (Date.now() - startedAt)));
  }
}

/** The body that an agent's file stands for. */
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
  return checkedText(JSON.stringify(agent.value));
}

/** The sign-in has no principal, and the operator no tenant: neither is charged. */
function charge(c: AppContext, costMs: number): void {
  const principal: Principal | undefined = c.get("principal");
  if (principal?.kind === "tenant") chargeCost(c.env, principal.tenant, costMs);
}

function checkedText(text: string): string {
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
