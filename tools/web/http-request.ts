import { z } from "zod";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { DEFAULT_KEYED_FOR_MS, getKeyLifetime } from "../../core/web/idempotent-hosts.ts";
import { isSafeMethod } from "../../core/web/http-method.ts";
import {
  formatInput,
  headersInput,
  MAX_TIMEOUT_SECONDS,
  replyOutput,
  formatReply,
  saveAsInput,
  TIMEOUT_MARGIN_MS,
  urlInput,
} from "../../core/web/exchange.ts";
import { judgeSaveAs, limitReply, receiveReply, touchFilesOfSave } from "../../core/steps/receive-reply.ts";
import { checkHeaders, setAccept } from "../../core/web/headers.ts";
import { defineTool, failure, failWith, withText } from "../define-tool.ts";

export default defineTool({
  name: "http_request",
  summary: "Open a web page, read as Markdown, or call an HTTP API; replies up to 1 MB.",
  toolbox: "web",
  category: "api",
  permissions: ["network"],
  security: ({ method }) => (isSafeMethod(method) ? "cautious" : "dangerous"),
  effect({ method, url, save_as }, facts) {
    if (isSafeMethod(method)) return save_as === undefined ? "none" : "keyed";
    return getKeyLifetime(url, facts) === null ? "once" : "keyed";
  },
  keyedForMs: ({ method, url }, facts) =>
    isSafeMethod(method) ? OWN_KEYED_FOR_MS : (getKeyLifetime(url, facts) ?? DEFAULT_KEYED_FOR_MS),
  needs: ["web", "pages", "files"],
  touches: ({ save_as }) => touchFilesOfSave(save_as),
  refersTo: { save_as: "write" },
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
    format: formatInput,
    save_as: saveAsInput,
  }),
  output: z.object({ status_code: z.int(), ...replyOutput, duration_ms: z.number() }),
  async run({ url, method, headers: given, body, timeout, format, save_as }, context) {
    const { web, key, allowedDomains, signal } = context;
    const headers = checkHeaders(given);
    if (!headers.ok) return failWith(headers.error);
    const reading = isSafeMethod(method);
    if (reading && body !== undefined) {
      return failure("invalid_input", `body: a ${method} request has no body`, { field: "body" });
    }
    if (method === "HEAD" && save_as !== undefined)
      return failure("invalid_input", "save_as: a HEAD request has no body to save; use GET", { field: "save_as" });
    const path = judgeSaveAs(save_as, context);
    if (!path.ok) return failWith(path.error);
    setAccept(headers.value, reading);
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
      maxBytes: limitReply(path.value),
      followRedirects: true,
      allowedDomains,
      signal,
    });
    if (!replied.ok) return failWith(replied.error);
    const { status, durationMs } = replied.value;
    const received = await receiveReply(replied.value, { path: path.value, format, isRead: reading }, context);
    if (!received.ok) return failWith(received.error);
    const { reply, text } = received.value;
    return withText({ status_code: status, ...reply, duration_ms: durationMs }, text);
  },
  show: ({ status_code, ...reply }) => formatReply(status_code, reply),
  examples: [
    { note: "read a page", given: { url: "https://example.com/" } },
    { note: "save a file", given: { url: "https://example.com/report.pdf", save_as: "report.pdf" } },
    {
      note: "send JSON",
      given: { url: "https://api.example.com/items", method: "POST", body: { name: "first" }, timeout: 60 },
    },
  ],
});
