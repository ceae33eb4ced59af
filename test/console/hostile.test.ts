/** What models, tools, files and strangers write may be meant to take the page over, to deceive its reader, or to stop it. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Console, expectNoSidewaysScrolling, openConsole, PATIENT, PHONE } from "./open-console.ts";
import { fetchApi } from "../setup/fetch-api.ts";

/** Marks the window that runs it. */
const RUN = "top.isTaken=1";
/** Reverses the text after it, including neighbouring text unless it is isolated. */
const TURN = "\u202e";
const OPEN = "\u2066\u2067\u202b";
const UNSEEN = "\u200b\u200d\u2060\ufeff\u00ad";
const TITLE = `<img src=x onerror=${RUN}> ${OPEN}${TURN}gpj.exe${UNSEEN}`;
const MARKUP = [
  "&lt;script&gt; &nbsp;&amp;&mdash;&#x202e;&#8238;",
  `<script>${RUN}</script><img src=x onerror="${RUN}"><svg onload="${RUN}"><iframe srcdoc="<script>${RUN}</script>">`,
  `[press](javascript:${RUN}) [or](data:text/html,<script>${RUN}</script>) <javascript:${RUN}> [or](JaVaScRiPt&colon;${RUN})`,
  `[or][this]\n\n[this]: javascript:${RUN}\n\n![seen](https://nobody.example/seen.png) ![or](data:image/svg+xml,<svg/onload=${RUN}>)`,
  `https://example.com/${TURN}gpj.exe and [https://example.com](https://nobody.example)`,
  `${OPEN}${TURN}turned${UNSEEN} \u001b[31mred\u001b[0m\u0007 \u001b]8;;https://nobody.example\u0007link`,
  "| a | b |\n|---|---|\n| <script> | `<script>` |\n",
].join("\n\n");
/** Texts that take a careless page seconds, and how often. */
const HEAVY: readonly (readonly [string, number])[][] = [
  [["a", 140_000]],
  [[">", 5_000]],
  [["- ", 5_000]],
  [
    ["[", 5_000],
    ["]", 5_000],
  ],
  [
    ["|a", 500],
    ["|\n", 1],
    ["|-", 500],
    ["|\n", 1],
    ["b\n", 500],
  ],
  [["*a_ ", 4_000]],
  [
    ["👍", 1],
    ["🏽", 25_000],
  ],
  [["\u202e", 20_000]],
];
const ARGUMENTS = JSON.parse(
  `{"__proto__": {"isTaken": 1}, "constructor": "${RUN}", "toString": 1, "<script>${RUN}</script>": "<img src=x onerror=${RUN}>"}`,
) as object;
const LINE = "line.txt";
const FILE = `<img src=x onerror=${RUN}>.md`;
const TURNED_FILE = `${TURN}gnp.txt`;

let console: Console;

beforeAll(async () => {
  console = await openConsole("Hostile");
});

afterAll(async () => {
  await console?.close();
});

