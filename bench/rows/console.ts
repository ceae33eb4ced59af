/** What the console's first page loads, how soon one can work in it, and whether it stays quick with much in it. */
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "playwright-core";
import { ApiClient, eachAtOnce, isEnded } from "../../test/drill/api-client.ts";
import { quantile } from "../../test/drill/random.ts";
import { type StartedSystem, startSystem } from "../../test/drill/started-system.ts";
import { startChromium } from "../../test/setup/chromium.ts";
import { type ModelScript, startModelServer, countStep } from "../../test/mock-servers/model-server.ts";
import type { Note, Section } from "./section.ts";

const OURS = "Otto";
const LOADS = 5;
/** What a page asks for once it is shown comes within this time. */
const LATER_MS = 1_500;
const TASKS = 10_000;
const AT_ONCE = 20;
const PROJECTS = 100;
/** As many as an agent may have; two events a call, and those of the step. */
const STEPS = 99;
const CALLS = 10;
const FEWEST_EVENTS = 2_000;
const LAST_WORDS = "The last words of a long task.";
const WAIT_MS = 120_000;

/** Since the navigation, when what the page is for can be pressed or typed into. */
const INTERACTIVE = `(() => {
  const look = () => {
    const place = document.querySelector("[data-row], input[name=key]")?.getBoundingClientRect();
    const hit = place && document.elementFromPoint(place.left + 4, place.top + 4);
    if (hit?.closest("li, label, form")) globalThis.interactiveAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();`;
/** The longest time that scripts, styles and layout kept the page from answering, in milliseconds; the browser tells of 50 and more. */
const LONG_TASKS = `(() => {
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: "longtask" });
})()`;

export const CONSOLE: Section = {
  name: "console",
  once: true,
  rows: [
    {
      key: "js-tasks",
      label: "console, /tasks: JavaScript of the first load, KB gzip",
      digits: 0,
      target: "< 250",
      must: 250,
    },
    { key: "js-sign-in", label: "– /sign-in", digits: 0, target: "< 250", must: 250 },
    {
      key: "interactive-tasks",
      label: "– /tasks, navigation to interactive, ms (p50)",
      digits: 0,
      target: "≤ 1000",
      must: 1_000,
    },
    { key: "interactive-sign-in", label: "– /sign-in", digits: 0, target: "≤ 1000", must: 1_000 },
    { key: "list", label: `list of ${TASKS} tasks: shown, ms (p50)`, digits: 0, target: "≤ 1000", must: 1_000 },
    { key: "list-project", label: "– one project of it, ms (p50)", digits: 0, target: "" },
    {
      key: "list-search",
      label: "– searched (300 ms of it waits for the next letter), ms (p50)",
      digits: 0,
      target: "",
    },
    { key: "events", label: `task of ${FEWEST_EVENTS} events: its last one shown, ms (p50)`, digits: 0, target: "" },
    {
      key: "scroll",
      label: "– all steps open: longest block while scrolling, ms (0: below 50)",
      digits: 0,
      target: "",
    },
  ],
  async measure(stage, note) {
    if (!stage.contenders.some(({ name }) => name === OURS)) return;
    const [model, chrome] = await Promise.all([startModelServer({ script, keepBodies: false }), startChromium()]);
    try {
      const system = await startSystem({
        OPENAI_BASE_URL: model.url,
        OPENAI_API_KEY: "bench",
        OTTO_MODEL: "bench",
        OTTO_REQUESTS_PER_MINUTE: "1000000",
      });
      try {
        const browser = await chromium.connect(chrome.address);
        const looked: Looked = { browser, system, api: new ApiClient(system.url, system.key) };
        await firstLoads(looked, note);
        await longTask(looked, note);
        await longList(looked, note);
      } finally {
        await system.stop();
      }
    } finally {
      await Promise.all([model.close(), chrome.close()]);
    }
  },
};

interface Looked {
  readonly browser: Browser;
  readonly system: StartedSystem;
  readonly api: ApiClient;
}

const script: ModelScript = (messages) => {
  const step = countStep(messages);
  if (step > STEPS) return { text: LAST_WORDS };
  const calls = Array.from({ length: CALLS }, () => ({ name: "get_current_datetime", arguments: {} }));
  return { text: `This is step **${step}**, and it looks at the clock.`, calls };
};

/** Each in a browser that has nothing of it yet. */
async function firstLoads({ browser, system, api }: Looked, note: Note): Promise<void> {
  await api.must("POST", "/v1/tasks", { input: "One to see.", hold: true });
  for (const [name, path, key] of [
    ["tasks", "/tasks", system.key],
    ["sign-in", "/sign-in", null],
  ] as const) {
    const times: number[] = [];
    let bytes = 0;
    for (let load = 0; load < LOADS; load += 1) {
      const page = await openWindow(browser, system.url, key);
      const scripts: Promise<Buffer>[] = [];
      page.on("response", (response) => {
        if (response.request().resourceType() === "script") scripts.push(response.body());
      });
      times.push(await interactiveMs(page, path));
      await sleep(LATER_MS);
      bytes = (await Promise.all(scripts)).reduce((sum, body) => sum + gzipSync(body).length, 0);
      await page.context().close();
    }
    note(`js-${name}`, OURS, bytes / 1_000);
    note(`interactive-${name}`, OURS, quantile(times, 0.5));
  }
}

