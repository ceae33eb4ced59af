/** Tools of apps as a tenant has them: every action of the first apps of the catalogue of tests. */
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { toOutsideTool } from "../../../core/apps/workspace/outside-tools.ts";
import { createOutsideTools } from "../../../core/gateway/outside-tool.ts";
import { toAppSource } from "../../../core/tool/source.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { makeActions, toCatalogueAction } from "../apps/make-actions.ts";

export async function makeAppTools(apps: number): Promise<Tool[]> {
  const actions = makeActions();
  const named = new Set([...new Set(actions.map(({ app }) => app))].slice(0, apps));
  const wanted = actions.filter(({ app }) => named.has(app));
  const found = wanted.map(async (action) => {
    return { source: toAppSource(action.app), tool: await toOutsideTool(toCatalogueAction(action), { isOpen: false }) };
  });
  return createOutsideTools(await Promise.all(found), [], { callers: {}, patterns: linearPatterns });
}