/** Nothing ran, every link leads where one may go, nothing is fetched, and the page is no wider than its window. */
async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate("[top.isTaken, ({}).isTaken]")).toEqual([undefined, undefined]);
  const links = await page.evaluate<string[]>("[...document.links].map((link) => link.getAttribute('href'))");
  expect(links.filter((href) => !/^(https?:\/\/|mailto:|[/#])/.test(href))).toEqual([]);
  const foreign = "script:not([src]), iframe, object, embed, [onerror], [onload], main img, main svg script";
  expect(await page.locator(foreign).count()).toBe(0);
  expect(await page.title()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  expect(await page.locator("body").innerText()).not.toContain(TURN);
  const size = page.viewportSize();
  await page.setViewportSize(PHONE);
  await expectNoSidewaysScrolling(page);
  if (size !== null) await page.setViewportSize(size);
}

async function put(task: string, path: string, text: string): Promise<void> {
  const headers = { authorization: `Bearer ${console.key}`, "content-type": "text/plain" };
  const answer = await fetchApi(`${console.url}/v1/tasks/${task}/files/${path}`, {
    method: "PUT",
    headers,
    body: text,
  });
  expect(answer.status).toBe(201);
}

async function openEverything(page: Page): Promise<void> {
  // Steps, then the calls in them, then what is cut of their texts.
  const main = page.locator("main");
  for (const folded of [
    main.getByRole("button", { name: /^Steps \d/, expanded: false }),
    main.getByRole("button", { expanded: false }),
    main.getByRole("button", { name: /^Show the/ }),
  ])
    for (let left = await folded.count(); left > 0; left -= 1) await folded.first().click();
}

test("a task with a hostile model, calls and results is rendered harmlessly, in its page and in the list", async () => {
  const { page, api, recorderUrl } = console;
  const replies = [
    {
      text: MARKUP,
      calls: [{ name: "evaluate_expression", arguments: { expression: `<script>${RUN}</script>${TURN}` } }],
    },
    { text: MARKUP, calls: [{ name: `<img src=x onerror=${RUN}>`, arguments: ARGUMENTS }] },
    { calls: [{ name: "fs.write", arguments: { path: FILE, content: MARKUP } }] },
    { calls: [FILE, LINE].map((filename) => ({ name: "read_file", arguments: { filename } })) },
    { calls: [{ name: "http.get", arguments: { url: `${recorderUrl}/${encodeURIComponent(`<script>${TURN}`)}` } }] },
    ...HEAVY.map((parts) => ({ parts, calls: [{ name: "get_current_datetime", arguments: {} }] })),
    { text: `${MARKUP}\n\nThe end of it.` },
  ];
  const task = await console.makeTask(TITLE, replies, { hold: true, budget: { max_steps: replies.length } });
  await put(task, LINE, "a".repeat(1_000_000));
  await put(task, encodeURIComponent(TURNED_FILE), `a ${TURN}b`);
  await api.must("POST", `/v1/tasks/${task}/start`);
  const plain = await console.makeTask("An honest title", [{ text: "Done." }]);
  for (const id of [task, plain]) await expect.poll(async () => (await api.task(id)).status, PATIENT).toBe("completed");

  await console.open("/tasks");
  await page.getByText("An honest title").waitFor();
  const row = page.locator("[data-row]", { hasText: "gpj.exe" });
  expect(await row.textContent()).not.toContain(TURN);
  // The row reads from left to right, whatever its title wants.
  const box = await page.locator("li", { has: row }).getByText("Completed", { exact: true }).boundingBox();
  expect(box?.x).toBeGreaterThan((await row.boundingBox())?.x ?? Number.NaN);
  await expectHarmless(page);

  await row.click();
  await page.getByText("The end of it.").waitFor();
  await openEverything(page);
  await expectHarmless(page);
  // It answers still.
  const call = page.locator("main button[aria-expanded=true]").last();
  await call.click();
  await page.getByRole("link", { name: "Files", exact: true }).click();
  await page.getByText(FILE).first().click();
  await page.getByText("turned").first().waitFor();
  await expectHarmless(page);
  await page.getByText("⟨U+202E⟩gnp.txt").first().click();
  await page.getByText("a ⟨U+202E⟩b").waitFor();
  await expectHarmless(page);
  await page.getByText(LINE).first().click();
  await page
    .getByText(/aaaaaaaa/)
    .first()
    .waitFor();
  await expectHarmless(page);
  for (const view of ["tree", "time", "budget"]) {
    await console.open(`/tasks/${task}?view=${view}`);
    await expect
      .poll(async () => await page.locator('[role="status"][aria-label^="Loading"]').count(), PATIENT)
      .toBe(0);
    await expectHarmless(page);
  }
});

test("a hostile app and a hostile name of an account are rendered harmlessly, also in the dialogs", async () => {
  const { page, api, recorderUrl } = console;
  const paths = { "/me": { get: { operationId: "me", responses: { 200: { description: "OK" } } } } };
  const openapi = { openapi: "3.1.0", info: { title: TITLE, version: "1" }, servers: [{ url: recorderUrl }], paths };
  const connect = { kind: "bearer", fields: [{ name: "token", label: TITLE }] };
  await api.must("POST", "/v1/tools/import", { name: "hostile", openapi, connect });
  await console.open("/connections");
  await page.getByText("gpj.exe").first().waitFor();
  await expectHarmless(page);
  await page.getByRole("button", { name: "Connect an account" }).click();
  await page.getByLabel("Name (optional)").fill(`<b>${OPEN}${TURN}eman${UNSEEN}`);
  await expectHarmless(page);
  const opening = page.context().waitForEvent("page");
  await page.getByRole("dialog").getByRole("button", { name: "Connect", exact: true }).click();
  const window = await opening;
  await window.locator("input[type=password]").fill("canary");
  await window.getByRole("button", { name: "Connect" }).click();
  await window.getByText("You may close this window.").waitFor();
  expect(await window.evaluate("[top.isTaken, ({}).isTaken]")).toEqual([undefined, undefined]);
  await window.close();
  await page.getByRole("table", { name: "Connections" }).getByText("Connected", { exact: true }).waitFor();
  await expectHarmless(page);
  for (const action of ["Change", "Disconnect"]) {
    await page.getByRole("button", { name: new RegExp(`^${action} `) }).click();
    await page.getByRole("dialog").waitFor();
    await expectHarmless(page);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
});

test("a hostile question and a hostile action are rendered harmlessly where they are decided", async () => {
  const { page, api, recorderUrl } = console;
  const choices = [`<script>${RUN}</script>`, `${TURN}seY`, "No"];
  const asks = await console.makeTask(`${OPEN}${TURN}Asks`, [
    { calls: [{ name: "ask_human", arguments: { query: MARKUP, choices } }] },
  ]);
  const body = `${TURN}${UNSEEN}${MARKUP}`;
  const acts = await console.makeTask(`Acts ${TITLE}`, [
    { calls: [{ name: "http_request", arguments: { url: `${recorderUrl}/`, method: "POST", body } }] },
  ]);
  for (const id of [asks, acts]) await expect.poll(async () => (await api.task(id)).pending.length, PATIENT).toBe(1);
  await console.open("/inbox");
  await expect.poll(async () => await page.getByRole("article").count(), PATIENT).toBe(2);
  await page.getByText("U+202E right-to-left override").first().waitFor();
  await expectHarmless(page);
  for (const [id, action] of [
    [asks, "No"],
    [acts, "Refuse"],
  ] as const) {
    await console.open(`/tasks/${id}`);
    await page.getByRole("button", { name: action, exact: true }).waitFor();
    await expectHarmless(page);
    await page.getByRole("button", { name: action, exact: true }).click();
  }
  await page.getByRole("button", { name: "Refuse it" }).click();
  await page.getByText("Refused. The agent gets your reason.").waitFor();
  await expect.poll(async () => (await api.task(asks)).status, PATIENT).toBe("completed");
});
