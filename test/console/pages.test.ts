/** Every page of the console: empty, on a desk and on a phone, in both themes. */
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Console,
  DESKTOP,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
  PATIENT,
  PHONE,
  takePicture,
} from "./open-console.ts";

const PATHS = [
  "/tasks",
  "/tasks/new",
  "/inbox",
  "/agents",
  "/agents/new",
  "/tools",
  "/tools/http_request",
  "/tool-sources",
  "/tool-sources/import",
  "/tool-sources/new-tool",
  "/skills",
  "/memory",
  "/documents",
  "/code",
  "/databases",
  "/mcp-servers",
  "/apps",
  "/apps/unknown",
  "/connections",
  "/people",
  "/schedules",
  "/schedules/new",
  "/webhooks",
  "/deliveries",
  "/slack",
  "/mail",
  "/usage",
  "/limits",
  "/keys",
  "/secrets",
  "/audit",
  "/system",
  "/tasks/task_that-never-was",
  "/no/such/page",
];

let console: Console;

beforeAll(async () => {
  console = await openConsole("Pages");
});

afterAll(async () => {
  await console?.close();
});

test.each(PATHS)("%s shows its title, fits, and is open to everybody", async (path) => {
  const { page } = console;
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: "dark" });
  await console.open(path);
  // What is still being read stands as grey lines.
  await expect.poll(async () => await page.locator('[role="status"][aria-label^="Loading"]').count(), PATIENT).toBe(0);
  for (const [look, theme, size] of [
    ["phone", "dark", PHONE],
    ["desk", "light", DESKTOP],
  ] as const) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: theme });
    await takePicture(page, `${path.slice(1).replaceAll("/", "-")}-${look}-${theme}`);
    await expectNoSidewaysScrolling(page);
    await expectAccessible(page);
  }
  expect(await page.title()).toMatch(/ · Otto$/);
});

/** Bytes of JavaScript, in gzip, that a first visit may load. */
const MAX_FIRST_BYTES = 250_000;

test.each(["/tasks", "/sign-in"])(
  "a first visit of %s loads little JavaScript, and no developer tools",
  async (path) => {
    const { page, url } = console;
    await console.open(path);
    const scripts = await page.evaluate<string[]>(
      "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))",
    );
    expect(scripts.length).toBeGreaterThan(2);
    expect(scripts.filter((name) => name.includes("dev-runtime"))).toEqual([]);
    const sizes = await Promise.all(
      scripts.map(async (name) => {
        expect(name.startsWith(url)).toBe(true);
        return gzipSync(new Uint8Array(await (await fetch(name)).arrayBuffer())).length;
      }),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_FIRST_BYTES);
  },
);
