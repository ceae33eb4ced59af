import { Link, useRouterState } from "@tanstack/react-router";
import { Brain, CalendarClock, Hammer, Inbox, ListChecks, type LucideIcon, Settings, UserCog } from "lucide-react";
import { useInboxCount } from "../api/inbox-count.ts";
import { classes } from "../ui/classes.ts";
import { type AreaName, AREAS, isWithin } from "./navigation.ts";

const ICONS: Readonly<Record<AreaName, LucideIcon>> = {
  Tasks: ListChecks,
  Inbox,
  Agents: UserCog,
  Tools: Hammer,
  Knowledge: Brain,
  Automations: CalendarClock,
  Settings,
};

const ENTRY = "flex min-h-9 items-center gap-3 rounded-md px-3";
const LINK =
  "text-quiet hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent";

/** The console's menu: its areas, and the pages of the present one. Calls `onChoose` on a choice, so that a drawer can close. */
export function Menu({ onChoose }: { readonly onChoose?: () => void }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  return (
    <nav aria-label="Console">
      <ul className="flex flex-col gap-0.5">
        {AREAS.map(({ label, pages }) => {
          const isOpen = pages.length > 1 && pages.some((page) => isWithin(path, page));
          return (
            <li key={label}>
              {isOpen ? (
                <p className={classes(ENTRY, "font-medium")}>
                  <AreaLabel label={label} />
                </p>
              ) : (
                <Link to={pages[0].to} onClick={onChoose} className={classes(ENTRY, LINK)}>
                  <AreaLabel label={label} />
                </Link>
              )}
              {isOpen ? (
                <ul aria-label={`${label}: pages`} className="my-1 ml-5 border-l border-line pl-2">
                  {pages.map((page) => (
                    <li key={page.to}>
                      <Link
                        to={page.to}
                        onClick={onChoose}
                        className={classes("flex min-h-8 items-center rounded-md px-3", LINK)}
                      >
                        {page.label}
                      </Link>
                    </li>
                  ))}
                </ul>
              ) : null}
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function AreaLabel({ label }: { readonly label: AreaName }) {
  const Icon = ICONS[label];
  return (
    <>
      <Icon aria-hidden className="size-4.5 shrink-0" />
      <span className="flex-1">{label}</span>
      {label === "Inbox" ? <WaitingCount /> : null}
    </>
  );
}

function WaitingCount() {
  const waiting = useInboxCount();
  if (waiting === 0) return null;
  return (
    <span className="rounded-full bg-warn-soft px-2 text-xs font-semibold text-warn tabular-nums">
      {waiting > 99 ? "99+" : waiting}
      <span className="sr-only"> waiting</span>
    </span>
  );
}
