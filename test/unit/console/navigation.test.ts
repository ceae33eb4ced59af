/** The places of the console: its menu, and what the command palette finds. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { AREAS, findCommands, isWithin } from "../../../web/src/shell/navigation.ts";

const labels = (text: string) => findCommands(text).map(({ label }) => label);

test("the menu has at most eight entries, and each page is in one of them", () => {
  expect(AREAS.length).toBeLessThanOrEqual(8);
  const pages = AREAS.flatMap((area) => area.pages.map(({ to }) => to));
  expect(new Set(pages).size).toBe(pages.length);
});

test("every page without an id in its address is found by the palette", () => {
  const folder = fileURLToPath(new URL("../../../web/src/pages/", import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("routes.ts"));
  const paths = files.flatMap((name) =>
    Array.from(readFileSync(`${folder}${name}`, "utf8").matchAll(/ path: "([^"$]+)"/g), ([, path]) => path ?? ""),
  );
  expect(paths.length).toBeGreaterThan(25);
  const found = new Set(findCommands("").map(({ to }) => to.split("?")[0]));
  expect(paths.filter((path) => path !== "/sign-in" && !found.has(path))).toEqual([]);
});

test("a page has what is below it, and no page that begins with the same letters", () => {
  expect(isWithin("/tasks/task_1", { to: "/tasks" })).toBe(true);
  expect(isWithin("/tasks", { to: "/tasks" })).toBe(true);
  expect(isWithin("/tool-sources", { to: "/tool" })).toBe(false);
});

test("the palette finds pages and actions by words in any order, the label first", () => {
  expect(labels("").length).toBeGreaterThan(25);
  expect(labels("database")).toEqual(["Databases", "Add a database"]);
  expect(labels("task new")).toEqual(["New task"]);
  expect(labels("NEW TASK")).toEqual(["New task"]);
  expect(labels("codebase add")).toEqual(["Add a codebase"]);
  expect(labels("cron")).toEqual(["Schedules", "New schedule"]);
  expect(labels("kill switch")).toEqual(["Limits"]);
  expect(labels("settings")).toContain("Audit");
  expect(labels("quokka")).toEqual([]);
  expect(labels("(.*")).toEqual(labels(""));
});
