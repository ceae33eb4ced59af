/** The figures of the demo apps, which are those of Composio's catalogue. */
import { expect, test } from "vitest";
import { ACTION_COUNT, APP_COUNT, APPS } from "../../../scripts/demo-apps/app-list.ts";
import { openFaults } from "../../../scripts/demo-apps/faults.ts";
import { findAction, listTools } from "../../../scripts/demo-apps/listings.ts";

const PAGE = 1_000;
const MAX_NAME = 64;

function listActions() {
  const pages = Array.from({ length: ACTION_COUNT / PAGE }, (_, at) => {
    const cursor = Buffer.from(String(at * PAGE)).toString("base64url");
    const query = new URLSearchParams({ limit: String(PAGE), ...(at === 0 ? {} : { cursor }) });
    return listTools(query, openFaults(false))?.items ?? [];
  });
  return pages.flat();
}

test("there are 880 apps with 12,000 actions, each with a name of its own", () => {
  expect(new Set(APPS.map(({ slug }) => slug)).size).toBe(APP_COUNT);
  expect(APPS).toHaveLength(880);
  const actions = listActions();
  expect(actions).toHaveLength(12_000);
  expect(new Set(actions.map(({ slug }) => slug)).size).toBe(12_000);
  expect(Math.min(...APPS.map(({ actionCount }) => actionCount))).toBeGreaterThan(0);
});

test("the actions have the sizes, names and hints of Composio's", () => {
  const actions = listActions();
  const long = actions.filter(({ slug }) => slug.length > MAX_NAME).length / actions.length;
  expect(long).toBeGreaterThan(0.07);
  expect(long).toBeLessThan(0.09);
  const bytes = actions.reduce((sum, action) => sum + JSON.stringify({ ...action, output_parameters: {} }).length, 0);
  expect(bytes / actions.length).toBeGreaterThan(1_400);
  expect(bytes / actions.length).toBeLessThan(1_800);
  const deletes = actions.filter(({ slug }) => slug.includes("_DELETE_"));
  const unmarked = deletes.filter(({ tags }) => !tags.includes("destructiveHint"));
  expect(unmarked.length).toBeGreaterThan(0);
  expect(unmarked.length / deletes.length).toBeLessThan(0.4);
});

test("a page is the same each time it is made, and an action is found by its name", () => {
  expect(listActions().slice(5_000, 5_100)).toEqual(listActions().slice(5_000, 5_100));
  const [github] = listActions().filter(({ toolkit }) => toolkit.slug === "github");
  expect(findAction(github?.slug ?? "")?.app.slug).toBe("github");
  expect(findAction("NOSUCHAPP_LIST_RECORDS")).toBeNull();
});
