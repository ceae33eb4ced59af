/**
 * Undoes what a test mocked as it ends. Files of one process share its globals, and `restoreMocks` acts only before the next
 * test of the same file.
 */
import { afterEach, vi } from "vitest";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
