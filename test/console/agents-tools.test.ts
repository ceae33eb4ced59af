/** Agents and tools as somebody who sets them up meets them: by the form, in words, and tried. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Console,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
  PHONE,
  takePicture,
} from "./open-console.ts";

let console: Console;

beforeAll(async () => {
  console = await openConsole("Agents and tools");
});

afterAll(async () => {
  await console?.close();
});

/** Judged in one theme; the pages as they open are judged in both by another test. */
async function expectGoodLooks(name: string, theme: "light" | "dark" = "light"): Promise<void> {
  const { page } = console;
  await page.emulateMedia({ colorScheme: theme });
  await takePicture(page, `agents-tools-${name}`);
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await expectNoSidewaysScrolling(page);
  await takePicture(page, `agents-tools-${name}-phone`);
  await page.setViewportSize({ width: 1440, height: 900 });
}

describe("an agent", () => {
  test("is made by the form, says in words what it may do, and its versions are compared", async () => {
    const { page } = console;
    await console.open("/agents/new");
    const fill = async (label: string, text: string) => await page.getByLabel(label, { exact: true }).fill(text);
    // What the API refuses stands at its field, and nothing typed is lost.
    await fill("Name", "not a name");
    await fill("Instructions", "Answer the questions of our customers.");
    await page.getByRole("button", { name: "Create agent", exact: true }).click();
    await page.getByText("1 to 64 letters, digits, _ or -", { exact: true }).first().waitFor();
    expect(await page.getByLabel("Instructions", { exact: true }).inputValue()).toContain("customers");
    await fill("Name", "support");
    await page.getByRole("button", { name: "Remove *", exact: true }).click();
    await fill("Add a tool or a pattern", "read_*");
    await page.getByText(/^Fits \d+ tools\.$/).waitFor();
    await page.keyboard.press("Enter");
    await takePicture(page, "agents-tools-new-agent");
    await page.getByRole("button", { name: "Create agent", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "support" }).waitFor();
    await page.getByText("It may not reach outside Otto: the web, mail, Slack, servers.").waitFor();

    await page.getByRole("link", { name: "Change it" }).click();
    await page.getByLabel("network: reach outside Otto: the web, mail, Slack, servers").check();
    await fill("Add a tool or a pattern", "http.get");
    await page.keyboard.press("Enter");
    await page.getByLabel("Hosts that its tools may reach", { exact: true }).check();
    await fill("Hosts that its tools may reach, one on each line", "api.example.com");
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await page.waitForURL(/view=versions&from=1&to=2/);
    const now = page.getByRole("region", { name: "From version 1 to version 2" });
    await now.getByText("It may reach outside Otto: the web, mail, Slack, servers.").waitFor();
    await now.getByText("Its tools reach api.example.com, and no other host.").waitFor();
    const fields = page.getByRole("region", { name: "Field by field" });
    expect(await fields.getByRole("heading", { level: 3 }).allTextContents()).toEqual([
      "Tools",
      "Permissions",
      "Hosts that it may reach",
    ]);
    await expectGoodLooks("versions", "dark");
    const { data } = await console.api.must<{ data: { name: string; version: number; tools: string[] }[] }>(
      "GET",
      "/v1/agents",
    );
    expect(data.find(({ name }) => name === "support")).toMatchObject({ version: 2, tools: ["read_*", "http.get"] });

    await page.getByRole("button", { name: "Restore version 1" }).click();
    await page.getByText("Created version 3 with the content of version 1.").waitFor();
    await page.waitForURL(/from=2&to=3/);
    await page.getByText("It may not reach outside Otto: the web, mail, Slack, servers.").waitFor();
    expect(await console.api.must("GET", "/v1/agents/support")).toMatchObject({ version: 3, tools: ["read_*"] });
    expect(await page.getByRole("button", { name: "Restore version 3" }).count()).toBe(0);
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await page.getByText("Version 3 has the content of version 1 already.").waitFor();
  });

  test("that changed meanwhile retains the typed text, and shows the newer version", async () => {
    const { page, api } = console;
    const body = { name: "busy", instructions: "One", tools: [], permissions: [] };
    const { id } = await api.must<{ id: string }>("POST", "/v1/agents", body);
    await console.open(`/agents/${id}?view=edit`);
    await page.getByLabel("Instructions", { exact: true }).fill("Mine");
    await api.must("PUT", `/v1/agents/${id}`, { ...body, instructions: "Theirs" });
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await page.getByText("Somebody else changed this meanwhile").waitFor();
    expect(await page.getByLabel("Instructions", { exact: true }).inputValue()).toBe("Mine");
    await page.getByRole("button", { name: "Keep mine over it" }).click();
    await page.waitForURL(/from=2&to=3/);
    expect(await api.must("GET", `/v1/agents/${id}`)).toMatchObject({ version: 3, instructions: "Mine" });
  });
});

