/** Shared parts of the tools that send an HTTP request: their inputs, and how they format a reply. */
import { z } from "zod";
import type { WebResponse } from "../ports/web.ts";
import { joinHeaders } from "./headers.ts";
import { readBody } from "./reply-body.ts";

/** Limit of a reply's body in bytes. */
export const MAX_REPLY_BYTES = 1_048_576;
/** The same of a reply that is saved as a file. */
export const MAX_SAVED_BYTES = 50 * 1_048_576;
export const MAX_TIMEOUT_SECONDS = 120;
const DEFAULT_TIMEOUT_MS = 30_000;
/** Maximum time to render a page, with the wait for the renderer. After it, the reply is read as received. */
export const RENDER_TIMEOUT_MS = 9_000;
/** The gateway's extra time, so that the request's own timeout message is seen, and a reply is never lost to its rendering. */
export const TIMEOUT_MARGIN_MS = 5_000 + RENDER_TIMEOUT_MS;

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

export const formatInput = z
  .enum(["markdown", "text", "raw"])
  .default("markdown")
  .describe("How you read HTML; markdown is the main content");

export const saveAsInput = z.string().min(1).optional().describe("Path that the body, up to 50 MB, is saved as");

/** The fields of every reply besides its status and duration. */
export const replyOutput = {
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  body_encoding: z.enum(["text", "base64"]),
  truncated: z.boolean().describe("The body was cut at 1 MB"),
  url: z.string().describe("After redirects"),
  saved: z
    .object({ path: z.string(), size: z.int().describe("Bytes") })
    .optional()
    .describe("The file with the body, which is then empty here"),
  note: z.string().optional().describe("Why save_as saved nothing"),
};

const shownSchema = z.object(replyOutput);
export type FormattedReply = z.infer<typeof shownSchema>;

/** The fields of `replyOutput`. */
export function toReplyParts({ headers, body, truncated, url }: WebResponse): FormattedReply {
  const joined = joinHeaders(headers);
  return { headers: joined, ...readBody(body, joined["content-type"]), truncated, url };
}

/** Formats a reply for the model: as received, or with `content` in place of its body. */
export function formatReply(status: number, reply: FormattedReply, content: string | null = null): string {
  const { headers, saved, note, truncated } = reply;
  const type = headers["content-type"] ?? "no content type";
  const location = headers["location"] === undefined ? "" : `\nLocation: ${headers["location"]}`;
  const head = `HTTP ${status}, ${type}${location}`;
  if (saved !== undefined) return `${head}\n\nSaved ${saved.size} bytes to ${saved.path}`;
  const parts = [head, note ?? "", (content ?? formatBody(reply)) + (truncated ? "\n[cut at 1 MB]" : "")];
  return parts.filter((part, at) => at !== 1 || part !== "").join("\n\n");
}

function formatBody({ body, body_encoding }: FormattedReply): string {
  return body_encoding === "text" ? body : `[binary, ${countBase64Bytes(body)} bytes]`;
}

function countBase64Bytes(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}
