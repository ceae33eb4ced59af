/**
 * What can go wrong at a provider, and what it leaves behind. A provider that answered with a refusal has failed the
 * connection; one that did not answer leaves it unchanged, except that a code without an answer is lost.
 * `title` is the app's name. Texts of the provider are not repeated: anyone can write them.
 */
import { ANSWERED, failed, type Failure, type Failed, wasAnswered } from "../base/errors.ts";

/** During begin: the description or the registration of the provider did not arrive. */
export function failUnreachable(title: string): Failed {
  return failed("upstream_failed", `${title} cannot be reached. Try again later.`, { retry: "later" });
}

/** A token or revocation endpoint did not answer, or not in a readable way. */
export function failUnanswered(title: string): Failed {
  return failed("upstream_failed", `${title} did not answer. Try again later.`, { retry: "later" });
}

/** A reply was a redirect. Following it could carry a code or a token elsewhere. */
export function failRedirected(title: string): Failed {
  const message = `${title} redirected a request of the sign-in, which Otto does not follow. Check the addresses of the app.`;
  return failed("blocked_by_policy", message);
}

/** An address that the egress module does not reach. `reason` is a whole sentence. */
export function failBlocked(title: string, reason: string): Failed {
  return failed("blocked_by_policy", `The sign-in of ${title} was not sent. ${reason}`);
}

/** The provider refused, or does something that Otto does not accept. `message` says what. */
export function refuseProvider(message: string): Failed {
  return failed("not_available", message, { cause: ANSWERED });
}

/** The provider refused with an error code of OAuth. A code in another form is omitted. */
export function refuseByCode(title: string, code: string): Failed {
  const named = /^[\w.-]{1,60}$/.test(code) ? ` (${code})` : "";
  return refuseProvider(`${title} refused the sign-in${named}. Try again, or ask an administrator to check the app.`);
}

/** The person declined on the provider's page. */
export function failDeclined(title: string): Failed {
  return failed("permission_denied", `The consent was declined at ${title}. Nothing was connected.`, {
    cause: ANSWERED,
  });
}

/** What a failed step of a consent leaves behind; `why` is for people. */
export interface FlowEnd {
  readonly to: "unchanged" | "failed";
  readonly why: string;
}

/** Decides the connection's state after a step of a consent failed. */
export function decideFlowEnd(step: "begin" | "complete", failure: Failure): FlowEnd {
  const isDeclined = failure.code === "permission_denied";
  const isFailed = !isDeclined && (step === "complete" || wasAnswered(failure));
  return { to: isFailed ? "failed" : "unchanged", why: failure.message };
}
