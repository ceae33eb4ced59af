/**
 * Reads failures of an earlier release, which put into `details` what `happened` and `cause` say now. The only code
 * that reads a field of `details`. Everything from another object, a runner or a row is read here before code decides
 * on it.
 */
import { z } from "zod";
import {
  ANSWERED,
  type ErrorCode,
  type ErrorDetails,
  type Failed,
  type Failure,
  type FailureCause,
  type Happened,
  type Result,
} from "./errors.ts";

/** The fields that an earlier release set. A field of another type is ignored. */
const earlierDetails = z.object({
  sent: z.boolean().optional().catch(undefined),
  unanswered: z.boolean().optional().catch(undefined),
  answered: z.boolean().optional().catch(undefined),
  looked: z.boolean().optional().catch(undefined),
  stopped: z.boolean().optional().catch(undefined),
  lost: z.string().optional().catch(undefined),
  away: z.string().optional().catch(undefined),
  by: z.string().optional().catch(undefined),
  sqlstate: z.string().optional().catch(undefined),
  constraint: z.string().nullable().default(null).catch(null),
  authorizationUrl: z.string().optional().catch(undefined),
});
type EarlierDetails = z.infer<typeof earlierDetails>;

/** Adds `happened` and `cause` from an earlier release's `details`. A failure that has either stays as it is. */
export function readFailure(failure: Failure): Failure {
  if (failure.happened !== undefined || failure.cause !== undefined) return failure;
  const earlier = earlierDetails.safeParse(failure.details).data;
  if (earlier === undefined) return failure;
  const [happened, cause] = [readHappened(earlier), readCause(earlier, failure)];
  return { ...failure, ...(happened === null ? {} : { happened }), ...(cause === null ? {} : { cause }) };
}

/** Reads the result of another object or runner. */
export function readResult<T>(result: Result<T>): Result<T> {
  return result.ok ? result : ({ ok: false, error: readFailure(result.error) } satisfies Failed);
}

/** The fields of each code's details that callers read. The others are for the log. */
const PUBLIC_DETAILS: { readonly [Code in ErrorCode]?: readonly (keyof ErrorDetails<Code>)[] } = {
  timeout: ["timeout_ms", "task_id", "status", "pending"],
  upstream_failed: ["service", "status"],
  rate_limited: ["service", "status"],
  needs_approval: ["approval_id", "task_id", "expires_at"],
  outcome_unknown: ["task_id", "call_id"],
  blocked_by_policy: ["error_type"],
  conflict: ["by", "names"],
};

/** Returns the details of a failure for callers: the error maps of document 003 and the ids of tasks and approvals. */
export function toPublicDetails({ code, field, details }: Failure): Readonly<Record<string, unknown>> | undefined {
  if (code === "invalid_input") return field === undefined ? undefined : { field };
  const names: readonly string[] = PUBLIC_DETAILS[code] ?? [];
  const shown = Object.entries(details ?? {}).filter(([name, value]) => names.includes(name) && value !== undefined);
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

/** `sent: true` only revoked a `sent: false`. */
function readHappened({ sent, unanswered, lost }: EarlierDetails): Happened | null {
  if (sent === false) return "no";
  return unanswered === true || lost === "sidecar" ? "unknown" : null;
}

function readCause(earlier: EarlierDetails, { code }: Failure): FailureCause | null {
  if (earlier.lost === "sidecar") return { kind: "sidecar_lost" };
  if (earlier.away === "sidecar") return { kind: "sidecar_away" };
  if (earlier.stopped === true) return { kind: "tenant_stopped" };
  if (earlier.looked === true) return { kind: "lookup_failed" };
  if (earlier.authorizationUrl !== undefined) return { kind: "needs_consent", url: earlier.authorizationUrl };
  if (earlier.sqlstate?.startsWith("23") === true) return { kind: "constraint", constraint: earlier.constraint };
  if (code === "conflict" && earlier.by !== undefined) return { kind: "decided", by: earlier.by };
  return earlier.answered === true ? ANSWERED : null;
}
