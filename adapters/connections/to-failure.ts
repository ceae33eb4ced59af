/** What was thrown during an operation with a provider, as a failure for people. */
import { InsecureTokenEndpointError, OAuthError, RegistrationRejectedError } from "@modelcontextprotocol/client";
import { z } from "zod";
import { type Failed, toFailure } from "../../core/base/errors.ts";
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

export function toProviderFailure(thrown: unknown, { title }: Pick<AppClient, "title">, step: ProviderStep): Failed {
  const fail = step === "begin" ? failUnreachable : failUnanswered;
  if (thrown instanceof EndpointFault) return describeFault(thrown, title, fail);
  if (thrown instanceof OAuthError) return UNANSWERED.has(thrown.code) ? fail(title) : refuseByCode(title, thrown.code);
  if (thrown instanceof RegistrationRejectedError) return refuseRegistration(title, thrown.body);
  if (thrown instanceof InsecureTokenEndpointError) return refuseInsecure(title);
  // The package could not read a reply.
  if (thrown instanceof SyntaxError || thrown instanceof z.core.$ZodError) return fail(title);
  return { ok: false, error: toFailure(thrown) };
}

/** The package's codes for a reply without an error of OAuth, and the server's own for "try again". */
const UNANSWERED: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable"]);

function describeFault({ kind, reason }: EndpointFault, title: string, fail: (title: string) => Failed): Failed {
  if (kind === "redirected") return failRedirected(title);
  if (kind === "blocked") return failBlocked(title, reason);
  return kind === "insecure" ? refuseInsecure(title) : fail(title);
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
