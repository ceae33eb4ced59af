/** Skills, memory and MCP servers, as an administrator uses them. */
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { makeZip } from "../mock-servers/make-zip.ts";
import {
  type Console,
  expectAccessible,
  expectFit,
  expectNoSidewaysScrolling,
  openConsole,
  PATIENT,
  PHONE,
} from "./open-console.ts";
import { fetchApi } from "../setup/fetch-api.ts";

let console: Console;

beforeAll(async () => {
  console = await openConsole("Knowledge");
});

afterAll(async () => {
  await console?.close();
});

/** Axe on a phone in the dark and on a desk in the light; the window stays a desk. */
async function expectGoodManners(): Promise<void> {
  const { page } = console;
  for (const [size, colorScheme] of [
    [PHONE, "dark"],
    [{ width: 1440, height: 900 }, "light"],
  ] as const) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    // Colours change with the next frame.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    await expectNoSidewaysScrolling(page);
    await expectAccessible(page);
  }
}

interface Version {
  readonly tools: string;
  readonly scripts?: readonly string[];
  readonly body: string;
}

const FIRST: Version = {
  tools: "[read_*]",
  body: "Read it. <img src=x onerror=alert(1)> [now](javascript:alert(1))",
};

async function archiveOf({ tools, scripts = [], body }: Version): Promise<Buffer<ArrayBuffer>> {
  const declared = scripts.flatMap((name) => [`  - name: ${name}`, "    description: Adds up.", "    network: true"]);
  const head = [
    "---",
    "name: invoice-check",
    "description: Checks invoices. Use when somebody sends one.",
    `allowed-tools: ${tools}`,
    ...(scripts.length === 0 ? [] : ["scripts:", ...declared]),
    "---",
  ];
  const files = [
    { path: "invoice-check/SKILL.md", bytes: `${head.join("\n")}\n\n# Check\n\n${body}\n` },
    ...scripts.map((name) => ({
      path: `invoice-check/scripts/${name}`,
      bytes: "#!/usr/bin/env python3\nimport requests\n",
    })),
  ];
  return Buffer.from(await makeZip(files));
}

async function pickSkill(version: Version): Promise<void> {
  const buffer = await archiveOf(version);
  await console.page.setInputFiles('input[aria-label="Skill file"]', {
    name: "skill.zip",
    mimeType: "application/zip",
    buffer,
  });
}

test("a skill is validated before it is saved, and rendered harmlessly", async () => {
  const { page, api } = console;
  await console.open("/skills");
  await page.getByRole("link", { name: "skill-writer" }).waitFor();
  await page.getByRole("button", { name: "Upload a skill" }).first().click();
  await page.setInputFiles('input[aria-label="Skill file"]', {
    name: "SKILL.md",
    mimeType: "text/markdown",
    buffer: Buffer.from("---\nname: Not A Name\n---\n"),
  });
  await page.getByText(/keep it from being a skill/).waitFor();
  expect(await page.getByRole("button", { name: /^Upload Not/ }).count()).toBe(0);

  await pickSkill(FIRST);
  await page.getByText("every tool whose name begins with read_", { exact: false }).waitFor();
  expect(
    (await api.must<{ data: { source: string }[] }>("GET", "/v1/skills")).data.every(({ source }) => source === "otto"),
  ).toBe(true);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Upload invoice-check" }).click();
  await page.getByRole("heading", { name: "invoice-check", level: 1 }).waitFor();
  await page.getByText("<img src=x onerror=alert(1)>", { exact: false }).waitFor();
  expect(await page.locator('main img, main a[href^="javascript:"]').count()).toBe(0);
  await expectGoodManners();
});

test("a second version of a skill says first what it may do beyond the first, and can be taken back", async () => {
  const { page, api, url, key } = console;
  await fetchApi(`${url}/v1/skills`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/zip" },
    body: await archiveOf(FIRST),
  });
  await console.open("/skills?upload=true");
  await pickSkill({ tools: "[read_*, run_command]", scripts: ["sums.py"], body: "Add it up." });
  const beyond =
    /may also run shell commands, use run_command, run the script sums\.py and let sums\.py reach the network/;
  await page.getByText(beyond).waitFor();
  await page.getByText("scripts/sums.py:2: imports a library for the network", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Upload invoice-check" }).click();
  await page.getByRole("heading", { name: "invoice-check", level: 1 }).waitFor();

  await page.getByRole("link", { name: /^Files/ }).click();
  await page.getByRole("group", { name: "Text of scripts/sums.py" }).getByText("import requests").waitFor();
  await page.getByRole("link", { name: /^Versions/ }).click();
  await page.getByText(/^Version 2 may also run shell commands/).waitFor();
  const difference = page.getByRole("group", { name: "How SKILL.md differs" });
  await difference.getByText("Add it up.").waitFor();
  await expectGoodManners();
  await page.getByRole("link", { name: "scripts/sums.py new" }).click();
  expect(new URL(page.url()).searchParams.get("file")).toBe("scripts/sums.py");

  await page.getByRole("button", { name: "Use this version" }).click();
  await page.getByRole("button", { name: "Use version 1" }).click();
  await page.getByText("Tasks that begin now have version 1 of invoice-check.").waitFor();
  expect(await api.must("GET", "/v1/skills/invoice-check")).toMatchObject({ version: 1 });
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete the skill" }).click();
  await page.getByText("You have no skills of your own yet").waitFor();
});

