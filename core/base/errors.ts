/**
 * Every error code of Otto, in one table, and the two forms of an error.
 *
 * A `Failure` is plain data: it crosses object and RPC boundaries as a value, because own properties of thrown errors
 * do not survive Workers RPC. An `OttoError` is thrown inside one unit and becomes a `Failure` at its edge. `message`
 * is safe for anyone to read and says what to do next. Code decides on `happened` and `cause`, which the functions
 * below set. `details` are for callers and the log: their type prevents code from reading a field of them.
 */

/** Who has to act: the caller, the tenant's administrator, an outside service, or Otto's operators. */
export type Fault = "caller" | "tenant" | "upstream" | "us";

/** Whether the same request can succeed when repeated. */
export type Retry = "never" | "now" | "later";

interface ErrorRow {
  /** HTTP status (RFC 9110, RFC 6585 for 429). */
  readonly status: number;
  readonly title: string;
  readonly fault: Fault;
  readonly retry: Retry;
}

/** One row for each code of the API's contract. */
export const ERRORS = {
  invalid_input: { status: 422, title: "The input is invalid", fault: "caller", retry: "never" },
  unauthenticated: { status: 401, title: "A valid key or signature is needed", fault: "caller", retry: "never" },
  permission_denied: { status: 403, title: "The permission for this is missing", fault: "tenant", retry: "never" },
  forbidden: { status: 403, title: "This key may not do that", fault: "caller", retry: "never" },
  not_found: { status: 404, title: "Not found", fault: "caller", retry: "never" },
  method_not_allowed: {
    status: 405,
    title: "This path does not support this method",
    fault: "caller",
    retry: "never",
  },
  conflict: { status: 409, title: "The current state does not allow this", fault: "caller", retry: "never" },
  gone: { status: 410, title: "This has ended or expired", fault: "caller", retry: "never" },
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
  outcome_unknown: { status: 409, title: "It is unknown whether this happened", fault: "upstream", retry: "never" },
  internal: { status: 500, title: "Otto failed", fault: "us", retry: "later" },
} as const satisfies Record<string, ErrorRow>;

/** One of the codes of the API's contract. */
export type ErrorCode = keyof typeof ERRORS;

/** Whether the request took effect. */
export type Happened = "no" | "yes" | "unknown";

/** The cause of a failure, if code decides on it. */
export type FailureCause =
  /** The service reported the failure itself, so no answer was lost. */
  | { readonly kind: "answered" }
  /** The sidecar does not answer, so nothing was sent to it. */
  | { readonly kind: "sidecar_away" }
  /** The sidecar was lost during the request; the outside service did not fail. */
  | { readonly kind: "sidecar_lost" }
  /** The tenant is stopped. */
  | { readonly kind: "tenant_stopped" }
  /** The look-up of an earlier attempt failed. */
  | { readonly kind: "lookup_failed" }
  /** The database refused a row for a constraint (SQLSTATE class 23); null if it was not named. */
  | { readonly kind: "constraint"; readonly constraint: string | null }
  /** Another user decided first. */
  | { readonly kind: "decided"; readonly by: string }
  /** A person has to consent on this page first. */
  | { readonly kind: "needs_consent"; readonly url: string }
  /** The access of this connection to an app has ended. Its owner has to connect it again. */
  | { readonly kind: "connection_ended"; readonly connection: string }
  /** The provider of apps rejected the key of a request. */
  | { readonly kind: "key_refused" };

/** What Postgres or the driver reported. */
interface DatabaseDetails {
  readonly thrown?: string;
  readonly sqlstate?: string;
  readonly constraint?: string | undefined;
}

/** What an outside service reported. `slack` is Slack's error code, `status` the HTTP status, `service` its name. */
interface ServiceDetails {
  readonly service?: string;
  readonly slack?: string;
  readonly status?: number;
}

/** Fields of any code. */
interface SharedDetails extends OpaqueDetails {
  /** Repeats `happened`, for objects and runners of the release before that field. */
  readonly unanswered?: true;
}

/** The fields of `details` that a code has in addition to the shared ones. A code without an entry has none. */
interface DetailsByCode {
  readonly invalid_input: DatabaseDetails & ServiceDetails & { readonly pointer?: string };
  readonly forbidden: ServiceDetails;
  readonly not_found: ServiceDetails;
  readonly too_large: ServiceDetails;
  readonly rate_limited: ServiceDetails;
  readonly conflict: DatabaseDetails &
    ServiceDetails & {
      /** Who decided first. */
      readonly by?: string | null;
      /** The names that are taken. */
      readonly names?: readonly string[];
      /** Repeats `cause`, for objects and runners of the release before that field. */
      readonly stopped?: true;
    };
  /** `timeout_ms` is the time that has passed; `task_id` is the task in which the call continues. */
  readonly timeout: {
    readonly timeout_ms?: number;
    readonly thrown?: string;
    readonly task_id?: string;
    readonly status?: string;
    readonly pending?: readonly object[];
  };
  readonly upstream_failed: DatabaseDetails & ServiceDetails & { readonly fields?: string };
  readonly needs_approval: {
    readonly approval_id: string;
    readonly task_id: string;
    readonly expires_at: string | null;
  };
  /** `validation_blocked`: the capability gate blocked it. */
  readonly blocked_by_policy: { readonly error_type?: "validation_blocked" };
  readonly outcome_unknown: { readonly task_id: string; readonly call_id: string };
  readonly internal: DatabaseDetails & {
    readonly fields?: string;
    /** The hash of a blob that is lost. */
    readonly hash?: string;
    /** How the role of the database is bound. */
    readonly role?: unknown;
    readonly passes?: unknown;
    readonly owns?: unknown;
    readonly guarded?: unknown;
  };
}

