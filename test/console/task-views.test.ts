/** The views of a task beside its timeline: its tree, its times, its files. */
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LedgerBody } from "../drill/api-client.ts";
import { makePdf, PNG, makeScannedPdf } from "../mock-servers/picture-files.ts";
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
import { fetchApi } from "../setup/fetch-api.ts";

/** Marks the window that runs it. */
const HOSTILE_SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="80" onload="top.isTaken=1"><script>top.isTaken=1;document.title="taken"</script><rect width="120" height="80" fill="teal"/></svg>`;
const HOSTILE_HTML = `<!doctype html><script>top.isTaken=1</script><img src=x onerror="top.isTaken=1"><h1>Hello</h1>`;
const PLAN = `# The plan\n\n**All** of it, <img src=x onerror="top.isTaken=1"> and [this](javascript:top.isTaken=1).\n`;

/** In the lower half of the page that is drawn. */
const COLOUR_OF_SCAN = `(() => {
  const canvas = document.querySelector("canvas");
  return [...canvas.getContext("2d").getImageData(canvas.width / 2, canvas.height * 0.75, 1, 1).data];
})()`;

let console: Console;

beforeAll(async () => {
  console = await openConsole("Task views");
});

afterAll(async () => {
  await console?.close();
});

/** A call that hands a part of the work to a subtask. */
function part(title: string, replies: readonly object[]) {
  const task_description = `${title}\n${JSON.stringify({ replies })}`;
  return { name: "dispatch_subagent", arguments: { task_description } };
}

async function expectGoodInBothLooks(name: string): Promise<void> {
  const { page } = console;
  for (const [size, theme] of [
    [PHONE, "dark"],
    [DESKTOP, "light"],
  ] as const) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: theme });
    await takePicture(page, `${name}-${theme}`);
    await expectNoSidewaysScrolling(page);
    await expectAccessible(page);
  }
}

async function ended(task: string): Promise<void> {
  await expect
    .poll(async () => (await console.api.must<{ status: string }>("GET", `/v1/tasks/${task}`)).status, PATIENT)
    .toBe("completed");
}

async function put(task: string, path: string, bytes: string | Buffer): Promise<void> {
  const { url, key } = console;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/octet-stream" };
  const answer = await fetchApi(`${url}/v1/tasks/${task}/files/${path}`, { method: "PUT", headers, body: bytes });
  expect(answer.status).toBe(201);
}

test("the tree of a task shows its subtasks as they come, is walked by keyboard, and opens one", async () => {
  const { page } = console;
  const inner = part("Count the boxes", [{ text: "Seven." }]);
  const task = await console.makeTask("Take stock", [
    {
      calls: [
        part("Visit the north", [{ calls: [inner] }, { text: "Done." }]),
        part("Visit the south", [{ text: "Done." }]),
      ],
    },
    { text: "All counted." },
  ]);
  await console.open(`/tasks/${task}?view=tree`);
  const item = (name: RegExp) => page.getByRole("treeitem", { name });
  await item(/Count the boxes.*Completed/).waitFor();
  await expect.poll(async () => await page.getByRole("treeitem").count(), PATIENT).toBe(4);
  expect(await item(/Take stock/).getAttribute("aria-current")).toBe("page");
  expect(await item(/Count the boxes/).getAttribute("aria-level")).toBe("3");
  await expectGoodInBothLooks("task-tree");
  await item(/Take stock/).focus();
  await page.keyboard.type("v");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(async () => await page.getByRole("treeitem").count(), PATIENT).toBe(1);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await item(/Visit the/)
    .first()
    .waitFor();
  await page.keyboard.press("End");
  const last = await page.evaluate<string>("document.activeElement.textContent");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => !url.pathname.endsWith(task));
  await expect.poll(async () => last.includes(await page.locator("h1").innerText()), PATIENT).toBe(true);
  await expect
    .poll(async () => await page.locator('[role="treeitem"][aria-current="page"]').getAttribute("data-task"), PATIENT)
    .not.toBe(task);
});

test("the waterfall has a bar for every call of the ledger, and shows what waits for a person", async () => {
  const { page, api } = console;
  const write = (number: number) => ({ name: "write_file", arguments: { filename: `n${number}.txt`, content: "x" } });
  const task = await console.makeTask("Ask and write", [
    { calls: [1, 2, 3, 4].map(write) },
    { calls: [{ name: "ask_human", arguments: { query: "Go on?" } }] },
    { text: "Gone on." },
  ]);
  await console.open(`/tasks/${task}?view=time`);
  await page.getByRole("button", { name: /Waiting for an answer/ }).waitFor();
  const { data } = await api.must<{ data: LedgerBody[] }>("GET", `/v1/tasks/${task}/ledger`);
  expect(data).toHaveLength(5);
  for (const { call_id } of data)
    await expect.poll(async () => await page.locator(`[data-bar="${call_id}"]`).count(), PATIENT).toBe(1);
  const steps = page.getByRole("meter", { name: "Steps" });
  await expect.poll(async () => await steps.getAttribute("aria-valuetext"), PATIENT).toBe("2 of 10");
  await page.locator(`[data-bar="${data[0]?.call_id}"]`).focus();
  await page.getByText("Tool: write_file").waitFor();
  await page.keyboard.press("End");
  await page.getByText("Runs since", { exact: true }).waitFor();
  const table = page.getByRole("table", { name: "Calls and waits with their numbers" });
  await page.getByLabel("Order of the calls").selectOption("duration");
  await expect.poll(async () => await table.getByRole("row").count(), PATIENT).toBe(data.length + 2 + 1 + 1);
  await expectGoodInBothLooks("task-time");
});

