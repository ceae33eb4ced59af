/** The searchable lists of tools: the built-in ones, and those of a tenant's sources. */
import type { Env } from "../../adapters/env/bindings.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { SourcedList } from "../../core/steps/find-tools.ts";
import { getInputSchema } from "../../core/tool/input-schema.ts";
import { createToolList, type ToolList } from "../../core/lib/tool-search/tool-list.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { PinnedSource } from "../../core/tool/source.ts";
import { openPinnedLists } from "./pinned.ts";

/** By the tools themselves, because a test's runner has its own. */
const builtInLists = new WeakMap<readonly Tool[], ToolList>();

/** Returns the lists of a task or tenant. Fails while its own tools cannot be read. */
export async function openToolLists(
  env: Env,
  pinned: { readonly tenant: string; readonly sources: readonly PinnedSource[] },
  builtIn: readonly Tool[],
): Promise<Result<readonly SourcedList[]>> {
  const own = await openPinnedLists(env, pinned);
  if (!own.ok) return own;
  const list = builtInLists.get(builtIn) ?? createToolList(builtIn, getInputSchema);
  builtInLists.set(builtIn, list);
  return ok([{ source: null, list }, ...own.value]);
}