/** The details of an error code. */
export type ErrorDetails<Code extends ErrorCode> = SharedDetails &
  (Code extends keyof DetailsByCode ? DetailsByCode[Code] : unknown);

/**
 * Details of an unnamed code, or of an earlier release. Only `failed`, `notSent`, `maybeSent` and `raise` create them, so
 * that each code has its own. It has no readable field, so that code cannot decide on one.
 */
export interface OpaqueDetails {
  readonly opaque?: never;
}

/** An error as a value. `field` names the invalid input (dotted path); `retryAfterMs` is a lower bound. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field?: string;
  /** Every invalid field, if there are several. */
  readonly fields?: readonly { readonly field: string; readonly message: string }[];
  readonly retryAfterMs?: number;
  /** Whether the same call can succeed when repeated, if the code's row in `ERRORS` does not say it. */
  readonly retry?: Retry;
  /** Absent if unknown. */
  readonly happened?: Happened;
  readonly cause?: FailureCause;
  readonly details?: OpaqueDetails;
}

/** The optional fields of a failure with this code. The name of the creating function determines `happened`. */
export type FailureExtra<Code extends ErrorCode> = Omit<Failure, "code" | "message" | "happened" | "details"> & {
  readonly details?: ErrorDetails<Code>;
};

/** The answer for a task that does not exist or is another tenant's, which are indistinguishable. */
export const NO_SUCH_TASK: Failure = { code: "not_found", message: "There is no task with this id." };

/** The answer for a task whose deletion has begun. Its state is not lost. */
export const TASK_ERASED: Failure = { code: "not_found", message: "This task was erased." };

/** The result of an operation with expected failures. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Failure };

/** A success. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** A failed `Result`. */
export interface Failed {
  readonly ok: false;
  readonly error: Failure;
}

/** Creates a failure that does not say whether the request took effect. */
export function failed<Code extends ErrorCode>(code: Code, message: string, extra: FailureExtra<Code> = {}): Failed {
  return { ok: false, error: { code, message, ...extra } };
}

/** Creates a failure of a request that did not take effect. */
export function notSent<Code extends ErrorCode>(code: Code, message: string, extra: FailureExtra<Code> = {}): Failed {
  return { ok: false, error: { code, message, ...extra, happened: "no" } };
}

/** Creates a failure of a request that may have taken effect. */
export function maybeSent<Code extends ErrorCode>(code: Code, message: string, extra: FailureExtra<Code> = {}): Failed {
  return { ok: false, error: { code, message, ...extra, happened: "unknown" } };
}

/** Marks a failure: the request did not take effect. */
export function asNotSent(failure: Failure): Failed {
  return { ok: false, error: { ...failure, happened: "no" } };
}

/** Marks a failure: part of the request took effect. */
export function asSent(failure: Failure): Failed {
  return { ok: false, error: { ...failure, happened: "yes" } };
}

/** Marks a failure: the request may have taken effect. */
export function asMaybeSent(failure: Failure): Failed {
  return { ok: false, error: { ...failure, happened: "unknown" } };
}

/** Creates the failure of an action that a stopped tenant may not do. */
export function failTenantStopped(message: string): Failed {
  return notSent("conflict", message, { cause: { kind: "tenant_stopped" }, details: { stopped: true } });
}

/** True when the request did not take effect. */
export function isNotSent({ happened }: Failure): boolean {
  return happened === "no";
}

/** True when the service reported the failure itself, so no answer was lost. Any code. */
export function wasAnswered({ cause }: Failure): boolean {
  return cause?.kind === "answered";
}

/** The cause of a failure that the service reported itself. */
export const ANSWERED = { kind: "answered" } as const;

/** The thrown form of a `Failure`, inside one unit. */
export class OttoError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "OttoError";
    this.failure = failure;
  }
}

/** Throws an `OttoError`; typed `never` so that it can end an expression. */
export function raise<Code extends ErrorCode>(code: Code, message: string, extra: FailureExtra<Code> = {}): never {
  throw new OttoError({ code, message, ...extra });
}

/** Converts a thrown value to a failure. An unexpected error becomes `internal`, and only operators see its text. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof OttoError) return thrown.failure;
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return failed("internal", "Otto failed unexpectedly. Try again later.", { details: { thrown: text } }).error;
}
