/**
 * Reads failures that an earlier release wrote: it said in `details` what `happened` and `cause` say now. The only code that
 * reads a field of `details`. All that comes from another object, a runner or a row is read here before anything decides on it.
 */
import { z } from "zod";
import { ANSWERED, type Failed, type Failure, type FailureCause, type Happened, type Result } from "./errors.ts";

/** What code of an earlier release decided on. A field of another form says nothing. */
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

/** The failure with what an earlier release said of it in `details`. One that says what happened, or why, is left as it is. */
export function readFailure(failure: Failure): Failure {
  if (failure.happened !== undefined || failure.cause !== undefined) return failure;
  const said = earlierDetails.safeParse(failure.details).data;
  if (said === undefined) return failure;
  const [happened, cause] = [happenedIn(said), causeIn(said, failure)];
  return { ...failure, ...(happened === null ? {} : { happened }), ...(cause === null ? {} : { cause }) };
}

/** The result of another object or runner. */
export function readResult<T>(result: Result<T>): Result<T> {
  return result.ok ? result : ({ ok: false, error: readFailure(result.error) } satisfies Failed);
}

/** `details` for a caller who is shown them. */
export function detailsToShow({ details }: Failure): Readonly<Record<string, unknown>> | undefined {
  return details === undefined ? undefined : Object.fromEntries(Object.entries(details));
}

/** `sent: true` said nothing: it took back a `sent: false`. */
function happenedIn({ sent, unanswered, lost }: EarlierDetails): Happened | null {
  if (sent === false) return "no";
  return unanswered === true || lost === "sidecar" ? "unknown" : null;
}

function causeIn(said: EarlierDetails, { code }: Failure): FailureCause | null {
  if (said.lost === "sidecar") return { kind: "sidecar_lost" };
  if (said.away === "sidecar") return { kind: "sidecar_away" };
  if (said.stopped === true) return { kind: "tenant_stopped" };
  if (said.looked === true) return { kind: "lookup_failed" };
  if (said.authorizationUrl !== undefined) return { kind: "needs_consent", url: said.authorizationUrl };
  if (said.sqlstate?.startsWith("23") === true) return { kind: "constraint", constraint: said.constraint };
  if (code === "conflict" && said.by !== undefined) return { kind: "decided", by: said.by };
  return said.answered === true ? ANSWERED : null;
}
