/** Shared parts of the tools that send an HTTP request: their inputs, and how they format a reply. */
import { z } from "zod";
import type { WebResponse } from "../ports/web.ts";
import { joinHeaders } from "./headers.ts";
import { readBody } from "./reply-body.ts";

/** Limit of a reply's body in bytes. */
export const MAX_REPLY_BYTES = 1_048_576;
export const MAX_TIMEOUT_SECONDS = 120;
const DEFAULT_TIMEOUT_MS = 30_000;
/** The gateway's extra time, so that the request's own timeout message is the one that is seen. */
export const TIMEOUT_MARGIN_MS = 5_000;

export const urlInput = z.string().min(1).max(8_192).describe("http or https");

export const headersInput = z
  .record(z.string(), z.string())
  .default({})
  .describe("A secret is written {{secret.NAME}}, here, in the URL or the body");

export const timeoutMsInput = z
  .int()
  .min(1)
  .max(MAX_TIMEOUT_SECONDS * 1_000)
  .default(DEFAULT_TIMEOUT_MS)
  .describe("Milliseconds");

/** The fields of every reply besides its status and duration. */
export const replyOutput = {
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  body_encoding: z.enum(["text", "base64"]),
  truncated: z.boolean().describe("The body was cut at 1 MB"),
  url: z.string().describe("After redirects"),
};

const shownSchema = z.object(replyOutput);
export type FormattedReply = z.infer<typeof shownSchema>;

/** The fields of `replyOutput`. */
export function toReplyParts({ headers, body, truncated, url }: WebResponse): FormattedReply {
  const joined = joinHeaders(headers);
  return { headers: joined, ...readBody(body, joined["content-type"]), truncated, url };
}

/** Formats a reply for the model. */
export function formatReply(status: number, { headers, body, body_encoding, truncated }: FormattedReply): string {
  const type = headers["content-type"] ?? "no content type";
  const location = headers["location"] === undefined ? "" : `\nLocation: ${headers["location"]}`;
  const content = body_encoding === "text" ? body : `[binary, ${countBase64Bytes(body)} bytes]`;
  return `HTTP ${status}, ${type}${location}\n\n${content}${truncated ? "\n[cut at 1 MB]" : ""}`;
}

function countBase64Bytes(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}
