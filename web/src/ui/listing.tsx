/** A list that is being read, could not be read, is empty, or stands there. */
import type { ReactNode } from "react";
import { ProblemNotice, Skeleton } from "./notice.tsx";
import { More } from "./more.tsx";

interface ListingProps {
  readonly list: {
    readonly rows: readonly unknown[];
    readonly isLoading: boolean;
    readonly error: unknown;
    readonly retry: () => void;
    readonly more: Parameters<typeof More>[0];
  };
  /** What stands there when there is nothing. */
  readonly empty: ReactNode;
  readonly children: ReactNode;
}

export function Listing({ list: { rows, isLoading, error, retry, more }, empty, children }: ListingProps) {
  if (isLoading) return <Skeleton rows={6} />;
  if (rows.length === 0) return error ? <ProblemNotice error={error} onRetry={retry} /> : empty;
  return (
    <div className="flex flex-col gap-3">
      {error ? <ProblemNotice error={error} onRetry={retry} /> : null}
      {children}
      <More {...more} />
    </div>
  );
}
