/**
 * Reads and validates request bodies. `readBody` runs once the key is validated: it limits a body's size while it
 * arrives, and stores the bytes for the fingerprint of an idempotent request. `checkJsonBody` runs after authentication
 * and validates the bytes. A task's file is limited and read by its route; an uploaded skill is limited here and parsed
 * by its route; so is a form with a document.
 */
import type { MiddlewareHandler } from "hono";
import { parseAgentDocument } from "../../../core/agents/document.ts";
import { OttoError, raise } from "../../../core/base/errors.ts";
import { MAX_DOCUMENT_BYTES } from "../../../core/ports/documents.ts";
import { MAX_ZIP_BYTES } from "../../../core/codebases/limits.ts";
import { rateBody } from "../../../core/tenant/cost-rates.ts";
import { chargeCost, meterWork } from "../charge-cost.ts";
import type { AppContext, AppEnv, Principal } from "../context.ts";
import { readCounted } from "../counted-body.ts";
import { findBadText } from "../json-text.ts";
import { isSignIn, MAX_SIGN_IN_BYTES } from "../admit-sign-in.ts";
import { invalidInput } from "../../../core/base/invalid-input.ts";
import { namesYaml, readDocument } from "../yaml-text.ts";

/** Maximum bytes of a JSON body. */
const MAX_JSON_BYTES = 1_048_576;
/** Maximum bytes of a request that uploads a skill: its files and the form's separators. */
const MAX_UPLOAD_BYTES = 10_500_000;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
/** Paths whose body may be YAML instead of JSON. */
const AGENT_PATH = /^\/v1\/agents(?:\/[^/]+)?$/;
const FILE_PATH = /^\/v1\/tasks\/[^/]+\/files\/[^]/;
/** Paths whose body contains schemas, patterns and tools to compile. */
const COMPILED_PATH = /^\/v1\/(?:tools|mcp-servers)(?:\/|$)/;
/** Paths that a skill is uploaded to. Their route parses the bytes. */
const UPLOAD_PATH = /^\/v1\/skills(?:\/validate)?$/;
/** Paths that a document is uploaded to, as a form whose bytes their route parses, or named in JSON. */
const DOCUMENT_PATH = /^\/v1\/knowledge\/documents(?:\/[^/]+)?$/;
const FORM_TYPE = /^multipart\/form-data\s*;/i;
/** Maximum bytes of a form with a document, its fields and separators. */
const MAX_FORM_BYTES = MAX_DOCUMENT_BYTES + 65_536;
/** The path that an archive of code is uploaded to. It is stored as it is. */
const ARCHIVE_PATH = "/v1/codebases/archives";

/**
 * Reads the request's body once and returns its bytes; null without a body and for a task's file. Fails with
 * `too_large` beyond the limit.
 */
export async function readBody(c: AppContext): Promise<Uint8Array | null> {
  const known = c.get("bodyBytes");
  if (known !== undefined) return known;
  const bytes = isReadHere(c) ? await readLimited(c) : null;
  c.set("bodyBytes", bytes);
  return bytes;
}

function isReadHere(c: AppContext): boolean {
  const isFile = c.req.method === "PUT" && FILE_PATH.test(c.req.path);
  const hasNone = c.req.method === "GET" || c.req.method === "HEAD";
  return !isFile && !hasNone && c.req.raw.body !== null;
}

async function readLimited(c: AppContext): Promise<Uint8Array> {
  const maxBytes = findMaxBytes(c);
  const bytes = await readCounted(c.req.raw, maxBytes);
  return bytes ?? raise("too_large", `The body is larger than ${maxBytes} bytes.`, { field: "body" });
}

function findMaxBytes(c: AppContext): number {
  if (isSignIn(c)) return MAX_SIGN_IN_BYTES;
  if (isDocumentForm(c)) return MAX_FORM_BYTES;
  if (c.req.path === ARCHIVE_PATH) return MAX_ZIP_BYTES;
  return UPLOAD_PATH.test(c.req.path) ? MAX_UPLOAD_BYTES : MAX_JSON_BYTES;
}

function isDocumentForm(c: AppContext): boolean {
  return DOCUMENT_PATH.test(c.req.path) && FORM_TYPE.test(c.req.header("content-type") ?? "");
}

export const checkJsonBody: MiddlewareHandler<AppEnv> = async function checkJsonBody(c, next) {
  const bytes = await readBody(c);
  if (bytes !== null && UPLOAD_PATH.test(c.req.path)) charge(c, rateBody("compiled", bytes.length));
  else if (bytes !== null && !isDocumentForm(c) && c.req.path !== ARCHIVE_PATH) {
    const type = c.req.header("content-type") ?? "";
    const headers = new Headers(c.req.raw.headers);
    const isAgentFile = bytes.length > 0 && AGENT_PATH.test(c.req.path) && namesYaml(type);
    if (bytes.length > 0 && !JSON_TYPE.test(type) && !isAgentFile) {
      raise("unsupported_media", "Send the body as application/json.", { field: "content-type" });
    }
    // An empty JSON body counts as `{}`, so that validation names the fields that are missing.
    const text =
      bytes.length === 0
        ? JSON_TYPE.test(type)
          ? "{}"
          : null
        : await (isAgentFile ? readAgentFile(c, bytes) : readJson(c, bytes));
    if (isAgentFile) headers.set("content-type", "application/json");
    // The stream of the original body is used up, so the routes' validators get the checked text.
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
    // Doubled, because the route parses the checked text again.
    charge(c, Math.max(rateBody(kind, bytes.length), 2 * (Date.now() - startedAt)));
  }
}

/** Converts a YAML agent file to the text of a JSON body. */
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

/** Charges the request's tenant. Sign-ins and the operator's requests have none. */
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
