/**
 * Restores mocks after each test. Files of one process share globals, and `restoreMocks` acts only before the next test of the same
 * file.
 */
import { afterEach, vi } from "vitest";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
