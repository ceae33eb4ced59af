/** One call of Slack's Web API, bounded in time, with every failure as a value. */
import { SlackAPIClient, SlackAPIConnectionError } from "slack-web-api-client";
import type { z } from "zod";
import { maybeSent, notSent, ok, type Result } from "../../core/base/errors.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import { toRefusal, failRateLimited } from "./refusals.ts";

const TIMEOUT_MS = 10_000;

/** Slack's address and the token; null for a call without one. */
export interface SlackAddress {
  /** Ends with a slash. */
  readonly apiUrl: string;
  readonly token: string | null;
  /** Milliseconds for one call; ten seconds if absent. */
  readonly timeoutMs?: number;
  /** Milliseconds since the epoch after which no call starts or is waited for. Absent: only each call's own limit. */
  readonly until?: number;
}

/** Calls a method. `reply` parses what is needed of a reply with `ok: true`. Never throws. */
export async function callSlack<T>(
  { apiUrl, token, timeoutMs: mostMs = TIMEOUT_MS, until }: SlackAddress,
  method: string,
  parameters: Readonly<Record<string, unknown>>,
  reply: z.ZodType<T>,
): Promise<Result<T>> {
  const timeoutMs = computeTimeout(mostMs, until);
  if (timeoutMs <= 0) return failOutOfTime();
  // A client that retries on its own would hide from the outbox when it may send.
  const options = { baseUrl: apiUrl, retryHandlers: [], throwSlackAPIError: false };
  const client = new SlackAPIClient(token ?? undefined, options);
  try {
    // The client takes no signal; its pending work ends with the request that called it.
    const answer = await awaitWithin(globalThis, timeoutMs, client.call(method, { ...parameters }), null);
    if (answer === null) return failLost(`Slack did not reply within ${timeoutMs / 1000} s.`);
    if (answer.ok !== true) return toRefusal(typeof answer.error === "string" ? answer.error : "unknown_error");
    const read = reply.safeParse(answer);
    return read.success ? ok(read.data) : failLost("Slack sent an unreadable reply.");
  } catch (thrown) {
    return toFailure(thrown);
  }
}

/** Converts what the client throws for everything but HTTP 200. */
function toFailure(thrown: unknown): Result<never> {
  if (!(thrown instanceof SlackAPIConnectionError) || thrown.status === -1)
    return failLost(thrown instanceof SyntaxError ? "Slack sent an unreadable reply." : "Slack is unavailable.");
  if (thrown.status === 429) return failRateLimited(thrown.headers?.get("retry-after") ?? null);
  return failLost(`Slack replied with HTTP ${thrown.status}.`, thrown.status);
}

/** The time left for a call. */
export function computeTimeout(mostMs: number, until: number | undefined): number {
  return Math.min(mostMs, (until ?? Infinity) - Date.now());
}

/** The call was not started. */
export function failOutOfTime(): Result<never> {
  return notSent("upstream_failed", "There was no time left to call Slack.");
}

/** It is unknown whether the call took effect. */
export function failLost(message: string, status?: number): Result<never> {
  const details = { service: "slack", ...(status === undefined ? {} : { status }) };
  return maybeSent("upstream_failed", message, { details });
}
