/** The two looks of what a log says beside its calls. */
import type { ReactNode } from "react";
import { classes } from "../../../ui/classes.ts";
import { oneLine } from "../../../ui/visible-text.ts";

/** The look of the icon before a line. */
export const ICON = "mt-0.5 size-4 shrink-0";

/** A name that somebody gave, among our own words. */
export function named(text: string): ReactNode {
  return <bdi className="font-medium">{oneLine(text, 120)}</bdi>;
}

/** One line of the log in small letters. */
export function Line({
  icon,
  tone = "text-quiet",
  children,
}: {
  readonly icon: ReactNode;
  readonly tone?: string;
  readonly children: ReactNode;
}) {
  return (
    <div className={classes("flex gap-2 px-1 text-sm", tone)}>
      {icon}
      <div className="min-w-0">{children}</div>
    </div>
  );
}

/** What people wrote, and what is asked of them, stands on a ground of its own. */
export function Bubble({
  title,
  icon,
  children,
}: {
  readonly title: ReactNode;
  readonly icon: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-sunken p-3">
      <p className="flex items-start gap-2 text-sm font-medium">
        {icon}
        <span className="min-w-0">{title}</span>
      </p>
      {children}
    </div>
  );
}
