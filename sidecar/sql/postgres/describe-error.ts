/** Describes an error of the database without any part of its DSN. */
import { type ErrorCode, failed, notSent, type Result } from "../../../core/base/errors.ts";

/** By SQLSTATE or its class (https://www.postgresql.org/docs/current/errcodes-appendix.html). `quotes`: the server's text is passed on. */
const STATES: readonly {
  readonly state: string;
  readonly code: ErrorCode;
  readonly what: string;
  readonly quotes: boolean;
}[] = [
  { state: "57014", code: "timeout", what: "The query did not end in its time. Ask for less.", quotes: false },
  { state: "55P03", code: "timeout", what: "A table is locked by another session. Try again later.", quotes: false },
  { state: "25006", code: "blocked_by_policy", what: "The query would write.", quotes: false },
  { state: "42501", code: "permission_denied", what: "The database's role may not do this:", quotes: true },
  {
    state: "28",
    code: "permission_denied",
    what: "The database refused the login. Check user and password.",
    quotes: false,
  },
  { state: "3D", code: "not_found", what: "The server has no database of this name.", quotes: false },
  { state: "42", code: "invalid_input", what: "The database refused the query:", quotes: true },
  { state: "22", code: "invalid_input", what: "The query failed:", quotes: true },
  { state: "21", code: "invalid_input", what: "The query failed:", quotes: true },
  { state: "0A", code: "invalid_input", what: "The database refused the query:", quotes: true },
  { state: "54", code: "invalid_input", what: "The query is too complex.", quotes: false },
  { state: "53", code: "upstream_failed", what: "The database is short of resources. Try again later.", quotes: false },
  {
    state: "57",
    code: "upstream_failed",
    what: "The database is shutting down or starting. Try again later.",
    quotes: false,
  },
];
const MAX_CHARACTERS = 500;

/** Converts an error of the driver to a failure. */
export function describeDatabaseError(error: unknown, password: string): Result<never> {
  const { code: state = "", message = "" } =
    error instanceof Error ? (error as Error & { readonly code?: string }) : {};
  if (isCertificateError(state))
    return notSent(
      "upstream_failed",
      `The database's certificate is not accepted (${state}). No password was sent. The certificate has to name the host of the DSN and be signed by a known authority.`,
    );
  if (/does not support SSL/.test(message))
    return notSent("upstream_failed", "The database does not offer TLS, which is required. No password was sent.");
  const found = STATES.find((row) => state.startsWith(row.state));
  if (found === undefined) return failed("upstream_failed", "The connection to the database failed.");
  const quoted = found.quotes ? ` ${quote(message, password)}` : "";
  const field = found.code === "invalid_input" ? { field: "query" } : {};
  return failed(found.code, `${found.what}${quoted}`, field);
}

/** A server that was sent the password could repeat it. */
function quote(message: string, password: string): string {
  const safe = password === "" ? message : message.replaceAll(password, "…");
  return safe.replace(/\s+/g, " ").slice(0, MAX_CHARACTERS);
}

function isCertificateError(code: string): boolean {
  return /^(?:ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_SSL_)/.test(code);
}
