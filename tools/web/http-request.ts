import { z } from "zod";
import { hostIsListed } from "../../core/host-pattern.ts";
import { isReading } from "../../core/http-method.ts";
import { defineTool, failure, failWith } from "../define-tool.ts";
import { checkHeaders, joinHeaders } from "./headers.ts";
import { readBody } from "./reply-body.ts";

const MAX_BYTES = 1_048_576;
const MAX_TIMEOUT_SECONDS = 120;
/** What the gateway leaves beyond the request's own limit, so that the request's own message is the one that is seen. */
const MARGIN_MS = 5_000;

export default defineTool({
  name: "http_request",
  summary:
    "Send an HTTP request to a public web address and read the reply, up to 1 MB. Redirects are followed. Methods other than GET and HEAD carry an Idempotency-Key header of the call.",
  toolbox: "web",
  category: "api",
  permissions: ["network"],
  security: ({ method }) => (isReading(method) ? "cautious" : "dangerous"),
  effect({ method, url }, { idempotentHosts }) {
    if (isReading(method)) return "none";
    const parsed = URL.parse(url);
    return parsed !== null && hostIsListed(parsed, idempotentHosts) ? "keyed" : "once";
  },
  needs: ["web"],
  timeoutMs: ({ timeout }) => timeout * 1_000 + MARGIN_MS,
  input: z.object({
    url: z.string().min(1).max(8_192).describe("http or https, e.g. https://api.example.com/items?limit=5"),
    method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]).default("GET"),
    headers: z.record(z.string(), z.string()).default({}),
    body: z
      .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())])
      .optional()
      .describe("Text as it is sent, or a value that is sent as JSON"),
    timeout: z.int().min(1).max(MAX_TIMEOUT_SECONDS).default(30).describe("Seconds"),
  }),
  output: z.object({
    status_code: z.int(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
    body_encoding: z.enum(["text", "base64"]),
    truncated: z.boolean().describe("The body was cut at 1 MB"),
    url: z.string().describe("After redirects"),
    duration_ms: z.number(),
  }),
  async run({ url, method, headers: given, body, timeout }, { web, key, allowedDomains, signal }) {
    const headers = checkHeaders(given);
    if (!headers.ok) return failWith(headers.error);
    const reading = isReading(method);
    if (reading && body !== undefined) {
      return failure("invalid_input", `body: a ${method} request has no body`, { field: "body" });
    }
    if (!reading) headers.value.set("idempotency-key", key);
    if (body !== undefined && !headers.value.has("content-type")) {
      headers.value.set("content-type", typeof body === "string" ? "text/plain; charset=utf-8" : "application/json");
    }
    const replied = await web.request({
      method,
      url,
      headers: [...headers.value],
      body:
        body === undefined ? null : new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body)),
      timeoutMs: timeout * 1_000,
      maxBytes: MAX_BYTES,
      followRedirects: true,
      allowedDomains,
      signal,
    });
    if (!replied.ok) return failWith(replied.error);
    const reply = replied.value;
    const shown = joinHeaders(reply.headers);
    return {
      status_code: reply.status,
      headers: shown,
      ...readBody(reply.body, shown["content-type"]),
      truncated: reply.truncated,
      url: reply.url,
      duration_ms: reply.durationMs,
    };
  },
  show({ status_code, headers, body, body_encoding, truncated }) {
    const type = headers["content-type"] ?? "no content type";
    const location = headers["location"] === undefined ? "" : `\nLocation: ${headers["location"]}`;
    const content = body_encoding === "text" ? body : `[binary, ${base64Bytes(body)} bytes]`;
    return `HTTP ${status_code}, ${type}${location}\n\n${content}${truncated ? "\n[cut at 1 MB]" : ""}`;
  },
  examples: [
    { note: "read a page", given: { url: "https://example.com/" } },
    {
      note: "send JSON",
      given: { url: "https://api.example.com/items", method: "POST", body: { name: "first" }, timeout: 60 },
    },
  ],
});

function base64Bytes(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}
