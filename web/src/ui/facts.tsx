/** What is known of a thing: labels, and what each of them is. */
import type { ReactNode } from "react";

/** One under the other, the labels at the left; on a phone each above its value. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[max-content_minmax(0,1fr)]">{children}</dl>;
}

interface FactProps {
  readonly name: string;
  readonly children: ReactNode;
}

/** Nothing for what is not there: null or undefined. */
export function Fact({ name, children }: FactProps) {
  if (children === null || children === undefined) return null;
  return (
    <div className="contents">
      <dt className="text-quiet">{name}</dt>
      <dd className="-mt-1 min-w-0 [overflow-wrap:anywhere] sm:mt-0">{children}</dd>
    </div>
  );
}

/** A few short ones beside each other. */
export function FactRow({ children }: { readonly children: ReactNode }) {
  return <dl className="grid gap-3 sm:auto-cols-fr sm:grid-flow-col">{children}</dl>;
}

export function FactOfRow({ name, children }: FactProps) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-quiet">{name}</dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  );
}
