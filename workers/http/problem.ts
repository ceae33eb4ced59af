/**
 * Converts failures to HTTP replies: `application/problem+json` of RFC 9457, with the members of the API's contract.
 */
import { ERRORS, type ErrorCode, type Failure } from "../../core/base/errors.ts";

/** The `Retry-After` of a temporary failure that names no time, such as a 503. */
export const RETRY_AFTER_MS = 2000;

/** The body of every error. `errors` names each invalid field as a dotted path. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  readonly request_id: string;
}

/** How a reply differs from its code's row in the table of errors. */
export interface ProblemOptions {
  /** A status that has no code of its own (400). */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Creates the problem of a failure, without its `details`. */
function toProblem(failure: Failure, requestId: string, status?: number): Problem {
  const row = ERRORS[failure.code];
  const fields =
    failure.fields ?? (failure.field === undefined ? [] : [{ field: failure.field, message: failure.message }]);
  return {
    type: `urn:otto:problem:${failure.code}`,
    title: row.title,
    status: status ?? row.status,
    detail: failure.message,
    code: failure.code,
    ...(fields.length === 0 ? {} : { errors: fields }),
    request_id: requestId,
  };
}

/** Creates the reply for a failure. `Retry-After` is in whole seconds, at least one. */
export function problemResponse(failure: Failure, requestId: string, options: ProblemOptions = {}): Response {
  const problem = toProblem(failure, requestId, options.status);
  const headers = new Headers(options.headers);
  headers.set("content-type", "application/problem+json");
  headers.set("cache-control", "no-store");
  if (problem.status === 401) headers.set("www-authenticate", 'Bearer realm="otto"');
  const retryAfterMs = failure.retryAfterMs ?? (problem.status === 503 ? RETRY_AFTER_MS : null);
  if (retryAfterMs !== null) headers.set("retry-after", String(Math.max(1, Math.ceil(retryAfterMs / 1000))));
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}
