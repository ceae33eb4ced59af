import { z } from "zod";
import {
  headersInput,
  MAX_REPLY_BYTES,
  replyOutput,
  toReplyParts,
  formatReply,
  TIMEOUT_MARGIN_MS,
  timeoutMsInput,
  urlInput,
} from "../../core/web/exchange.ts";
import { checkHeaders } from "../../core/web/headers.ts";
import { defineTool, failWith } from "../define-tool.ts";

export default defineTool({
  name: "http.get",
  aliasOf: "http_request",
  summary: "Read a web address by HTTP GET: status, headers and body, up to 1 MB.",
  toolbox: "web",
  category: "api",
  permissions: ["network"],
  security: "cautious",
  effect: "none",
  needs: ["web"],
  carries: ({ url, headers }) => ({ kind: "request", url, headers }),
  timeoutMs: ({ timeout_ms }) => timeout_ms + TIMEOUT_MARGIN_MS,
  input: z.object({
    url: urlInput,
    headers: headersInput,
    timeout_ms: timeoutMsInput,
    follow_redirects: z.boolean().default(true),
  }),
  output: z.object({ status: z.int(), ...replyOutput, response_time_ms: z.number() }),
  async run({ url, headers: given, timeout_ms, follow_redirects }, { web, allowedDomains, signal }) {
    const headers = checkHeaders(given);
    if (!headers.ok) return failWith(headers.error);
    const replied = await web.request({
      method: "GET",
      url,
      headers: [...headers.value],
      body: null,
      timeoutMs: timeout_ms,
      maxBytes: MAX_REPLY_BYTES,
      followRedirects: follow_redirects,
      allowedDomains,
      signal,
    });
    if (!replied.ok) return failWith(replied.error);
    const { status, durationMs } = replied.value;
    return { status, ...toReplyParts(replied.value), response_time_ms: durationMs };
  },
  show: ({ status, ...reply }) => formatReply(status, reply),
  examples: [
    { note: "read a page", given: { url: "https://example.com/" } },
    {
      note: "see where a short address leads",
      given: {
        url: "https://api.example.com/short/7",
        headers: { accept: "application/json" },
        timeout_ms: 5_000,
        follow_redirects: false,
      },
    },
  ],
});
