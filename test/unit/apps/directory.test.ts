/** The directory of apps with MCP servers: its entries, and the rules about them. */
import { describe, expect, it } from "vitest";
import { addDirectoryStats, describeDeadEntry, readReplacedDirectory } from "../../../core/apps/directory.ts";
import { isServerOf } from "../../../core/mcp/directory-server.ts";
import { DIRECTORY } from "../../../core/apps/directory-list.ts";
import { readServer, serverNameSchema } from "../../../core/mcp/config.ts";
import { valueOf } from "../../contracts/value-of.ts";

const settingsOf = (url: string, oauth: object) =>
  valueOf(readServer({ url, oauth: { grant: "authorization_code", ...oauth } }, "")).settings;

describe("each entry", () => {
  it.each(DIRECTORY.map((entry) => [entry.app, entry] as const))("%s is complete", (app, entry) => {
    expect(serverNameSchema.safeParse(app).success).toBe(true);
    expect(app).toMatch(/^[a-z0-9-]+-mcp$/);
    for (const address of [entry.url, entry.document]) expect(new URL(address).protocol).toBe("https:");
    expect(entry.categories.length).toBeGreaterThan(0);
    expect(entry.checkedOn).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(entry.description.length).toBeLessThan(120);
    expect(isServerOf(entry, settingsOf(entry.url, { per: "person" }))).toBe(true);
  });

  it("has a name and an address of its own", () => {
    expect(DIRECTORY.length).toBeGreaterThanOrEqual(30);
    for (const field of ["app", "url", "title"] as const)
      expect(new Set(DIRECTORY.map((entry) => entry[field])).size).toBe(DIRECTORY.length);
  });
});

describe("the server of an entry", () => {
  const entry = { url: "https://notes.example" };

  it.each([
    ["https://notes.example", { per: "person" }, true],
    ["https://notes.example/", { per: "person" }, true],
    ["https://notes.example/mcp", { per: "person" }, false],
    ["https://notes.example", {}, false],
  ])("is the one at its address with accounts of people: %s %j", (url, oauth, is) => {
    expect(isServerOf(entry, settingsOf(url, oauth))).toBe(is);
  });
});

it("counts its categories with those of the catalogue, whose words they take", () => {
  const stats = { apps: 2, actions: 5, triggers: 1, categories: [{ category: "CRM", apps: 2 }] };
  const [first] = DIRECTORY;
  if (first === undefined) throw new Error("the directory is empty");
  const entries = [
    { ...first, categories: ["crm", "Mail"] },
    { ...first, categories: ["Mail"] },
  ];
  expect(addDirectoryStats(stats, entries)).toEqual({
    apps: 4,
    actions: 5,
    triggers: 1,
    categories: [
      { category: "CRM", apps: 3 },
      { category: "Mail", apps: 2 },
    ],
  });
});

it("takes other addresses for known names alone", () => {
  expect(
    readReplacedDirectory("linear-mcp=http://a.example/mcp, notion-mcp=https://b.example", DIRECTORY),
  ).toMatchObject([{ url: "http://a.example/mcp" }, { url: "https://b.example/" }]);
  for (const wrong of ["", "linear-mcp", "unknown=https://a.example", "linear-mcp=file:///a", "=https://a.example"])
    expect(readReplacedDirectory(wrong, DIRECTORY), wrong).toBeNull();
});

it("says of a dead entry where its address is from, and what to do", () => {
  const [entry] = DIRECTORY;
  if (entry === undefined) throw new Error("the directory is empty");
  const said = describeDeadEntry(entry, "It did not answer.");
  for (const part of [
    entry.title,
    "It did not answer.",
    entry.url,
    entry.document,
    entry.checkedOn,
    "under MCP servers",
  ])
    expect(said).toContain(part);
});
