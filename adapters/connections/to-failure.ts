/** What was thrown during an operation with a provider, as a failure for people. */
import { InsecureTokenEndpointError, OAuthError, RegistrationRejectedError } from "@modelcontextprotocol/client";
import type { Failed } from "../../core/base/errors.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import {
  failBlocked,
  failRedirected,
  failUnanswered,
  failUnreachable,
  refuseByCode,
  refuseProvider,
} from "../../core/connections/provider-faults.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { EndpointFault } from "./call-endpoint.ts";

/** `begin`: nothing was lost, so the message asks to try again. */
export type ProviderStep = "begin" | "later";

export function toProviderFailure(thrown: unknown, { title }: AppClient, step: ProviderStep): Failed {
  if (thrown instanceof OAuthError && thrown.code !== "server_error" && thrown.code !== "temporarily_unavailable")
    return refuseByCode(title, thrown.code);
  if (thrown instanceof RegistrationRejectedError) return refuseRegistration(title, thrown.body);
  if (thrown instanceof InsecureTokenEndpointError) return refuseInsecure(title);
  if (thrown instanceof EndpointFault) {
    if (thrown.kind === "redirected") return failRedirected(title);
    if (thrown.kind === "blocked") return failBlocked(title, thrown.reason);
    if (thrown.kind === "insecure") return refuseInsecure(title);
  }
  // No reply, one that is too large, or one that the package could not read.
  return step === "begin" ? failUnreachable(title) : failUnanswered(title);
}

/** The refusal of an address without TLS. */
export function refuseInsecure(title: string): Failed {
  return refuseProvider(`The sign-in of ${title} has an address without https, which Otto does not use.`);
}

/** RFC 7591, section 3.2.2. A body without such an error is an answer too: 4xx. */
function refuseRegistration(title: string, body: string): Failed {
  const reply = parseJson(body);
  const code = typeof reply === "object" && reply !== null && "error" in reply ? reply.error : null;
  return refuseByCode(title, typeof code === "string" ? code : "");
}
