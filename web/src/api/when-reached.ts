/** Parts of the page's own code, which come when they are first needed: when Otto is away at that moment, they come later. */
import { lazyRouteComponent } from "@tanstack/react-router";

/** Milliseconds between two looks whether Otto is there again. */
const LOOK_MS = 1_000;

interface Door {
  readonly isReached: () => Promise<boolean>;
  readonly pause: () => Promise<void>;
}

const DOOR: Door = {
  isReached: async () => {
    try {
      return (await fetch("/", { method: "HEAD", cache: "no-store" })).status < 500;
    } catch {
      return false;
    }
  },
  pause: async () =>
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_MS);
    }),
};

/**
 * Loads a part, again and again while Otto is away. Rejects when Otto is there and has no such part: it was updated since the
 * page was opened.
 */
export async function whenReached<Part>(load: () => Promise<Part>, { isReached, pause }: Door = DOOR): Promise<Part> {
  for (let isThere = false; ; ) {
    try {
      return await load();
    } catch (thrown) {
      if (isThere) throw thrown;
      isThere = await isReached();
      if (!isThere) await pause();
    }
  }
}

/** The component of a page, by the name under which its file exports it. The router alone would reload the whole window. */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => await whenReached(load), name);
