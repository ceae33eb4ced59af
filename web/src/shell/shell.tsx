/** What stands around every page: the menu, who is signed in, whether the server is reached. */
import { Outlet, useRouterState } from "@tanstack/react-router";
import { Menu as MenuIcon, Search } from "lucide-react";
import { useEffect, useRef } from "react";
import { useLiveFeed } from "../api/live-feed.ts";
import { IconButton } from "../ui/button.tsx";
import { Skeleton } from "../ui/notice.tsx";
import { Toasts } from "../ui/toast.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { Brand } from "./brand.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { ConnectionBar } from "./connection-bar.tsx";
import { Menu } from "./menu.tsx";
import { useCommandPalette } from "./use-command-palette.ts";
import { SessionBar } from "./session-bar.tsx";
import { useFreshPages } from "./use-fresh-pages.ts";
import { useInboxNotifications } from "./use-inbox-notifications.ts";
import { useIsAnothers } from "./use-is-anothers.ts";
import { useKeptFocus } from "./use-kept-focus.ts";

export function Shell() {
  return useIsAnothers() ? <BeginAfresh /> : <Frame />;
}

/** Replaces the whole page, with every prompt that would block the reload. */
function BeginAfresh() {
  useEffect(() => window.location.reload(), []);
  return (
    <main className="mx-auto max-w-2xl p-6">
      <Skeleton label="Connecting…" />
    </main>
  );
}

function Frame() {
  const connection = useLiveFeed();
  const drawer = useRef<HTMLDialogElement>(null);
  const palette = useCommandPalette();
  useFocusAfterNavigation();
  useKeptFocus();
  useFreshPages(connection);
  useInboxNotifications();
  return (
    <Toasts>
      <a
        href="#page-title"
        className="sr-only z-50 rounded-md bg-surface p-3 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the page
      </a>
      <div className="flex min-h-dvh">
        <aside className="sticky top-0 hidden h-dvh w-60 shrink-0 flex-col gap-3 border-r border-line bg-surface p-3 lg:flex">
          <Brand />
          <button
            type="button"
            onClick={() => palette.setOpen(true)}
            className="flex min-h-9 items-center gap-3 rounded-md border border-edge px-3 text-quiet hover:bg-hover hover:text-ink"
          >
            <Search aria-hidden className="size-4.5 shrink-0" />
            <span className="flex-1 text-left">Go to…</span>
            <kbd className="font-mono text-xs">Ctrl K</kbd>
          </button>
          <div className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1">
            <Menu />
          </div>
          <AccountMenu />
        </aside>
        <div className="flex min-w-0 flex-1 flex-col">
          <header className="sticky top-0 z-20 flex items-center justify-between border-b border-line bg-surface px-2 py-1.5 lg:hidden">
            <IconButton label="Menu" onClick={() => drawer.current?.showModal()}>
              <MenuIcon aria-hidden className="size-5" />
            </IconButton>
            <Brand />
            <IconButton label="Go to…" onClick={() => palette.setOpen(true)}>
              <Search aria-hidden className="size-5" />
            </IconButton>
          </header>
          <ConnectionBar state={connection} />
          <SessionBar />
          <main className="flex-1">
            <Outlet />
          </main>
        </div>
      </div>
      <dialog
        ref={drawer}
        aria-label="Menu"
        closedby="any"
        className="m-0 h-dvh max-h-none w-72 max-w-[85vw] border-r border-line bg-surface p-0 text-ink"
      >
        <div className="flex min-h-full flex-col gap-4 p-3">
          <Menu onChoose={() => drawer.current?.close()} />
          <div className="mt-auto">
            <AccountMenu onMessage={() => drawer.current?.close()} />
          </div>
        </div>
      </dialog>
      <CommandPalette isOpen={palette.isOpen} onClose={() => palette.setOpen(false)} />
    </Toasts>
  );
}

/**
 * A navigation inside the page moves the focus to the title, as the loading of a page would, or to the field that the page is for.
 * A finger is spared the keyboard on the screen.
 */
function useFocusAfterNavigation(): void {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const isFirst = useRef(true);
  useEffect(() => {
    const isCoarse = window.matchMedia("(pointer: coarse)").matches;
    const field = isCoarse ? null : document.querySelector<HTMLElement>("[data-takes-focus]");
    if (isFirst.current) {
      isFirst.current = path === undefined;
      if (document.activeElement === document.body) field?.focus();
      return;
    }
    (field ?? document.getElementById("page-title"))?.focus();
  }, [path]);
}
