/** The stored contents and search indexes of apps, in the files of a folder, as the bucket has them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileActions } from "../../core/apps/choice/action-segment.ts";
import { toOutsideTool } from "../../core/apps/workspace/outside-tools.ts";
import { formatSegment } from "../../core/lib/tool-search/segment-file.ts";
import { formatSource, MAX_APP_SOURCES } from "../../core/tool/source.ts";
import type { DemoCatalogue } from "../../test/mock-servers/demo-catalogue.ts";

/** The most bytes of the apps of a workspace: `core/tool/source.ts`. */
const MAX_BYTES = 8_000_000;
const LIST = "list.json";

/** Writes an index for each app, the contents of those that fit into a workspace, in their order, and the list. */
export async function writeStored(folder: string, demo: DemoCatalogue): Promise<void> {
  for (const kind of ["contents", "indexes"]) mkdirSync(join(folder, kind), { recursive: true });
  writeFileSync(join(folder, LIST), demo.list);
  let [bytes, added] = [0, 0];
  for (const [app, actions] of demo.byApp) {
    const tools = await Promise.all(actions.map(async (action) => await toOutsideTool(action, { isOpen: false })));
    const compiled = compileActions(tools);
    if (compiled === null) throw new Error(`${app} has a tool that is no action`);
    writeFileSync(join(folder, "indexes", app), formatSegment(compiled));
    const text = formatSource(tools);
    if (added === MAX_APP_SOURCES || bytes + text.length > MAX_BYTES) continue;
    [bytes, added] = [bytes + text.length, added + 1];
    writeFileSync(join(folder, "contents", app), text);
  }
}

/** Reads files by app. */
export function readStored(folder: string, kind: "contents" | "indexes"): ReadonlyMap<string, Uint8Array> {
  const names = readdirSync(join(folder, kind));
  return new Map(names.map((app) => [app, new Uint8Array(readFileSync(join(folder, kind, app)))]));
}

/** Reads the file of the list of all actions. */
export function readList(folder: string): Uint8Array {
  return new Uint8Array(readFileSync(join(folder, LIST)));
}
