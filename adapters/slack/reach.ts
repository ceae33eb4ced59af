/** Requests to Slack outside of its Web API: for the bytes of files, and for replies to clicks. */
import { ANSWERED, notSent, ok, type Result } from "../../core/base/errors.ts";
import { failLost, failOutOfTime, type SlackAddress, computeTimeout } from "./call.ts";
import { toRefusal, failRateLimited } from "./refusals.ts";

/** A request to one of Slack's addresses. `read` has to read the body of an HTTP 200 reply, or cancel it. */
interface SlackFetch<T> {
  readonly url: string;
  readonly from: Pick<SlackAddress, "apiUrl" | "until">;
  readonly init: RequestInit;
  readonly timeoutMs: number;
  readonly read: (response: Response) => Promise<Result<T>>;
}

/** True for Slack's own servers, and for the configured one. */
function isSlackAddress(url: string, apiUrl: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.username !== "" || parsed.password !== "") return false;
  if (parsed.origin === URL.parse(apiUrl)?.origin) return true;
  const isSlacks = parsed.hostname === "slack.com" || parsed.hostname.endsWith(".slack.com");
  return parsed.protocol === "https:" && parsed.port === "" && isSlacks;
}

/**
 * Sends the request; `blocked_by_policy` for an address that is not Slack's. Redirects are not followed: the request's
 * content is for Slack only, and a file's redirect leads to the login page. Never throws.
 */
export async function fetchFromSlack<T>({
  url,
  from,
  init,
  timeoutMs: mostMs,
  read,
}: SlackFetch<T>): Promise<Result<T>> {
  if (!isSlackAddress(url, from.apiUrl)) return notSent("blocked_by_policy", "This address does not belong to Slack.");
  const timeoutMs = computeTimeout(mostMs, from.until);
  if (timeoutMs <= 0) return failOutOfTime();
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    if (response.status === 200) return await read(response);
    await response.body?.cancel();
    if (response.status === 429) return failRateLimited(response.headers.get("retry-after"));
    if (response.status === 404 || response.status === 410)
      return notSent("gone", "This has ended at Slack.", { cause: ANSWERED });
    return response.status < 500 ? toRefusal("access_denied") : failLost(`Slack replied with HTTP ${response.status}.`);
  } catch {
    return failLost("Slack is unavailable.");
  }
}

/** For a reply without content. */
export async function discardBody(response: Response): Promise<Result<void>> {
  await response.body?.cancel();
  return ok(undefined);
}
