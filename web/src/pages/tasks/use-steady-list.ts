import { type RefObject, useEffect, useRef, useState } from "react";
import type { Task } from "../../api/types.generated.ts";
import { followList, NO_ROWS, type SteadyList } from "./steady-list.ts";

interface TaskPage {
  readonly data: readonly Task[];
  readonly next_cursor: string | null;
}

/** From here on the reader has left the top of the page, in pixels. */
const LEFT_TOP = 80;

/** The rows to show of what was read. `of` names the list: another one begins afresh. */
export function useSteadyList(
  of: string,
  page: TaskPage | undefined,
  element: RefObject<HTMLElement | null>,
): { readonly list: SteadyList<Task>; readonly showNew: () => void } {
  const [list, setList] = useState<SteadyList<Task>>(NO_ROWS);
  const shownOf = useRef<string | null>(null);
  useEffect(() => {
    if (page === undefined) return;
    const isHeld = shownOf.current === of && isUnderHand(element.current);
    shownOf.current = of;
    setList((shown) => followList(shown, page.data, { isHeld, hasMore: page.next_cursor !== null }));
  }, [of, page, element]);
  const showNew = (): void => {
    if (page === undefined) return;
    setList((shown) => followList(shown, page.data, { isHeld: false, hasMore: page.next_cursor !== null }));
    window.scrollTo({ top: 0 });
    requestAnimationFrame(() => element.current?.querySelector<HTMLElement>("[data-row]")?.focus());
  };
  return { list, showNew };
}

/** Whether the reader is about to press something in the list: points at it, has the focus in it, or has scrolled to it. */
function isUnderHand(element: HTMLElement | null): boolean {
  if (element === null) return false;
  return window.scrollY > LEFT_TOP || element.matches(":hover") || element.contains(document.activeElement);
}
