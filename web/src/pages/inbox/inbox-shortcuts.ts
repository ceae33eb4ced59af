/** Deciding what waits by keyboard. What a key does, it does by the buttons of the card that has the focus. */
import { useNavigate } from "@tanstack/react-router";
import { type RefObject, useEffect, useRef } from "react";
import { type Shortcut, useShortcuts } from "../../ui/shortcuts.tsx";

/** Milliseconds that an entry must have had the focus before a key approves it: a key pressed twice approves one thing. */
const READ_MS = 500;

/** Puts the focus on the entry after one that goes; on the title when it was the last. */
export function focusNextEntry(feed: HTMLElement | null, key: string): void {
  const entries = findEntries(feed);
  const at = entries.findIndex(({ dataset }) => dataset["entry"] === key);
  const next = entries[at + 1] ?? entries[at - 1] ?? document.getElementById("page-title");
  next?.focus();
}

export function useInboxShortcuts(feed: RefObject<HTMLElement | null>): readonly Shortcut[] {
  const navigate = useNavigate();
  const focusedAt = useFocusedAt();
  const step = (by: 1 | -1, event: KeyboardEvent): boolean => {
    const isArrow = event.key.startsWith("Arrow");
    if (event.repeat || (isArrow && isInScrollingRegion(event.target))) return false;
    const entries = findEntries(feed.current);
    const at = entries.findIndex((entry) => entry.contains(document.activeElement));
    if (at === -1 && isArrow && !isNowhere()) return false;
    const next = entries[at === -1 ? 0 : at + by];
    next?.focus();
    next?.scrollIntoView({ block: "start" });
    return next !== undefined;
  };
  const press =
    (action: string) =>
    (event: KeyboardEvent): boolean => {
      const button = focusedEntry()?.querySelector<HTMLElement>(`[data-action="${action}"]`);
      if (button == null || event.repeat) return false;
      button.click();
      return true;
    };
  const approve = press("approve");
  const shortcuts: readonly Shortcut[] = [
    { keys: ["ArrowDown", "j"], does: "The next entry", run: (event) => step(1, event) },
    { keys: ["ArrowUp", "k"], does: "The entry before", run: (event) => step(-1, event) },
    {
      keys: ["a"],
      does: "Approve it; of a question, answer it",
      run: (event) => {
        const first = focusedEntry()?.querySelector<HTMLElement>('[data-action="first"]');
        if (first != null) return first.focus();
        return performance.now() - focusedAt.current < READ_MS ? false : approve(event);
      },
    },
    { keys: ["e"], does: "Edit it and approve", run: press("edit") },
    { keys: ["r"], does: "Refuse it, with a reason", run: press("refuse") },
    {
      keys: ["Enter"],
      does: "Open its task",
      run: () => {
        const entry = focusedEntry();
        const taskId = entry?.dataset["task"];
        if (entry !== document.activeElement || taskId === undefined) return false;
        void navigate({ to: "/tasks/$taskId", params: { taskId } });
        return true;
      },
    },
  ];
  useShortcuts(shortcuts);
  return shortcuts;
}

function findEntries(feed: HTMLElement | null): HTMLElement[] {
  return [...(feed?.querySelectorAll<HTMLElement>("[data-entry]") ?? [])];
}

function focusedEntry(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>("[data-entry]") ?? null;
}

/** The arrows scroll what has the focus: there is more in it than it shows. */
function isInScrollingRegion(target: EventTarget | null): boolean {
  const region = target instanceof Element ? target.closest("[tabindex]") : null;
  return region?.matches("[data-entry]") === false && region.scrollHeight > region.clientHeight;
}

/** The focus is where a page begins. */
function isNowhere(): boolean {
  return document.activeElement === document.body || document.activeElement?.id === "page-title";
}

/** When the focus last came into another entry, in the time of `performance.now()`. */
function useFocusedAt(): RefObject<number> {
  const at = useRef(0);
  useEffect(() => {
    let last: Element | null = null;
    const look = (): void => {
      const entry = focusedEntry();
      if (entry !== last) at.current = performance.now();
      last = entry;
    };
    document.addEventListener("focusin", look);
    return () => document.removeEventListener("focusin", look);
  }, []);
  return at;
}
