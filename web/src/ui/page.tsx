/** The frame of a page: its title, which is also the document's, its actions, and its content. */
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { classes } from "./classes.ts";
import { honestProse, withoutTurns } from "./visible-text.ts";

interface PageProps {
  readonly title: string;
  /** One sentence on what the page is for. */
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}

export function Page({ title, lead, actions, children, isWide = false }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusHandedOn(heading);
  useEffect(() => {
    document.title = `${withoutTurns(title)} · Otto`;
  }, [title]);
  return (
    <div
      className={classes(
        "mx-auto flex w-full flex-col gap-5 px-4 py-5 sm:px-6 lg:py-7",
        isWide ? "max-w-[100rem]" : "max-w-6xl",
      )}
    >
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          {/* It takes the focus after each navigation: a screen reader says where one is. */}
          <h1
            ref={heading}
            tabIndex={-1}
            id="page-title"
            className="text-xl font-semibold [unicode-bidi:isolate] outline-none sm:text-2xl"
          >
            {honestProse(title)}
          </h1>
          {lead === undefined ? null : <p className="mt-1 max-w-prose text-quiet">{lead}</p>}
        </div>
        {actions === undefined ? null : <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Whether the last title that went away had the focus. */
let wasFocused = false;

/** A page that was loading gives way to the one that was read: its title takes the focus over, which the browser would drop. */
function useFocusHandedOn(heading: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const title = heading.current;
    if (wasFocused && document.activeElement === document.body) title?.focus();
    return () => {
      wasFocused = document.activeElement === title;
    };
  }, [heading]);
}

/** A part of a page under a heading of its own. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section aria-label={title} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

export function Card({ children, className }: { readonly children: ReactNode; readonly className?: string }) {
  return <div className={classes("rounded-lg border border-line bg-surface p-4", className)}>{children}</div>;
}
