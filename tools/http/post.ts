import { z } from "zod";
import { DEFAULT_KEYED_FOR_MS, getKeyLifetime } from "../../core/web/idempotent-hosts.ts";
import {
  formatInput,
  headersInput,
  replyOutput,
  formatReply,
  saveAsInput,
  TIMEOUT_MARGIN_MS,
  timeoutMsInput,
  urlInput,
} from "../../core/web/exchange.ts";
import { judgeSaveAs, limitReply, receiveReply, touchFilesOfSave } from "../../core/steps/receive-reply.ts";
import { checkHeaders, isHeaderValue, setAccept } from "../../core/web/headers.ts";
import { encodeBody } from "../../core/web/request-body.ts";
import { defineTool, failure, failWith, withText } from "../define-tool.ts";

export default defineTool({
  name: "http.post",
  aliasOf: "http_request",
  summary: "Send data to a web address by HTTP POST, as JSON or a form; replies up to 1 MB.",
  toolbox: "web",
  category: "api",
  permissions: ["network"],
  security: "dangerous",
  effect: ({ url }, facts) => (getKeyLifetime(url, facts) === null ? "once" : "keyed"),
  keyedForMs: ({ url }, facts) => getKeyLifetime(url, facts) ?? DEFAULT_KEYED_FOR_MS,
  needs: ["web", "pages", "files"],
  touches: ({ save_as }) => touchFilesOfSave(save_as),
  refersTo: { save_as: "write" },
  timeoutMs: ({ timeout_ms }) => timeout_ms + TIMEOUT_MARGIN_MS,
  input: z.object({
    url: urlInput,
    body: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .describe("Text as it is sent, or a map that is sent as content_type says"),
    headers: headersInput,
    content_type: z
      .string()
      .min(1)
      .max(200)
      .default("application/json")
      .describe("application/json, application/x-www-form-urlencoded, or, for text, any. A content-type header wins"),
    timeout_ms: timeoutMsInput,
    format: formatInput,
    save_as: saveAsInput,
  }),
  output: z.object({ status: z.int(), ...replyOutput, response_time_ms: z.number() }),
  async run({ url, body: given, headers: more, content_type, timeout_ms, format, save_as }, context) {
    const { web, key, allowedDomains, signal } = context;
    const headers = checkHeaders(more);
    if (!headers.ok) return failWith(headers.error);
    const type = headers.value.get("content-type") ?? content_type;
    if (!isHeaderValue(type))
      return failure("invalid_input", "content_type is not a valid header value", { field: "content_type" });
    headers.value.set("content-type", type);
    const body = encodeBody(given, type);
    if (!body.ok) return failWith(body.error);
    const path = judgeSaveAs(save_as, context);
    if (!path.ok) return failWith(path.error);
    setAccept(headers.value, false);
    headers.value.set("idempotency-key", key);
    const replied = await web.request({
      method: "POST",
      url,
      headers: [...headers.value],
      body: body.value,
      timeoutMs: timeout_ms,
      maxBytes: limitReply(path.value),
      followRedirects: true,
      allowedDomains,
      signal,
    });
    if (!replied.ok) return failWith(replied.error);
    const { status, durationMs } = replied.value;
    const received = await receiveReply(replied.value, { path: path.value, format, isRead: false }, context);
    if (!received.ok) return failWith(received.error);
    const { reply, text } = received.value;
    return withText({ status, ...reply, response_time_ms: durationMs }, text);
  },
  show: ({ status, ...reply }) => formatReply(status, reply),
  examples: [
    { note: "send JSON", given: { url: "https://api.example.com/items", body: { name: "first", tags: ["a", "b"] } } },
    {
      note: "send a form",
      given: {
        url: "https://api.example.com/login",
        body: { user: "ana", remember: true },
        content_type: "application/x-www-form-urlencoded",
        timeout_ms: 10_000,
      },
    },
  ],
});
