/** Keeps the end of the page in sight while it grows, until the reader turns to something else. */
import { useCallback, useEffect, useRef, useState } from "react";

/** Pixels from the end that count as the end. */
const NEAR = 80;

export interface PinnedScroll {
  readonly isPinned: boolean;
  readonly toEnd: () => void;
  /** The reader looks at something here: the page stays where it is. */
  readonly release: () => void;
}

/** `follows`: the page grows while it is open. Another page is never scrolled. */
export function usePinnedScroll(follows: boolean): PinnedScroll {
  const [isPinned, setPinned] = useState(follows);
  const pinned = useRef(follows);
  const pin = useCallback((next: boolean) => {
    pinned.current = next;
    setPinned(next);
  }, []);
  const toEnd = useCallback(() => {
    pin(true);
    window.scrollTo({ top: document.documentElement.scrollHeight });
  }, [pin]);
  useEffect(() => {
    if (!follows) return undefined;
    const root = document.documentElement;
    let before = { top: window.scrollY, height: root.scrollHeight };
    const grown = new ResizeObserver(() => {
      if (pinned.current) window.scrollTo({ top: root.scrollHeight });
    });
    const scrolled = (): void => {
      const now = { top: window.scrollY, height: root.scrollHeight };
      // The browser scrolls up a page that shrinks. The reader's own first small step counts, even near the end.
      const isUpwards = now.top < before.top - 1 && now.height >= before.height;
      const isDownwards = now.top > before.top;
      before = now;
      if (isUpwards) pin(false);
      else if (isDownwards && now.height - window.innerHeight - now.top < NEAR) pin(true);
    };
    grown.observe(document.body);
    window.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      grown.disconnect();
      window.removeEventListener("scroll", scrolled);
    };
  }, [follows, pin]);
  const release = useCallback(() => pin(false), [pin]);
  return { isPinned: follows && isPinned, toEnd, release };
}
