/** The views of one thing, as links: each has an address of its own. */
import { Link, type LinkProps } from "@tanstack/react-router";
import { classes } from "./classes.ts";

interface Tab {
  readonly label: string;
  readonly link: Pick<LinkProps, "to" | "params" | "search">;
  readonly isCurrent: boolean;
  readonly count?: number;
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ label: name, link, isCurrent, count }) => (
        <Link
          key={name}
          {...link}
          aria-current={isCurrent ? "page" : undefined}
          className={classes(
            "-mb-px border-b-2 px-3 py-2 whitespace-nowrap",
            isCurrent ? "border-accent font-medium text-ink" : "border-transparent text-quiet hover:text-ink",
          )}
        >
          {name}
          {count === undefined ? null : <span className="ml-1.5 text-sm text-quiet">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
