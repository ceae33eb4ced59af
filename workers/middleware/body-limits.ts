/**
 * Bodies. `readJsonBody` counts a JSON body while it arrives and holds its bytes for the fingerprint of a repeatable
 * request; `checkJsonBody` runs after the authentication and looks at what they say. A file's body passes both by: its route counts it.
 * The bytes of a skill are counted here and read by its route.
 */
import type { MiddlewareHandler } from "hono";
import { agentFromDocument } from "../../core/agent-document.ts";
import { OttoError, raise } from "../../core/errors.ts";
import type { AppEnv } from "../context.ts";
import { readCounted } from "../counted-body.ts";
import { findBadText } from "../json-text.ts";
import { MAX_UPLOAD_BYTES } from "../skills/read-upload.ts";
import { invalidInput } from "../validation.ts";
import { namesYaml, readDocument } from "../yaml-text.ts";

/** Bytes of a JSON body. */
const MAX_JSON_BYTES = 1_048_576;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
/** Where a file in YAML is taken in place of JSON. */
const AGENT_PATH = /^\/v1\/agents(?:\/[^/]+)?$/;
const FILE_PATH = /^\/v1\/tasks\/[^/]+\/files\/[^]/;
/** Where a skill is taken: its route reads what the bytes are. */
const UPLOAD_PATH = /^\/v1\/skills(?:\/validate)?$/;

export const readJsonBody: MiddlewareHandler<AppEnv> = async function readJsonBody(c, next) {
  const isFile = c.req.method === "PUT" && FILE_PATH.test(c.req.path);
  const hasNone = c.req.method === "GET" || c.req.method === "HEAD";
  if (!isFile && !hasNone && c.req.raw.body !== null) {
    const maxBytes = UPLOAD_PATH.test(c.req.path) ? MAX_UPLOAD_BYTES : MAX_JSON_BYTES;
    const bytes = await readCounted(c.req.raw, maxBytes);
    if (bytes === null) raise("too_large", `A request body has at most ${maxBytes} bytes.`, { field: "body" });
    c.set("bodyBytes", bytes);
  }
  await next();
};

export const checkJsonBody: MiddlewareHandler<AppEnv> = async function checkJsonBody(c, next) {
  const bytes = c.get("bodyBytes");
  if (bytes !== null && !UPLOAD_PATH.test(c.req.path)) {
    const type = c.req.header("content-type") ?? "";
    const headers = new Headers(c.req.raw.headers);
    const isAgentFile = bytes.length > 0 && AGENT_PATH.test(c.req.path) && namesYaml(type);
    if (bytes.length > 0 && !JSON_TYPE.test(type) && !isAgentFile) {
      raise("unsupported_media", "Send the body as application/json.", { field: "content-type" });
    }
    // No bytes are no fields, whatever the header says; a route that needs some names them.
    let text = bytes.length === 0 ? (JSON_TYPE.test(type) ? "{}" : null) : decode(bytes);
    if (isAgentFile && text !== null) {
      text = agentBody(text);
      headers.set("content-type", "application/json");
    }
    const bad = text === null ? null : findBadText(parse(text));
    if (bad !== null) throw new OttoError(invalidInput([bad]));
    // The body's stream was read: what the routes' validators read is the checked text.
    c.req.raw = new Request(c.req.url, { method: c.req.method, headers, body: text });
  }
  await next();
};

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return raise("invalid_input", "The body is not valid UTF-8.", { field: "body" });
  }
}

/** An agent's file as the body that its routes take. */
function agentBody(text: string): string {
  const document = readDocument(text, "body");
  const agent = document.ok ? agentFromDocument(document.value) : document;
  if (!agent.ok) throw new OttoError(agent.error);
  return JSON.stringify(agent.value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return raise("invalid_input", "The body is not valid JSON.", { field: "body" });
  }
}
