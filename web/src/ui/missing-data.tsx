/** What a dialog shows until its data is there: lines while it loads, and then why it is missing. */
import { toApiError } from "../api/problem.ts";
import { ProblemNotice, Skeleton } from "./notice.tsx";

interface MissingDataProps {
  readonly error: unknown;
  readonly isPending: boolean;
  readonly refetch: () => Promise<unknown>;
}

/** Offers to try again, unless what was asked for does not exist. */
export function MissingData({ error, isPending, refetch }: MissingDataProps) {
  if (isPending) return <Skeleton rows={4} height="h-10" />;
  const isGone = toApiError(error).status === 404;
  return <ProblemNotice error={error} {...(isGone ? {} : { onRetry: () => void refetch() })} />;
}