async function longList({ browser, system, api }: Looked, note: Note): Promise<void> {
  await eachAtOnce(Array.from({ length: TASKS }), AT_ONCE, async (_, index) => {
    const project = `project-${index % PROJECTS}`;
    await api.must("POST", "/v1/tasks", { input: `Piece of work ${index}`, project, hold: true });
  });
  // The index follows within moments, and the page reads its choices once.
  for (;;) {
    const { data } = await api.must<{ data: readonly object[] }>("GET", `/v1/projects?limit=${PROJECTS}`);
    if (data.length === PROJECTS) break;
    await sleep(LATER_MS);
  }
  const times = { list: [] as number[], project: [] as number[], search: [] as number[] };
  const page = await openWindow(browser, system.url, system.key);
  for (let round = 0; round < LOADS; round += 1) {
    times.list.push(await interactiveMs(page, "/tasks"));
    const project = page.getByLabel("Project", { exact: true });
    await page.getByRole("option", { name: `project-${round}`, exact: true }).waitFor({ state: "attached" });
    const only = `[...document.querySelectorAll("[data-row]")].every(({ textContent }) => Number(textContent.split(" ").at(-1)) % ${PROJECTS} === ${round})`;
    times.project.push(await msUntil(page, only, async () => void (await project.selectOption(`project-${round}`))));
    await page.goto("/tasks");
    await page.locator("[data-row]").first().waitFor();
    const sought = `Piece of work ${TASKS / 2 + round}`;
    const found = `document.querySelectorAll("[data-row]").length === 1 && document.querySelector("[data-row]").textContent === "${sought}"`;
    await page.keyboard.press("/");
    times.search.push(await msUntil(page, found, async () => await page.keyboard.insertText(sought)));
  }
  await page.context().close();
  note("list", OURS, quantile(times.list, 0.5));
  note("list-project", OURS, quantile(times.project, 0.5));
  note("list-search", OURS, quantile(times.search, 0.5));
}

async function longTask({ browser, system, api }: Looked, note: Note): Promise<void> {
  const path = `/tasks/${await makeLongTask(api)}`;
  const page = await openWindow(browser, system.url, system.key);
  const isShown = `document.querySelector("main")?.textContent.includes(${JSON.stringify(LAST_WORDS)})`;
  const times: number[] = [];
  for (let round = 0; round < LOADS; round += 1)
    times.push(await msUntil(page, isShown, async () => void (await page.goto(path, { waitUntil: "commit" }))));
  note("events", OURS, quantile(times, 0.5));
  const folded = page.getByRole("button", { name: /^Steps \d/, expanded: false });
  for (let left = await folded.count(); left > 0; left -= 1) await folded.first().click();
  await page.evaluate("scrollTo(0, 0)");
  await sleep(LATER_MS);
  await page.evaluate(LONG_TASKS);
  for (let isAtEnd = false; !isAtEnd; ) {
    await page.mouse.wheel(0, 1_500);
    await sleep(50);
    isAtEnd = await page.evaluate<boolean>("scrollY + innerHeight >= document.documentElement.scrollHeight - 5");
  }
  note("scroll", OURS, await page.evaluate<number>("globalThis.longest"));
  await page.context().close();
}

/** Gives the id of a task that has ended. */
async function makeLongTask(api: ApiClient): Promise<string> {
  const agent = await api.must<{ id: string }>("POST", "/v1/agents", {
    name: "long",
    instructions: "Work long.",
    tools: ["get_current_datetime"],
    permissions: ["read"],
    budget: { max_steps: STEPS + 1 },
  });
  const { id } = await api.must<{ id: string }>("POST", "/v1/tasks", { input: "Work long.", agent: agent.id });
  await untilOver(api, id);
  const events = await api.events(id);
  if (events.length < FEWEST_EVENTS) throw new Error(`the long task has only ${events.length} events`);
  return id;
}

async function untilOver(api: ApiClient, id: string): Promise<void> {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(200))
    if (isEnded((await api.task(id)).status)) return;
  throw new Error("the long task did not end");
}

async function openWindow(browser: Browser, url: string, key: string | null): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(WAIT_MS);
  if (key !== null) {
    const entered = await context.request.post("/v1/session", { data: { key }, headers: { origin: url } });
    if (!entered.ok()) throw new Error(`signing in answered ${entered.status()}`);
  }
  await context.addInitScript(INTERACTIVE);
  return await context.newPage();
}

async function interactiveMs(page: Page, path: string): Promise<number> {
  await page.goto(path);
  return await msUntil(
    page,
    "globalThis.interactiveAt !== undefined",
    () => Promise.resolve(),
    "globalThis.interactiveAt",
  );
}

/** Milliseconds from an act until the page is as wanted. The page checks after each frame that it renders. */
async function msUntil(page: Page, wanted: string, act: () => Promise<void>, given?: string): Promise<number> {
  const from = performance.now();
  await act();
  const at = await page.evaluate<number | null>(`new Promise((done, fail) => {
    setTimeout(() => fail(new Error("it did not come to this")), ${WAIT_MS});
    const look = () => ((${wanted}) ? done(${given ?? "null"}) : requestAnimationFrame(look));
    look();
  })`);
  return at ?? performance.now() - from;
}
