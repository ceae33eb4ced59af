/** The modules of a build of the Worker, as Miniflare takes them. */
import { readdirSync } from "node:fs";
import { extname, join } from "node:path";
import type { V4ModuleDefinition } from "miniflare";
import { getOwn } from "../../core/base/own-field.ts";

const MODULE_TYPES: Readonly<Record<string, V4ModuleDefinition["type"]>> = {
  ".mjs": "ESModule",
  ".wasm": "CompiledWasm",
  ".txt": "Text",
  ".html": "Text",
  ".sql": "Text",
  ".bin": "Data",
};

/** What wrangler wrote: the entry, and the files that it imports as they are. The entry comes first. */
export function listModules(folder: string, entry: string): V4ModuleDefinition[] {
  const attached = readdirSync(folder).flatMap((name): V4ModuleDefinition[] => {
    const type = getOwn(MODULE_TYPES, extname(name));
    return type === undefined || name === entry ? [] : [{ type, path: join(folder, name) }];
  });
  return [{ type: "ESModule", path: join(folder, entry) }, ...attached];
}
