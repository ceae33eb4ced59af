/** What went wrong with a request that only reads or that can be repeated, such as a page of the catalogue. */
import { ANSWERED, type Failed, failed, notSent } from "../../core/base/errors.ts";
import type { ComposioReply, KeyOwner } from "./request.ts";

const SERVICE = "composio";

/** The failure of a reply that is not a success. `what` names what was requested, such as “The app gmail”. */
export function toReadFailure(reply: ComposioReply, what: string): Failed {
  if (reply.kind === "unsent") return failUnsent(reply.waitMs);
  if (reply.kind === "lost") {
    if (reply.why === "timeout") return failed("timeout", "Composio did not reply in time. Try again later.");
    const message =
      reply.why === "too_large"
        ? "Composio sent a reply that is too large. Ask for less at once."
        : "Composio is unavailable. Try again later.";
    return failed("upstream_failed", message, { details: { service: SERVICE } });
  }
  const { status } = reply;
  if (status === 429) return failRateLimited(reply.retryAfterMs);
  if (status === 404 || status === 410)
    return failed(
      "not_found",
      `${what} does not exist at Composio. Sync the catalogue of apps, or connect the account again.`,
      { cause: ANSWERED },
    );
  if (status === 401 || status === 403) return failKey(status, reply.keyOf);
  return failed("upstream_failed", `Composio replied with HTTP ${status}. Try again later.`, {
    details: { service: SERVICE, status },
  });
}

/** `waitMs` is null for a caller that gave up before. */
export function failUnsent(waitMs: number | null): Failed {
  if (waitMs === null) return notSent("timeout", "The request was given up before it was sent to Composio. Try again.");
  const message = "Otto sends no more requests to Composio at present, because of its rate limit. Try again later.";
  return notSent("rate_limited", message, { retryAfterMs: waitMs });
}

export function failRateLimited(retryAfterMs: number): Failed {
  return notSent("rate_limited", "Composio accepts no more requests from Otto at present. Try again later.", {
    retryAfterMs,
    cause: ANSWERED,
    details: { service: SERVICE, status: 429 },
  });
}

/** Composio rejected the key. Its owner alone can help. */
export function failKey(status: number, keyOf: KeyOwner): Failed {
  const message =
    keyOf === "operator"
      ? `Composio rejected Otto's key (HTTP ${status}). Otto's operator has to check COMPOSIO_API_KEY.`
      : `Composio rejected the key of this workspace (HTTP ${status}). An administrator has to save a valid one.`;
  const details = { service: SERVICE, status };
  return notSent("upstream_failed", message, { retry: "never", cause: { kind: "key_refused" }, details });
}

/** A reply with a success status that cannot be read. */
export function failUnreadable(): Failed {
  return failed("upstream_failed", "Composio sent an unreadable reply. Try again later.", {
    details: { service: SERVICE },
  });
}
