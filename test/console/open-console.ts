/**
 * The console in a real browser, signed in to a tenant of its own. A page that is opened here is watched: everything that it throws, refuses by
 * its policy, or asks of another host fails the test that closes it.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults, RunOptions } from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, inject } from "vitest";
import { ApiClient } from "../drill/api-client.ts";
import "../setup/provided-context.ts";
import { fetchApi } from "../setup/fetch-api.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** WCAG 2.2 AA, and what axe's authors recommend in addition. */
const AXE_OPTIONS: RunOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  resultTypes: ["violations"],
};
/** A test waits this long for what it expects on a page or of the system: a machine under load takes its time. */
const WAIT_MS = 30_000;
/** For `expect.poll`, which else gives up after a second. */
export const PATIENT = { timeout: WAIT_MS };

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 360, height: 780 };

/** A tenant and its window. */
export interface Console {
  readonly page: Page;
  readonly url: string;
  readonly key: string;
  readonly api: ApiClient;
  /** Its agent: every tool, `http_request` after an approval, and the recorder's host as an idempotent one. */
  readonly agent: string;
  readonly recorderUrl: string;
  /** Makes a task of the agent: the model's replies, one for each step; `title` is the first line of its input. Gives the id. */
  makeTask(title: string, replies: readonly object[], more?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Opens a path of the console and waits until its page shows. */
  open(path: string): Promise<void>;
  /** Another window of the same person. */
  another(options?: BrowserContextOptions): Promise<Page>;
  /** Closes all windows; fails when one of them complained. */
  close(): Promise<void>;
}

export interface ConsoleOptions extends BrowserContextOptions {
  readonly isSignedIn?: boolean;
  /** What the pages are made to complain of by the test itself. */
  readonly mayComplainOf?: RegExp;
  /** Another system than that of the suite. */
  readonly at?: { readonly url: string; readonly operatorKey: string };
}

/** Makes a tenant with an agent, and a window that is signed in to it. */
export async function openConsole(name: string, options: ConsoleOptions = {}): Promise<Console> {
  const given = inject("console");
  const { isSignedIn = true, mayComplainOf, at = given, ...look } = options;
  const { browser: address, recorderUrl } = given;
  const { url, operatorKey } = at;
  const operator = new ApiClient(url, operatorKey, fetchApi);
  const { key } = await operator.must<{ key: string }>("POST", "/v1/tenants", { name });
  const api = new ApiClient(url, key, fetchApi);
  const agent = await api.must<{ id: string }>("POST", "/v1/agents", agentOf(new URL(recorderUrl).host));
  const browser = await chromium.connect(address);
  const complaints: string[] = [];
  const openWindow = async (more: BrowserContextOptions, entered: boolean): Promise<Page> =>
    await watchedPage(
      browser,
      { viewport: DESKTOP, baseURL: url, reducedMotion: "reduce", ...more },
      entered ? key : null,
      complaints,
    );
  const page = await openWindow(look, isSignedIn);
  return {
    page,
    url,
    key,
    api,
    agent: agent.id,
    recorderUrl,
    async makeTask(title, replies, more = {}) {
      const input = `${title}\n${JSON.stringify({ replies })}`;
      return (await api.must<{ id: string }>("POST", "/v1/tasks", { input, agent: agent.id, ...more })).id;
    },
    async open(path) {
      await page.goto(path);
      await page.locator("#page-title").waitFor();
    },
    another: async (more = {}) => await openWindow({ ...look, ...more }, true),
    async close() {
      await browser.close();
      const others = complaints.filter((complaint) => mayComplainOf?.test(complaint) !== true);
      expect(others, "what the pages complained of").toEqual([]);
    },
  };
}

/** Fails when axe finds anything on the page as it is. */
export async function expectAccessible(page: Page): Promise<void> {
  // After a change of theme, elements that were not redrawn still have the colours of the theme before.
  await page.mouse.move(0, 0);
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))",
  );
  // Evaluated by the debugger's way, which the page's policy does not judge. Once for each document: axe is half a megabyte.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE);
  const { violations } = await page.evaluate(
    async (settings) =>
      await (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run(settings),
    AXE_OPTIONS,
  );
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html.slice(0, 300)}\n  ${failureSummary ?? ""}`),
  );
  expect(found, `axe on ${page.url()}`).toEqual([]);
}

/** Fails when the page is wider than its window. */
export async function expectNoSidewaysScrolling(page: Page): Promise<void> {
  const [width, room] = await page.evaluate<[number, number]>(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  );
  expect(width, `${page.url()} is wider than its window`).toBeLessThanOrEqual(room);
}

/** Keeps a picture of the whole page where OTTO_SCREENSHOTS names a folder. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env["OTTO_SCREENSHOTS"];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** Fails when a page is too wide or not accessible, wide and in the light, or on a phone and in the dark. Keeps pictures of both. */
export async function expectFit(page: Page, name: string): Promise<void> {
  for (const [look, theme, size] of [
    ["desk", "light", DESKTOP],
    ["phone", "dark", PHONE],
  ] as const) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: theme });
    await takePicture(page, `${name}-${look}-${theme}`);
    await expectNoSidewaysScrolling(page);
    await expectAccessible(page);
  }
  await page.setViewportSize(DESKTOP);
}

/** Fails when a page is too wide or not accessible on a phone, a tablet or a desk. Keeps a picture of each. */
export async function expectWidths(page: Page, name: string): Promise<void> {
  for (const width of [320, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await takePicture(page, `${name}-${width}`);
    await expectNoSidewaysScrolling(page);
    await expectAccessible(page);
  }
  await page.setViewportSize(DESKTOP);
}

async function watchedPage(
  browser: Browser,
  options: BrowserContextOptions,
  key: string | null,
  complaints: string[],
): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(WAIT_MS);
  if (key !== null) {
    const entered = await context.request.post("/v1/session", {
      data: { key },
      headers: { origin: options.baseURL ?? "" },
    });
    if (!entered.ok()) throw new Error(`signing in answered ${entered.status()}: ${await entered.text()}`);
  }
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(`threw ${error.message}`));
  page.on("console", (message) => {
    // The browser's own line for every answer that is no success; what becomes of it is the page's matter.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(options.baseURL ?? "") && !/^(blob|data):/.test(request.url()))
      complaints.push(`asked for ${request.url()}`);
  });
  return page;
}

function agentOf(recorderHost: string): object {
  return {
    name: "console",
    instructions: "Follow the script.",
    tools: ["*"],
    permissions: ["read", "write", "exec", "network"],
    allowed_domains: ["*"],
    approval: { dangerous: "allow", rules: [{ tool: "http_request", decision: "ask" }] },
    idempotent_hosts: [recorderHost],
  };
}
