/** The search index that is joined from the compiled ones of apps: it ranks as the one that an isolate builds. */
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { indexActions } from "../../../core/apps/choice/action-index.ts";
import { compileActions } from "../../../core/apps/choice/action-segment.ts";
import { createAppCaller } from "../../../core/apps/calls/call.ts";
import { readIntent } from "../../../core/apps/intent/intent.ts";
import { toOutsideTool } from "../../../core/apps/workspace/outside-tools.ts";
import { indexPinnedActions, type PinnedActions } from "../../../core/apps/choice/pinned-actions.ts";
import { rankActions } from "../../../core/apps/choice/rank.ts";
import { createOutsideTools } from "../../../core/gateway/outside-tool.ts";
import {
  formatSegment,
  type NamedSegment,
  parseSegment,
  SEGMENT_FORM,
} from "../../../core/lib/tool-search/segment-file.ts";
import type { Segment } from "../../../core/lib/tool-search/segment.ts";
import { type OutsideTool, toAppSource } from "../../../core/tool/source.ts";
import { PLAIN_APP_REQUESTS } from "../../mock-servers/app-requests/all.ts";
import { makeActions, toCatalogueAction } from "./make-actions.ts";

const ACTIONS = 800;
/** Names that a built-in tool has: its actions are left out of the index, and are in the compiled one. */
const TAKEN = ["composio_SLACK_SEND_MESSAGE", "composio_GMAIL_SEND_EMAIL"];

const sources = new Map<string, OutsideTool[]>();
const compiled = new Map<string, NamedSegment>();
let built: Pick<PinnedActions, "index">;

beforeAll(async () => {
  for (const action of makeActions().slice(0, ACTIONS)) {
    const source = toAppSource(action.app);
    const tools = sources.get(source) ?? [];
    sources.set(source, tools);
    tools.push(await toOutsideTool(toCatalogueAction(action), { isOpen: false }));
  }
  for (const [source, tools] of sources) {
    const index = compileActions(tools);
    const read = index === null ? null : parseSegment(formatSegment(index));
    if (read !== null) compiled.set(source, read);
  }
  const { index, byAction } = await open(new Map());
  // One list of all actions, which no index is joined from.
  built = {
    index: indexActions(index.actions, { getInput: ({ action }) => byAction.get(action)?.action.input ?? {} }),
  };
  await built.index.build();
});

async function open(indexes: ReadonlyMap<string, NamedSegment>): Promise<PinnedActions> {
  const found = [...sources].flatMap(([source, tools]) => tools.map((tool) => ({ source, tool })));
  const deps = { callers: { app: createAppCaller(globalThis) }, patterns: linearPatterns };
  const builtIn = TAKEN.map((name) => ({ name }));
  const pinned = indexPinnedActions(createOutsideTools(found, builtIn, deps), indexes);
  const building = pinned.index.build();
  if (indexes.size === sources.size) expect(pinned.index.segment()).not.toBeNull();
  await building;
  return pinned;
}

function rank({ index }: Pick<PinnedActions, "index">, text: string, apps: readonly string[]) {
  const { strategy, actions } = rankActions({ text, intent: readIntent([text]), apps: new Set(apps) }, index);
  return { strategy, names: actions.map(({ action }) => action) };
}

/** The weights of each term by tool: its number in an index says nothing. */
function listWeights({ terms, starts, tools, weights }: Segment): Map<string, string> {
  return new Map(
    Array.from(terms, ([term, number]) => {
      const entries: string[] = [];
      for (let at = starts[number] ?? 0; at < (starts[number + 1] ?? 0); at += 1)
        entries.push(`${tools[at]}:${weights[at]}`);
      return [term, entries.toSorted().join(" ")] as const;
    }).filter(([, entries]) => entries !== ""),
  );
}

/** The terms of the toolbox of each tool. */
function listToolboxes({ groups, groupTerms }: Segment): unknown[] {
  return Array.from(groups, (group) => groupTerms[group]);
}

test("ranks as the one that is built, for each request and each set of apps, with all, some or none of its parts compiled", async () => {
  const apps = [...built.index.byApp.keys()];
  const half = new Map([...compiled].filter((_, at) => at % 2 === 0));
  expect(compiled.size).toBe(sources.size);
  expect(built.index.numbers.has("SLACK_SEND_MESSAGE")).toBe(false);
  for (const joined of [await open(compiled), await open(half), await open(new Map())]) {
    const [one, other] = [built.index.segment(), joined.index.segment()] as [Segment, Segment];
    expect(listWeights(other)).toEqual(listWeights(one));
    expect(listToolboxes(other)).toEqual(listToolboxes(one));
    fc.assert(
      fc.property(
        fc.constantFrom(...PLAIN_APP_REQUESTS.map(({ text }) => text)),
        fc.subarray(apps, { minLength: 1 }),
        (text, allowed) => {
          expect(rank(joined, text, allowed)).toEqual(rank(built, text, allowed));
        },
      ),
      { numRuns: 40 },
    );
  }
  const found = PLAIN_APP_REQUESTS.map(({ text }) => rank(built, text, apps)).filter(
    ({ strategy }) => strategy === "sdk_search",
  );
  expect(found.length).toBeGreaterThan(100);
});

test("takes no more memory than the one that is built", async () => {
  const joined = (await open(compiled)).index.segment();
  expect(joined?.bytes).toBeLessThanOrEqual(1.01 * (built.index.segment()?.bytes ?? 0));
});

test("a tool that is no action has no compiled index", () => {
  const [first] = [...sources.values()].flat();
  const own = { ...first, origin: { kind: "mcp", server: "x", tool: "y" } } as OutsideTool;
  expect(compileActions([own])).toBeNull();
});

test("fields that are read otherwise raise the form, as do other terms and weights", async () => {
  const input = { type: "object", properties: { to: { type: "string", description: "The address." } } };
  const described = { action: "MAIL_SENDS_EMAILS", app: "mail", title: "Send", description: "Sends a mail.", tags: [] };
  const more = { scopes: [], input, output: null, version: "1", isOpen: false };
  const index = compileActions([await toOutsideTool(toCatalogueAction({ ...described, ...more }), { isOpen: false })]);
  if (index === null) throw new Error("no index was compiled");
  expect({ form: SEGMENT_FORM, names: index.names, terms: [...index.segment.terms.keys()] }).toEqual({
    form: 1,
    names: ["MAIL_SENDS_EMAILS"],
    terms: ["send", "email", "mail", "address"],
  });
  expect([...index.segment.weights]).toEqual([196, 173, 182, 101]);
});
