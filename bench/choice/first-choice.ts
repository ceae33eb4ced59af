/**
 * Prints how many milliseconds the first choice of actions takes in a new process, from the stored bytes on.
 *
 *     node bench/choice/first-choice.ts FOLDER workspace   the apps of a full workspace, with their compiled indexes
 *     node bench/choice/first-choice.ts FOLDER built       the same without them: the index is built
 *     node bench/choice/first-choice.ts FOLDER catalogue   the list of all actions, with the compiled indexes of all apps
 *
 * `stored.ts` writes the folder.
 */
import { linearPatterns } from "../../adapters/re2/patterns.ts";
import { type ActionIndex, indexActions } from "../../core/apps/choice/action-index.ts";
import { createAppCaller } from "../../core/apps/calls/call.ts";
import { parseActionList } from "../../core/apps/compiled.ts";
import { readIntent } from "../../core/apps/intent/intent.ts";
import { indexPinnedActions } from "../../core/apps/choice/pinned-actions.ts";
import { rankActions } from "../../core/apps/choice/rank.ts";
import { createOutsideTools, type SourcedTool } from "../../core/gateway/outside-tool.ts";
import { type NamedSegment, parseSegment } from "../../core/lib/tool-search/segment-file.ts";
import { type OutsideTool, toAppSource } from "../../core/tool/source.ts";
import { readList, readStored } from "./stored.ts";

const TEXT = "send the team a message that the invoice is paid";
const [, , folder = "", what = ""] = process.argv;
const isCatalogue = what === "catalogue";
const list = isCatalogue ? readList(folder) : new Uint8Array();
const contents = isCatalogue ? new Map<string, Uint8Array>() : readStored(folder, "contents");
const indexes = what === "built" ? new Map<string, Uint8Array>() : readStored(folder, "indexes");

const begun = performance.now();
const index = isCatalogue ? openCatalogue() : openWorkspace();
await index.build();
const { strategy } = rankActions({ text: TEXT, intent: readIntent([TEXT]), apps: new Set(index.byApp.keys()) }, index);
const tookMs = performance.now() - begun;
if (strategy !== "sdk_search") throw new Error(`the choice was made by ${strategy}`);
console.log(tookMs);

function openWorkspace(): ActionIndex {
  const found: SourcedTool[] = [];
  const compiled = new Map<string, NamedSegment>();
  for (const [app, bytes] of contents) {
    const source = toAppSource(app);
    for (const tool of parse(bytes)) found.push({ source, tool });
    const read = readIndex(app);
    if (read !== null) compiled.set(source, read);
  }
  const tools = createOutsideTools(found, [], {
    callers: { app: createAppCaller(globalThis) },
    patterns: linearPatterns,
  });
  return indexPinnedActions(tools, compiled).index;
}

function parse(bytes: Uint8Array): readonly OutsideTool[] {
  return JSON.parse(new TextDecoder().decode(bytes)) as readonly OutsideTool[];
}

function openCatalogue(): ActionIndex {
  const actions = parseActionList(new TextDecoder().decode(list));
  const byApp = Map.groupBy(actions.keys(), (number) => actions[number]?.app ?? "");
  const parts = Array.from(byApp, ([app, numbers]) => ({ actions: numbers, compiled: readIndex(app) }));
  return indexActions(actions, { parts });
}

function readIndex(app: string): NamedSegment | null {
  const bytes = indexes.get(app);
  return bytes === undefined ? null : parseSegment(bytes);
}
