import { Link } from "@tanstack/react-router";
import { useInboxCount } from "../api/inbox-count.ts";
import { PLACES } from "./navigation.ts";

/** The console's menu. Calls `onChoose` on a choice, so that a drawer can close. */
export function Menu({ onChoose }: { readonly onChoose?: () => void }) {
  const waiting = useInboxCount();
  return (
    <nav aria-label="Console" className="flex flex-col gap-2">
      {PLACES.map(({ title, places }) => (
        <div key={title}>
          <p aria-hidden className="px-3 pb-1 text-xs font-semibold tracking-wide text-quiet uppercase">
            {title}
          </p>
          <ul aria-label={title}>
            {places.map(({ to, label, Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  onClick={onChoose}
                  className="flex min-h-7.5 items-center gap-3 rounded-md px-3 text-quiet hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent"
                >
                  <Icon aria-hidden className="size-4.5 shrink-0" />
                  <span className="flex-1">{label}</span>
                  {to === "/inbox" && waiting > 0 ? (
                    <span className="rounded-full bg-warn-soft px-2 text-xs font-semibold text-warn tabular-nums">
                      {waiting > 99 ? "99+" : waiting}
                      <span className="sr-only"> waiting</span>
                    </span>
                  ) : null}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
