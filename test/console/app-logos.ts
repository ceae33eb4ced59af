/** The logos of the demo apps on the pages of apps. */
import { expect, vi } from "vitest";
import { type Console, expectFit, expectWidths, PATIENT } from "./open-console.ts";

/** 880 logos are fetched after the catalogue is published, and an isolate looks for them once a minute. */
const FETCHED = { timeout: 200_000, interval: 1_000 };

/** Fails unless cards and the page of an app show logos of Otto's own, which shift nothing. `at` has the demo apps. */
export async function expectLogos(at: Console): Promise<void> {
  const { page, api } = at;
  const countLogos = async () => {
    const listed = await api.must<{ apps: { logo_url: string | null }[] }>("GET", "/api/tools/marketplace?limit=1000");
    return listed.apps.filter(({ logo_url: url }) => url !== null).length;
  };
  await vi.waitUntil(async () => (await countLogos()) === 880, FETCHED);
  const arrived = Promise.withResolvers<void>();
  await page.route("**/api/tools/*/logo?v=*", async (route) => {
    await arrived.promise;
    await route.continue();
  });
  const outside: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(at.url)) outside.push(request.url());
  });
  await at.open("/apps");
  const cards = page.getByRole("list", { name: "Apps of the catalogue" }).getByRole("listitem");
  const [tile, logo] = [cards.first().locator("[aria-hidden]").first(), cards.first().locator("img")];
  const read = async () => ({
    letter: await tile.textContent(),
    boxes: [await tile.boundingBox(), await cards.nth(4).boundingBox()],
    opacity: await logo.evaluate(readOpacity),
  });
  await logo.waitFor();
  const before = await read();
  expect(before).toMatchObject({
    letter: expect.stringMatching(/^[A-Z]$/),
    boxes: [{ width: 40, height: 40 }, {}],
    opacity: "0",
  });
  arrived.resolve();
  await expect.poll(async () => (await read()).opacity, PATIENT).toBe("1");
  expect(await read()).toEqual({ letter: "", boxes: before.boxes, opacity: "1" });
  expect(await logo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBeGreaterThan(
    0,
  );
  await expectWidths(page, "demo-logos");
  await expectFit(page, "demo-logos");
  // An app of the directory has none.
  await at.open("/apps?search=-mcp");
  await expect
    .poll(async () => await cards.first().locator("[aria-hidden]").first().textContent(), PATIENT)
    .toMatch(/^[A-Z]$/);
  expect(await cards.locator("img").count()).toBe(0);
  await at.open("/apps/gmail");
  const shown = page.getByRole("main").locator("img");
  await expect.poll(async () => await shown.evaluate(readOpacity), PATIENT).toBe("1");
  await expectWidths(page, "demo-app-logo");
  await expectFit(page, "demo-app-logo");
  expect(outside).toEqual([]);
  await page.unrouteAll();
}

/** Runs in the page. */
function readOpacity(element: unknown): string {
  const page = globalThis as unknown as { getComputedStyle(of: unknown): { readonly opacity: string } };
  return page.getComputedStyle(element).opacity;
}
