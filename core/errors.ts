/**
 * Every error that Otto knows, in one table, and the two shapes an error travels in.
 *
 * A `Failure` is plain data: it crosses object and RPC boundaries as a value, because own properties of thrown errors
 * do not survive Workers RPC. An `OttoError` is thrown inside one unit and turned into a `Failure` at its edge.
 * `message` is safe for anyone to read and says what to do next; `details` are for operators and the log.
 */

/** Who has to act: the caller, the tenant's administrator, an outside service, or Otto's operators. */
export type Fault = "caller" | "tenant" | "upstream" | "us";

/** Whether the same request can succeed when it is sent again. */
export type Retry = "never" | "now" | "later";

interface ErrorRow {
  /** HTTP status (RFC 9110, RFC 6585 for 429). */
  readonly status: number;
  readonly title: string;
  readonly fault: Fault;
  readonly retry: Retry;
}

/** One row a code; the codes are those of the API's contract. */
export const ERRORS = {
  invalid_input: { status: 422, title: "The input is not valid", fault: "caller", retry: "never" },
  unauthenticated: { status: 401, title: "A valid key or signature is needed", fault: "caller", retry: "never" },
  permission_denied: { status: 403, title: "The permission for this is missing", fault: "tenant", retry: "never" },
  forbidden: { status: 403, title: "This key may not do that", fault: "caller", retry: "never" },
  not_found: { status: 404, title: "There is no such thing here", fault: "caller", retry: "never" },
  method_not_allowed: {
    status: 405,
    title: "This path does not take this method",
    fault: "caller",
    retry: "never",
  },
  conflict: { status: 409, title: "The present state does not allow this", fault: "caller", retry: "never" },
  gone: { status: 410, title: "This is over", fault: "caller", retry: "never" },
  too_large: { status: 413, title: "This is too large", fault: "caller", retry: "never" },
  unsupported_media: { status: 415, title: "This content type is not supported", fault: "caller", retry: "never" },
  not_available: { status: 422, title: "This is not available here", fault: "caller", retry: "never" },
  quota_exceeded: { status: 403, title: "The quota is used up", fault: "tenant", retry: "never" },
  rate_limited: { status: 429, title: "Too many requests", fault: "caller", retry: "later" },
  budget_exceeded: { status: 403, title: "The budget is used up", fault: "tenant", retry: "never" },
  needs_approval: { status: 403, title: "A person has to approve this first", fault: "tenant", retry: "later" },
  blocked_by_policy: { status: 403, title: "A rule forbids this", fault: "tenant", retry: "never" },
  sandbox_denied: { status: 403, title: "The sandbox forbids this", fault: "caller", retry: "never" },
  timeout: { status: 503, title: "It took too long", fault: "upstream", retry: "later" },
  upstream_failed: {
    status: 503,
    title: "A service that Otto needs did not answer",
    fault: "upstream",
    retry: "later",
  },
  outcome_unknown: { status: 409, title: "Nobody knows whether this happened", fault: "upstream", retry: "never" },
  internal: { status: 500, title: "Otto failed", fault: "us", retry: "later" },
} as const satisfies Record<string, ErrorRow>;

/** One of the codes of the API's contract. */
export type ErrorCode = keyof typeof ERRORS;

/** An error as a value. `field` names the input at fault (dotted path); `retryAfterMs` is a lower bound. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field?: string;
  /** Every field at fault, when there is more than one. */
  readonly fields?: readonly { readonly field: string; readonly message: string }[];
  readonly retryAfterMs?: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The answer for a task that is not there or is another tenant's: nobody can tell the two apart. */
export const NO_SUCH_TASK: Failure = { code: "not_found", message: "There is no task with this id." };

/** The answer for a task whose erasing has begun: it is gone for every caller, and its state is not lost. */
export const TASK_ERASED: Failure = { code: "not_found", message: "This task was erased." };

/** What an operation that can fail in an expected way returns. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Failure };

/** A success. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** An expected failure, as a value. */
export function failed(
  code: ErrorCode,
  message: string,
  extra: Omit<Failure, "code" | "message"> = {},
): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error: { code, message, ...extra } };
}

/** The thrown form of a `Failure`, for use inside one unit. */
export class OttoError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "OttoError";
    this.failure = failure;
  }
}

/** Throws an `OttoError`; typed `never` so that it can end an expression. */
export function raise(code: ErrorCode, message: string, extra: Omit<Failure, "code" | "message"> = {}): never {
  throw new OttoError({ code, message, ...extra });
}

/** The failure inside anything that was thrown. What nobody expected becomes `internal`, and its text goes to operators only. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof OttoError) return thrown.failure;
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return { code: "internal", message: "Otto failed unexpectedly. Try again later.", details: { thrown: text } };
}
