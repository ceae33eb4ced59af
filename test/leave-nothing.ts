/**
 * Vitest ends the process of a test file by a signal, so what that process had until its end is removed when all are gone: the folders of
 * cages that nobody holds any more.
 */
import { openCageFolder } from "../sidecar/cage/folders.ts";

export async function teardown(): Promise<void> {
  // Opening one removes those of the dead.
  const folder = await openCageFolder();
  await folder.remove();
}
