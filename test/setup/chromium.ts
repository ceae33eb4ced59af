/** Starts Chromium for the tests of the console and for the bench. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

/** Debian's Chromium by default. */
const CHROMIUM = process.env["OTTO_TEST_CHROMIUM"] ?? "/usr/bin/chromium";
/** Disables the sandbox, since tests may run as root, and background requests, since the machine may be offline. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A running browser with its own profile. */
export interface StartedChromium {
  /** For playwright's `connect`. */
  readonly address: string;
  close(): Promise<void>;
}

export async function startChromium(): Promise<StartedChromium> {
  const profile = mkdtempSync(join(tmpdir(), "otto-chromium-"));
  const remove = (): void => rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  try {
    const browser = await chromium.launchServer({
      executablePath: CHROMIUM,
      headless: true,
      args: FLAGS,
      env: { ...process.env, HOME: profile },
    });
    return {
      address: browser.wsEndpoint(),
      async close() {
        await browser.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
