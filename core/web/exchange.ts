/** What the tools that send an HTTP request have in common: parts of their inputs, and how they give a reply. */
import { z } from "zod";
import type { WebResponse } from "../ports/web.ts";
import { joinHeaders } from "./headers.ts";
import { readBody } from "./reply-body.ts";

/** Bytes of a reply's body that are read. */
export const MAX_REPLY_BYTES = 1_048_576;
export const MAX_TIMEOUT_SECONDS = 120;
const DEFAULT_TIMEOUT_MS = 30_000;
/** What the gateway leaves beyond the request's own limit, so that the request's own message is the one that is seen. */
export const TIMEOUT_MARGIN_MS = 5_000;

export const urlInput = z
  .string()
  .min(1)
  .max(8_192)
  .describe("http or https, e.g. https://api.example.com/items?limit=5");

export const headersInput = z
  .record(z.string(), z.string())
  .default({})
  .describe(
    "By name. A secret of the tenant is written {{secret.NAME}}, here, in the URL's path or query, or in a body",
  );

export const timeoutMsInput = z
  .int()
  .min(1)
  .max(MAX_TIMEOUT_SECONDS * 1_000)
  .default(DEFAULT_TIMEOUT_MS)
  .describe("Milliseconds");

/** What every reply tells beside its status and how long it took. */
export const replyOutput = {
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  body_encoding: z.enum(["text", "base64"]),
  truncated: z.boolean().describe("The body was cut at 1 MB"),
  url: z.string().describe("After redirects"),
};

const shownSchema = z.object(replyOutput);
export type ShownReply = z.infer<typeof shownSchema>;

/** The parts of `replyOutput`. */
export function replyParts({ headers, body, truncated, url }: WebResponse): ShownReply {
  const joined = joinHeaders(headers);
  return { headers: joined, ...readBody(body, joined["content-type"]), truncated, url };
}

/** What the model reads. */
export function showReply(status: number, { headers, body, body_encoding, truncated }: ShownReply): string {
  const type = headers["content-type"] ?? "no content type";
  const location = headers["location"] === undefined ? "" : `\nLocation: ${headers["location"]}`;
  const content = body_encoding === "text" ? body : `[binary, ${base64Bytes(body)} bytes]`;
  return `HTTP ${status}, ${type}${location}\n\n${content}${truncated ? "\n[cut at 1 MB]" : ""}`;
}

function base64Bytes(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}