test("files are seen, downloaded byte for byte, replaced, deleted and brought back; nothing in them runs", async () => {
  const { page } = console;
  const pdf = makePdf(["The first page", "The second page"]);
  const task = await console.makeTask("Keep my files", [{ text: "Kept." }], { hold: true });
  await put(task, "notes/plan.md", PLAN);
  await put(task, "numbers.csv", 'name,note\nOne,"a, b"\n');
  await put(task, "photo.png", PNG);
  await put(task, "paper.pdf", pdf);
  await put(task, "scan.pdf", makeScannedPdf());
  await put(task, "evil.svg", HOSTILE_SVG);
  await put(task, "page.html", HOSTILE_HTML);
  await console.open(`/tasks/${task}?view=files`);
  const choose = async (name: string): Promise<void> => {
    await page.getByRole("link", { name: new RegExp(`^${name}`) }).click();
    await page.getByRole("heading", { name: new RegExp(`${name}$`) }).waitFor();
  };

  await choose("plan.md");
  await page.getByText("The plan", { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get("file")).toBe("notes/plan.md");
  expect(await page.locator("main img").count()).toBe(0);
  await expectGoodInBothLooks("task-file-markdown");
  await choose("numbers.csv");
  await expect.poll(async () => await page.getByRole("cell").allInnerTexts(), PATIENT).toEqual(["One", "a, b"]);
  for (const picture of ["photo.png", "evil.svg"]) {
    await choose(picture);
    await page.getByRole("img", { name: `Content of ${picture}` }).waitFor();
    await expect
      .poll(async () => await page.evaluate("document.querySelector('main img').naturalWidth"), PATIENT)
      .toBeGreaterThan(1);
  }
  await choose("page.html");
  await page.getByText("top.isTaken=1").first().waitFor();
  await choose("paper.pdf");
  await page.getByText("Text of page 1").click();
  await page
    .getByRole("region", { name: /^Text of page 1/ })
    .getByText("The first page")
    .waitFor();
  await page.getByRole("button", { name: "Next page" }).click();
  await page.getByText("Text of page 2").waitFor();
  await expectGoodInBothLooks("task-file-pdf");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("paper.pdf");
  expect((await buffer(await download.createReadStream())).equals(pdf)).toBe(true);

  await choose("scan.pdf");
  await page.getByText("Text of page 1").click();
  await page
    .getByRole("region", { name: /^Text of page 1/ })
    .getByText("日本")
    .waitFor();
  await expect.poll(async () => await page.evaluate(COLOUR_OF_SCAN), PATIENT).toEqual([0, 0, 0, 255]);

  await choose("numbers.csv");
  await page.getByLabel("A file to put in place of numbers.csv").setInputFiles({
    name: "other.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("name\nTwo\n"),
  });
  await page.getByRole("button", { name: "Replace it" }).click();
  await page.getByRole("cell", { name: "Two" }).waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete the file" }).click();
  await page.getByText("File not found").waitFor();
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await page.getByRole("cell", { name: "One" }).waitFor();
  expect(await page.evaluate("window.isTaken")).toBeUndefined();
  expect(await page.title()).toBe("Keep my files · Otto");
});

test("an ended task lists its files, offers no change, and explains the absence of subtasks", async () => {
  const { page } = console;
  const write = { name: "write_file", arguments: { filename: "answer.txt", content: "42" } };
  const task = await console.makeTask("Answer alone", [{ calls: [write] }, { text: "Done." }]);
  await ended(task);
  await console.open(`/tasks/${task}?view=files&file=answer.txt`);
  await page.getByRole("region", { name: "Text of answer.txt" }).getByText("42").waitFor();
  expect(await page.getByRole("button", { name: /Upload|Replace|Delete/ }).count()).toBe(0);
  // As if there were a thousand files before it.
  await page.route(`**/v1/tasks/${task}/files?*`, async (route) => {
    const url = new URL(route.request().url());
    const other = { path: "a.txt", size: 1, modified_at: new Date(0).toISOString() };
    if (!url.searchParams.has("cursor")) return await route.fulfill({ json: { data: [other], next_cursor: "more" } });
    url.searchParams.delete("cursor");
    await route.fulfill({ response: await route.fetch({ url: url.href }) });
  });
  await page.reload();
  await page.getByRole("region", { name: "Text of answer.txt" }).getByText("42").waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await page.getByRole("link", { name: "Subtasks" }).click();
  await page.getByText("This task did its work alone.").waitFor();
});
