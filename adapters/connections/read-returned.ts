/** Reads the parameters with which a person returned from the provider's page. */
import { ok, type Result } from "../../core/base/errors.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import { failDeclined, refuseByCode, refuseProvider } from "../../core/connections/provider-faults.ts";
import type { AuthorizationServer } from "./discover.ts";

const MAX_CODE = 4_096;

export interface ReturnedCode {
  readonly code: string;
  readonly iss: string | null;
}

/** The code, after `iss` was checked. A refusal of the provider counts only with the right `iss` too. */
export function readReturned(
  { title }: AppClient,
  returned: URLSearchParams,
  server: AuthorizationServer,
): Result<ReturnedCode> {
  // RFC 6749, section 3.1: a parameter that is sent twice could be read in two ways.
  for (const name of ["code", "state", "iss", "error"])
    if (returned.getAll(name).length > 1) return refuseProvider(`${title} returned an unreadable answer. Start again.`);
  const iss = returned.get("iss");
  if (!isFrom(server, iss)) return refuseProvider(`The answer did not come from ${title}. Nothing was connected.`);
  const error = returned.get("error");
  if (error !== null) return error === "access_denied" ? failDeclined(title) : refuseByCode(title, error);
  const code = returned.get("code");
  if (code === null || code === "" || code.length > MAX_CODE)
    return refuseProvider(`${title} returned no code. Start again.`);
  return ok({ code, iss });
}

/**
 * RFC 9207. Without a known issuer an `iss` has to be of the server to which the person was sent: another one would be
 * a mix-up.
 */
function isFrom({ issuer, announcesIss, authorization }: AuthorizationServer, iss: string | null): boolean {
  if (iss === null) return !announcesIss;
  if (issuer !== null) return iss === issuer;
  return URL.parse(iss)?.origin === new URL(authorization).origin;
}