describe("a tool", () => {
  test("is found by what one wants done, and tried by a form of its schema", async () => {
    const { page } = console;
    await console.open("/tools");
    await page.getByLabel("What do you want done?").fill("convert a length to other units");
    await page.waitForURL(/query=/);
    await page.getByRole("list", { name: "What was found" }).getByRole("link").first().waitFor();
    await page.getByRole("link", { name: "unit_convert", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "unit_convert" }).waitFor();
    await page.getByRole("link", { name: "Try it" }).first().click();
    await page.getByLabel("value", { exact: true }).fill("2.5");
    await page.getByLabel("from_unit", { exact: true }).fill("km");
    await page.getByLabel("to_unit", { exact: true }).fill("m");
    // As JSON and back: what was typed stays.
    await page.getByRole("button", { name: "As JSON" }).click();
    expect(JSON.parse(await page.getByLabel("Arguments as JSON").inputValue())).toEqual({
      value: 2.5,
      from_unit: "km",
      to_unit: "m",
    });
    await page.getByRole("button", { name: "As a form" }).click();
    expect(await page.getByLabel("value", { exact: true }).inputValue()).toBe("2.5");
    await page.getByRole("button", { name: "Call it" }).click();
    await page.getByText("It worked").waitFor();
    await page.getByRole("group", { name: "the result" }).getByText("2500").waitFor();
    await page.getByRole("link", { name: "The call's own task and its ledger" }).waitFor();
    await expectGoodLooks("tried");
  });

  test("says at the field what the API refuses of an argument", async () => {
    const { page } = console;
    await console.open("/tools/read_file?view=try");
    const field = page.getByLabel("path", { exact: true });
    await page.getByRole("button", { name: "Call it" }).click();
    await page.getByText("Couldn't call the tool", { exact: false }).waitFor();
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    // What the tool itself refuses is an answer, and stands at the field too.
    await field.fill("../../etc/passwd");
    await page.getByRole("button", { name: "Call it" }).click();
    await page.getByText("It failed").waitFor();
    const described = await field.getAttribute("aria-describedby");
    expect(await page.locator(`[id="${described?.split(" ").at(-1)}"]`).textContent()).toContain("denied by sandbox");
  });

  test("that changes something asks first, and one that needs approval leads to where it is decided", async () => {
    const { page } = console;
    await console.open("/tools/http_request?view=try");
    await page.getByLabel("url", { exact: true }).fill(`${console.recorderUrl}/tried`);
    await page.getByLabel("method (optional)").selectOption({ label: "POST" });
    await page.getByText("As which agent, and where").click();
    await page.getByLabel("Agent", { exact: true }).selectOption({ label: "console" });
    await page.getByRole("button", { name: "Call it" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This is no rehearsal", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Call it" }).click();
    await page.getByText("A person has to approve this call first", { exact: true }).waitFor();
    await expectGoodLooks("needs-approval", "dark");
    await page.getByRole("link", { name: "Decide it" }).click();
    await page.waitForURL(/\/tasks\/task_/);
  });

  test("of one's own comes by an OpenAPI document, and goes again with it", async () => {
    const { page } = console;
    await console.open("/tool-sources/import");
    await page.getByLabel("The document", { exact: true }).selectOption("text");
    const document = {
      openapi: "3.1.0",
      info: { title: "Zoo", version: "1" },
      servers: [{ url: console.recorderUrl }],
      paths: { "/animals": { get: { operationId: "list", summary: "List the animals" } } },
    };
    await page.getByLabel("Document, as JSON or YAML").fill(JSON.stringify(document));
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByRole("link", { name: "zoo.list" }).click();
    await page.getByText("Imported from “zoo”").waitFor();
    await console.open("/tool-sources");
    await page.getByRole("button", { name: "Remove openapi:zoo" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("No tools of your own yet").waitFor();
    expect(await console.api.must("GET", "/v1/tool-sources")).toEqual({ data: [] });
  });
});
