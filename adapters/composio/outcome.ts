/**
 * What a reply to a call says of its effect. An action is refused only if Composio, or the app behind it, says so with a
 * status of 4xx; every other failure may have happened after the effect.
 */
import { z } from "zod";
import { getField, getTextField } from "../../core/base/json-fields.ts";
import type { AppReply } from "../../core/ports/apps.ts";
import type { ComposioReply } from "./request.ts";

/** Statuses after which the request may still have been carried out, or may be under way. */
const UNCERTAIN: ReadonlySet<number> = new Set([408, 409]);
/** Characters of an error text that are read and repeated. */
const MAX_TEXT = 1_000;
/** How apps' client libraries write a status into an error text. */
const STATUS_IN_TEXT =
  /\b(\d{3}) (?:Client|Server) Error\b|\b(?:HTTP(?: error)?|status(?:[ _]?code)?)\s*[:=]?\s*(\d{3})\b/i;

const resultSchema = z.object({
  successful: z.boolean(),
  data: z.unknown(),
  error: z.unknown(),
  log_id: z.string().max(200).nullish(),
});

/** `refused` by Composio itself, or by the app. `text` is theirs. */
export type CallOutcome =
  | { readonly kind: "done"; readonly reply: AppReply }
  | { readonly kind: "refused"; readonly by: "composio" | "app"; readonly status: number; readonly text: string }
  | { readonly kind: "limited"; readonly by: "composio" | "app"; readonly retryAfterMs: number | null }
  | { readonly kind: "lost"; readonly why: string };

/** Judges a reply that arrived. */
export function judgeReply({ status, retryAfterMs, body }: ComposioReply & { readonly kind: "reply" }): CallOutcome {
  if (status === 429) return { kind: "limited", by: "composio", retryAfterMs };
  if (status >= 200 && status < 300) return judgeResult(body);
  if (isRefusal(status))
    return { kind: "refused", by: "composio", status, text: readErrorText(getField(body, "error")) };
  return { kind: "lost", why: `Composio replied with HTTP ${status}` };
}

/** Judges the result of an execution, as Composio returns and logs it. */
export function judgeResult(result: unknown): CallOutcome {
  const parsed = resultSchema.safeParse(result);
  if (!parsed.success) return { kind: "lost", why: "Composio sent an unreadable reply" };
  const { successful, data, error, log_id } = parsed.data;
  if (successful) return { kind: "done", reply: { data: data ?? null, logId: log_id ?? null } };
  const status = findAppStatus(data, error);
  if (status === 429) return { kind: "limited", by: "app", retryAfterMs: null };
  const text = readErrorText(error) || readErrorText(data);
  if (status !== null && isRefusal(status)) return { kind: "refused", by: "app", status, text };
  return { kind: "lost", why: text === "" ? "the app reported a failure" : `the app reported: ${text}` };
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !UNCERTAIN.has(status);
}

/** The HTTP status with which the app answered; null if the result does not say it. */
function findAppStatus(data: unknown, error: unknown): number | null {
  for (const place of [data, getField(data, "error"), error]) {
    for (const name of ["status_code", "statusCode", "http_status", "status", "code"]) {
      const status = readStatus(getField(place, name));
      if (status !== null) return status;
    }
  }
  for (const text of [error, getField(data, "http_error"), getField(data, "error"), getField(data, "message")]) {
    const found = typeof text === "string" ? STATUS_IN_TEXT.exec(text.slice(0, MAX_TEXT)) : null;
    if (found !== null) return readStatus(found[1] ?? found[2]);
  }
  return null;
}

function readStatus(value: unknown): number | null {
  const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === "number" && Number.isInteger(status) && status >= 300 && status < 600 ? status : null;
}

function readErrorText(error: unknown): string {
  const text =
    typeof error === "string" ? error : (getTextField(error, "message") ?? getTextField(error, "error") ?? "");
  const advice = getTextField(error, "suggested_fix") ?? "";
  return [text, advice]
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(" ")
    .slice(0, MAX_TEXT);
}
