import { z } from "zod";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
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
import { checkHeaders, setAccept } from "../../core/web/headers.ts";
import { defineTool, failWith, withText } from "../define-tool.ts";

export default defineTool({
  name: "http.get",
  aliasOf: "http_request",
  summary: "Read a public web address by HTTP GET, up to 1 MB. HTML is read as Markdown.",
  toolbox: "web",
  category: "api",
  permissions: ["network"],
  security: "cautious",
  effect: ({ save_as }) => (save_as === undefined ? "none" : "keyed"),
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["web", "pages", "files"],
  touches: ({ save_as }) => touchFilesOfSave(save_as),
  refersTo: { save_as: "write" },
  carries: ({ url, headers }) => ({ kind: "request", url, headers }),
  timeoutMs: ({ timeout_ms }) => timeout_ms + TIMEOUT_MARGIN_MS,
  input: z.object({
    url: urlInput,
    headers: headersInput,
    timeout_ms: timeoutMsInput,
    follow_redirects: z.boolean().default(true),
    format: formatInput,
    save_as: saveAsInput,
  }),
  output: z.object({ status: z.int(), ...replyOutput, response_time_ms: z.number() }),
  async run({ url, headers: given, timeout_ms, follow_redirects, format, save_as }, context) {
    const { web, allowedDomains, signal } = context;
    const headers = checkHeaders(given);
    if (!headers.ok) return failWith(headers.error);
    const path = judgeSaveAs(save_as, context);
    if (!path.ok) return failWith(path.error);
    setAccept(headers.value, true);
    const replied = await web.request({
      method: "GET",
      url,
      headers: [...headers.value],
      body: null,
      timeoutMs: timeout_ms,
      maxBytes: limitReply(path.value),
      followRedirects: follow_redirects,
      allowedDomains,
      signal,
    });
    if (!replied.ok) return failWith(replied.error);
    const { status, durationMs } = replied.value;
    const received = await receiveReply(replied.value, { path: path.value, format, isRead: true }, context);
    if (!received.ok) return failWith(received.error);
    const { reply, text } = received.value;
    return withText({ status, ...reply, response_time_ms: durationMs }, text);
  },
  show: ({ status, ...reply }) => formatReply(status, reply),
  examples: [
    { note: "read a page", given: { url: "https://example.com/" } },
    { note: "save a file", given: { url: "https://example.com/report.pdf", save_as: "report.pdf" } },
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