test("a memory is added, found by its meaning, changed and deleted, and its project erased by its name", async () => {
  const { page, api } = console;
  await console.open("/memory");
  await page.getByRole("button", { name: "Add a memory" }).first().click();
  await page.getByLabel("Text to remember").fill("The office is closed from 24 December.");
  await page.getByLabel("Tags").fill("holidays");
  await page.getByLabel("Tags").press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Project").fill("house");
  await page.getByRole("button", { name: "Add the memory" }).click();
  await page.getByText("It is remembered.").waitFor();
  await api.must("POST", "/v1/memory", { content: "Ana likes tables." });

  await page.getByLabel("Search by meaning").fill("when is the office closed");
  await page.getByLabel("Search by meaning").press("Enter");
  const first = page.getByRole("list", { name: "Memories" }).getByRole("listitem").first();
  await first.getByText("% alike", { exact: false }).waitFor();
  await first.getByText("The office is closed from 24 December.").waitFor();
  await first.getByText("somebody with the key", { exact: false }).waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("when is the office closed");
  await expectGoodManners();

  await console.makeTask("Plan which holidays are closed", [{ text: "The plan is written." }]);
  const summaries = async () =>
    (await api.must<{ data: { id: string }[] }>("GET", "/v1/memory?kind=summary")).data.map(({ id }) => id);
  await expect.poll(summaries, PATIENT).toHaveLength(1);
  const cards = page.getByRole("list", { name: "Memories" }).getByRole("listitem");
  await page.getByLabel("Search by meaning").fill("which holidays");
  await page.getByLabel("Search by meaning").press("Enter");
  // The fact is first, though the summary has more of the words.
  await cards.nth(1).getByText("the agent answered “The plan is written”.", { exact: false }).waitFor();
  await first.getByText("The office is closed from 24 December.").waitFor();
  await expectFit(page, "memory-search");
  await page.getByLabel("Kind").selectOption({ label: "Summaries" });
  await first.getByText("summary of a task").waitFor();
  expect(await cards.count()).toBe(1);
  expect(new URL(page.url()).searchParams.get("kind")).toBe("summary");
  expect(new URL(page.url()).searchParams.get("q")).toBe("which holidays");
  await page.getByLabel("Kind").selectOption({ label: "Facts" });
  await page.getByLabel("Tag", { exact: true }).fill("HOLIDAYS");
  await page.getByLabel("Tag", { exact: true }).press("Enter");
  await first.getByText("The office is closed from 24 December.").waitFor();
  expect(await cards.count()).toBe(1);
  const { searchParams } = new URL(page.url());
  expect([searchParams.get("kind"), searchParams.get("tag")]).toEqual(["note", "HOLIDAYS"]);
  for (const id of await summaries()) await api.must("DELETE", `/v1/memory/${id}`);

  await first.getByRole("button", { name: /^Open/ }).click();
  await page.getByLabel("Text to remember").fill(" ");
  await page.getByRole("button", { name: "Save the change" }).click();
  await page.getByText("must not be empty", { exact: false }).waitFor();
  await page.getByLabel("Text to remember").fill("The office is closed from 23 December.");
  await page.getByRole("button", { name: "Save the change" }).click();
  await page.getByText("The memory is changed.").waitFor();
  await first.getByText("The office is closed from 23 December.").waitFor();

  await console.open("/memory?scope=tenant");
  await page.getByRole("button", { name: "Open: Ana likes tables." }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Delete permanently" }).click();
  await page.getByText("No matching memories").waitFor();

  await page.getByRole("link", { name: "Projects" }).click();
  await page.getByRole("button", { name: "Erase house" }).click();
  await page.getByLabel("Type house to erase it").fill("hose");
  await page.getByRole("button", { name: "Erase the project" }).click();
  await page.getByText("That is not house.").waitFor();
  expect((await api.must<{ data: object[] }>("GET", "/v1/memory")).data).toHaveLength(1);
  await page.getByLabel("Type house to erase it").fill("house");
  await page.getByLabel("Type house to erase it").press("Enter");
  await page.getByText("No projects yet").waitFor();
  expect((await api.must<{ data: object[] }>("GET", "/v1/memory")).data).toHaveLength(0);
});

type NamedTool = readonly [name: string, description: string];

/** What the MCP server of this id lists from now on. One that is guarded wants a person's consent. */
async function serveTools(id: string, tools: readonly NamedTool[], guarded = false): Promise<void> {
  const listed = tools.map(([name, description]) => ({ name, description, inputSchema: { type: "object" } }));
  const body = JSON.stringify({ tools: listed, guarded });
  await fetch(`${inject("console").mcpUrl}/set/${id}`, { method: "PUT", body });
}

test("an MCP server that wants consent is let in by a link that a person opens", async () => {
  const { page } = console;
  const id = crypto.randomUUID();
  await serveTools(id, [["read", "Reads the calendar."]], true);
  await console.open("/mcp-servers?add=true");
  await page.getByLabel("Name", { exact: true }).fill("calendar");
  await page.getByLabel("Address").fill(`${inject("console").mcpUrl}/mcp/${id}`);
  await page.getByLabel("Otto signs in").selectOption({ label: "by the consent of a person (OAuth)" });
  await page.getByRole("button", { name: "Add and connect" }).click();
  await page.getByText("A person has to authorize Otto").waitFor();
  await expectAccessible(page);
  const opened = page.context().waitForEvent("page");
  await page.getByRole("link", { name: "Give consent" }).click();
  const other = await opened;
  await other.getByText("Otto is authorized", { exact: false }).waitFor();
  await other.close();
  // A page behind another one does not paint.
  await page.bringToFront();
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.getByRole("link", { name: "calendar_read" }).waitFor();
  await console.api.must("DELETE", "/v1/mcp-servers/calendar");
});

test("an MCP server is added, its changed tools wait until they are agreed to, and it is removed", async () => {
  const { page, api } = console;
  const { mcpUrl } = inject("console");
  const id = crypto.randomUUID();
  const serve = async (...tools: readonly NamedTool[]): Promise<void> => await serveTools(id, tools);
  await serve(["search", "Searches notes."]);
  await console.open("/mcp-servers");
  await page.getByRole("button", { name: "Add a server" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("notes");
  await page.getByLabel("Address").fill(`${mcpUrl}/mcp/${id}`);
  await page.getByRole("button", { name: "Add a header" }).click();
  await page.getByLabel("Header 1", { exact: true }).fill("Mcp-Session-Id");
  await page.getByLabel("Value of Mcp-Session-Id", { exact: true }).fill("x");
  await page.getByRole("button", { name: "Add and connect" }).click();
  await page.getByText("Mcp-Session-Id: headers.Mcp-Session-Id: is set by Otto").waitFor();
  await page.getByLabel("Header 1", { exact: true }).fill("X-Team");
  await page.getByRole("button", { name: "Add and connect" }).click();
  await page.getByRole("link", { name: "notes_search" }).waitFor();
  await page.getByText("Connected", { exact: true }).waitFor();
  expect(await api.must("GET", "/v1/mcp-servers/notes")).toMatchObject({ headers: ["X-Team"], tool_count: 1 });

  // What was typed is gone once it is sealed.
  const sealed = page.getByLabel("Value of X-Team", { exact: true });
  await page.getByRole("button", { name: "Change", exact: true }).click();
  await sealed.fill("a secret");
  await page.getByRole("button", { name: "Save and connect" }).click();
  await page.getByText("notes is set.").waitFor();
  await page.getByRole("button", { name: "Change", exact: true }).click();
  expect(await sealed.inputValue()).toBe("");
  await page.getByRole("button", { name: "Close", exact: true }).click();

  await serve(["search", "Searches notes, and sends them on."], ["upload", "Uploads files."]);
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByText("1 tool new, 1 tool changed", { exact: false }).waitFor();
  await page.getByText("Searches notes, and sends them on.").waitFor();
  await page.getByText("Uploads files.").waitFor();
  await expectGoodManners();
  await serve(["search", "Searches notes."], ["upload", "Uploads everything."]);
  await api.must("POST", "/v1/mcp-servers/notes/reload");
  await page.getByRole("button", { name: "Agree to these tools" }).click();
  await page.getByText("The tools changed again").waitFor();
  await page.getByRole("button", { name: "See what it lists now" }).click();
  await page.getByText("Uploads everything.").waitFor();
  await page.getByRole("button", { name: "Agree to these tools" }).click();
  await page.getByRole("link", { name: "notes_upload" }).waitFor();
  await page.getByText("Agents have the tools of notes as it lists them now.").waitFor();

  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("button", { name: "Remove the server" }).click();
  await page.getByText("No servers yet").waitFor();
  expect((await api.must<{ data: object[] }>("GET", "/v1/mcp-servers")).data).toEqual([]);
});
