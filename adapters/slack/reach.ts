/** Requests to addresses of Slack beside its Web API: where bytes of files stand, and where a click is answered. */
import { ANSWERED, notSent, ok, type Result } from "../../core/base/errors.ts";
import { lost, outOfTime, type SlackAddress, timeFor } from "./call.ts";
import { refusalOf, tooMuch } from "./refusals.ts";

/** A request to one of Slack's addresses. `read` has to read the body of an answer of HTTP 200, or cancel it. */
interface Reach<T> {
  readonly url: string;
  readonly from: Pick<SlackAddress, "apiUrl" | "until">;
  readonly init: RequestInit;
  readonly timeoutMs: number;
  readonly read: (response: Response) => Promise<Result<T>>;
}

/** True for Slack's own servers, and for the one that is set up in their place. */
function isSlackAddress(url: string, apiUrl: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.username !== "" || parsed.password !== "") return false;
  if (parsed.origin === URL.parse(apiUrl)?.origin) return true;
  const isSlacks = parsed.hostname === "slack.com" || parsed.hostname.endsWith(".slack.com");
  return parsed.protocol === "https:" && parsed.port === "" && isSlacks;
}

/**
 * Makes the request; `blocked_by_policy` for an address that is none of Slack's. No redirect is followed: what the
 * request holds is for Slack alone, and a file's leads to the page where people log in. Never throws.
 */
export async function reachSlack<T>({ url, from, init, timeoutMs: mostMs, read }: Reach<T>): Promise<Result<T>> {
  if (!isSlackAddress(url, from.apiUrl)) return notSent("blocked_by_policy", "This address is none of Slack's.");
  const timeoutMs = timeFor(mostMs, from.until);
  if (timeoutMs <= 0) return outOfTime();
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    if (response.status === 200) return await read(response);
    await response.body?.cancel();
    if (response.status === 429) return tooMuch(response.headers.get("retry-after"));
    if (response.status === 404 || response.status === 410)
      return notSent("gone", "This is over at Slack.", { cause: ANSWERED });
    return response.status < 500 ? refusalOf("access_denied") : lost(`Slack answered with HTTP ${response.status}.`);
  } catch {
    return lost("Slack cannot be reached.");
  }
}

/** Of an answer that says nothing. */
export async function leaveUnread(response: Response): Promise<Result<void>> {
  await response.body?.cancel();
  return ok(undefined);
}
