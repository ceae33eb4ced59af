/** One call of Slack's Web API, bounded in time, with every way that it can fail as a value. */
import { SlackAPIClient, SlackAPIConnectionError } from "slack-web-api-client";
import type { z } from "zod";
import { maybeSent, notSent, ok, type Result } from "../../core/base/errors.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import { refusalOf, tooMuch } from "./refusals.ts";

const TIMEOUT_MS = 10_000;

/** Where Slack is, and whose token is used; null: the call carries none. */
export interface SlackAddress {
  /** Ends with a slash. */
  readonly apiUrl: string;
  readonly token: string | null;
  /** Milliseconds for one call; absent: ten seconds. */
  readonly timeoutMs?: number;
  /** Milliseconds since the epoch: no call begins later, and none is waited for any longer. Absent: each call has its own time only. */
  readonly until?: number;
}

/** Calls a method. `reply` reads what is needed of an answer with `ok: true`. Never throws. */
export async function callSlack<T>(
  { apiUrl, token, timeoutMs: mostMs = TIMEOUT_MS, until }: SlackAddress,
  method: string,
  parameters: Readonly<Record<string, unknown>>,
  reply: z.ZodType<T>,
): Promise<Result<T>> {
  const timeoutMs = timeFor(mostMs, until);
  if (timeoutMs <= 0) return outOfTime();
  // A client that waits and tries again would hide from the outbox when it may send.
  const options = { baseUrl: apiUrl, retryHandlers: [], throwSlackAPIError: false };
  const client = new SlackAPIClient(token ?? undefined, options);
  try {
    // The client takes no signal; what it still waits for ends with the request that asked.
    const answer = await awaitWithin(globalThis, timeoutMs, client.call(method, { ...parameters }), null);
    if (answer === null) return lost(`Slack did not answer within ${timeoutMs / 1000} s.`);
    if (answer.ok !== true) return refusalOf(typeof answer.error === "string" ? answer.error : "unknown_error");
    const read = reply.safeParse(answer);
    return read.success ? ok(read.data) : lost("Slack sent a reply that cannot be read.");
  } catch (thrown) {
    return failureOf(thrown);
  }
}

/** What the client throws for everything but an answer of HTTP 200. */
function failureOf(thrown: unknown): Result<never> {
  if (!(thrown instanceof SlackAPIConnectionError) || thrown.status === -1)
    return lost(thrown instanceof SyntaxError ? "Slack sent a reply that cannot be read." : "Slack cannot be reached.");
  if (thrown.status === 429) return tooMuch(thrown.headers?.get("retry-after") ?? null);
  return lost(`Slack answered with HTTP ${thrown.status}.`);
}

/** What a call may take. */
export function timeFor(mostMs: number, until: number | undefined): number {
  return Math.min(mostMs, (until ?? Infinity) - Date.now());
}

/** The call was not begun. */
export function outOfTime(): Result<never> {
  return notSent("upstream_failed", "There was no time left to ask Slack.");
}

/** Nobody knows whether it took effect. */
export function lost(message: string): Result<never> {
  return maybeSent("upstream_failed", message);
}
