import { z } from "zod";
import { DEFAULT_KEYED_FOR_MS, getKeyLifetime } from "../../core/web/idempotent-hosts.ts";
import { isSafeMethod } from "../../core/web/http-method.ts";
import {
  headersInput,
  MAX_REPLY_BYTES,
  MAX_TIMEOUT_SECONDS,
  replyOutput,
  toReplyParts,
  formatReply,
  TIMEOUT_MARGIN_MS,
  urlInput,
} from "../../core/web/exchange.ts";
import { checkHeaders } from "../../core/web/headers.ts";
import { defineTool, failure, failWith } from "../define-tool.ts";

export default defineTool({
  name: "http_request",
  summary: "Read a web page or call an HTTP API; replies up to 1 MB.",
  toolbox: "web",
  category: "api",
  permissions: ["network"],
  security: ({ method }) => (isSafeMethod(method) ? "cautious" : "dangerous"),
  effect({ method, url }, facts) {
    if (isSafeMethod(method)) return "none";
    return getKeyLifetime(url, facts) === null ? "once" : "keyed";
  },
  keyedForMs: ({ url }, facts) => getKeyLifetime(url, facts) ?? DEFAULT_KEYED_FOR_MS,
  needs: ["web"],
  carries: ({ method, url, headers }) => (isSafeMethod(method) ? { kind: "request", url, headers } : null),
  timeoutMs: ({ timeout }) => timeout * 1_000 + TIMEOUT_MARGIN_MS,
  input: z.object({
    url: urlInput,
    method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]).default("GET"),
    headers: headersInput,
    body: z
      .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())])
      .optional()
      .describe("Text, or a value sent as JSON"),
    timeout: z.int().min(1).max(MAX_TIMEOUT_SECONDS).default(30).describe("Seconds"),
  }),
  output: z.object({ status_code: z.int(), ...replyOutput, duration_ms: z.number() }),
  async run({ url, method, headers: given, body, timeout }, { web, key, allowedDomains, signal }) {
    const headers = checkHeaders(given);
    if (!headers.ok) return failWith(headers.error);
    const reading = isSafeMethod(method);
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
      maxBytes: MAX_REPLY_BYTES,
      followRedirects: true,
      allowedDomains,
      signal,
    });
    if (!replied.ok) return failWith(replied.error);
    const { status, durationMs } = replied.value;
    return { status_code: status, ...toReplyParts(replied.value), duration_ms: durationMs };
  },
  show: ({ status_code, ...reply }) => formatReply(status_code, reply),
  examples: [
    { note: "read a page", given: { url: "https://example.com/" } },
    {
      note: "send JSON",
      given: { url: "https://api.example.com/items", method: "POST", body: { name: "first" }, timeout: 60 },
    },
  ],
});
