/**
 * How many of the actions that plain requests need are among the first ten of the choice, next to `find_tools` over the same
 * actions as tools. Prints both. The misses stay in the set: a rule that is fitted to one of them shows nothing.
 */
import { beforeAll, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { type ActionIndex, indexActions } from "../../../core/apps/choice/action-index.ts";
import { readIntent } from "../../../core/apps/intent/intent.ts";
import { rankActions } from "../../../core/apps/choice/rank.ts";
import { resolveActions } from "../../../core/apps/choice/resolve.ts";
import { ok } from "../../../core/base/errors.ts";
import { unwrap } from "../../../core/base/unwrap.ts";
import { searchTools } from "../../../core/lib/tool-search/search.ts";
import { createToolList } from "../../../core/lib/tool-search/tool-list.ts";
import type { CatalogueAction } from "../../../core/ports/app-catalogue.ts";
import { compileDemoCatalogue, type DemoCatalogue } from "../../mock-servers/demo-catalogue.ts";
import { PLAIN_APP_REQUESTS, type PlainRequest, toActionNames } from "../../mock-servers/app-requests/all.ts";

const FIRST = 10;
const PREFIX = "composio_";

let demo: DemoCatalogue;
let index: ActionIndex;
let everyApp: readonly string[];

beforeAll(async () => {
  demo = await compileDemoCatalogue();
  everyApp = [...demo.byApp.keys()];
  index = indexActions(demo.listed);
  await index.build();
});

/** The first names of the choice for a task. */
async function choose({ text }: PlainRequest, apps: readonly string[]): Promise<string[]> {
  const request = { text, intent: readIntent([text]), apps: new Set(apps), unconnected: new Set<string>() };
  const snapshot = { actionsOf: async (app: string) => await Promise.resolve(ok(demo.byApp.get(app) ?? [])) };
  const clock = { now: () => 0 };
  const { actions } = unwrap(await resolveActions(request, { index, snapshot, patterns: linearPatterns, clock }));
  return actions.slice(0, FIRST).map(({ action }) => action);
}

/** As a task has an action as a tool. */
function toTool({ action, app, description, input }: CatalogueAction) {
  return { name: `${PREFIX}${action}`, summary: description, toolbox: `app:${app}`, category: "api", input };
}

/** Searches as `find_tools` does, by lists of apps. */
function openFindTools(): (request: PlainRequest, apps: readonly string[]) => Promise<string[]> {
  const lists = new Map<readonly string[], ReturnType<typeof createToolList>>();
  return async ({ text }, apps) => {
    const known = lists.get(apps);
    const tools = known === undefined ? apps.flatMap((app) => demo.byApp.get(app) ?? []).map(toTool) : [];
    const list = known ?? createToolList(tools, ({ input }) => input);
    lists.set(apps, list);
    const found = searchTools([{ segment: await list.segment(), admitted: null }], text, FIRST);
    return found.map(({ tool }) => list.tools[tool]?.name.slice(PREFIX.length) ?? "");
  };
}

/** The share of what a request needs that is among the names. */
function recall({ groups }: PlainRequest, names: readonly string[]): number {
  const isMet = (group: readonly string[]) => group.flatMap(toActionNames).some((name) => names.includes(name));
  return groups.filter(isMet).length / groups.length;
}

const share = (values: readonly number[]) => (100 * values.reduce((sum, one) => sum + one, 0)) / values.length;

test("the choice has at least the recall of find_tools among the first ten", { timeout: 120_000 }, async () => {
  const find = openFindTools();
  const measured = [];
  for (const request of PLAIN_APP_REQUESTS) {
    const apps = request.apps.length === 0 ? everyApp : request.apps;
    const chosen = recall(request, await choose(request, apps));
    measured.push({ request, chosen, found: recall(request, await find(request, apps)) });
  }
  for (const [by, some] of Map.groupBy(measured, ({ request }) => request.by)) {
    const [chosen, found] = [share(some.map((one) => one.chosen)), share(some.map((one) => one.found))];
    console.log(`${by}: ${some.length} requests, choice ${chosen.toFixed(1)}, find_tools ${found.toFixed(1)}`);
  }
  const [chosen, found] = [share(measured.map((one) => one.chosen)), share(measured.map((one) => one.found))];
  console.log(`all: ${measured.length} requests, choice ${chosen.toFixed(1)}, find_tools ${found.toFixed(1)}`);
  const missed = measured.filter((one) => one.chosen < 1).map(({ request }) => request.text);
  expect(chosen, missed.join("\n")).toBeGreaterThanOrEqual(found);
});

test("an action that a request names is found, whichever it is", () => {
  const apps = new Set(everyApp);
  const missed = demo.listed.filter(({ action }) => {
    const text = `Please use ${action} for it`;
    const { strategy, actions } = rankActions({ text, intent: readIntent([text]), apps }, index);
    return strategy !== "exact_lookup" || actions.length !== 1 || actions[0]?.action !== action;
  });
  expect(missed.map(({ action }) => action)).toEqual([]);
});

test.each([
  "send a message",
  "write a message to the team",
  "post a message in #general",
  "send a message to the channel that the conversation is based on",
])("%s: creates no channel, whichever apps are allowed", async (text) => {
  const request = { by: "", text, apps: [], groups: [] };
  for (const apps of [["slack"], ["slack", "gmail"], everyApp]) {
    const ranked = rankActions({ text, intent: readIntent([text]), apps: new Set(apps) }, index);
    const names = [...ranked.actions.map(({ action }) => action), ...(await choose(request, apps))];
    expect(names).not.toContain("SLACK_CREATE_CHANNEL_BASED_CONVERSATION");
    expect(names).toContain("SLACK_SEND_MESSAGE");
  }
});

test("an action that destroys is never chosen unasked", () => {
  const unasked = PLAIN_APP_REQUESTS.filter(
    ({ by, text }) => by === "office" && !/delete|remove|throw|rid of|clear|cancel|empty|archive/.test(text),
  );
  const destroying = unasked.slice(0, 40).filter(({ text, apps }) => {
    const [first] = rankActions({ text, intent: readIntent([text]), apps: new Set(apps) }, index).actions;
    return first?.isDestructive === true;
  });
  expect(destroying).toEqual([]);
});
