/** Mounts of this repository's own code and packages, for caged processes that run it. */
import { realpath } from "node:fs/promises";
import type { Mount } from "./cage.ts";

/** Where a cage has the root of this repository. */
export const CAGED_ROOT = "/otto";

/** Read-only mounts of these paths below `root`. Skips missing ones: the program reports them. */
export async function findOwnMounts(root: string, places: readonly string[]): Promise<readonly Mount[]> {
  const found = await Promise.all(
    places.map(async (place) => {
      const from = await realpath(root + place).catch(() => null);
      return from === null ? [] : [{ from, at: `${CAGED_ROOT}/${place}`, writable: false }];
    }),
  );
  return found.flat();
}
