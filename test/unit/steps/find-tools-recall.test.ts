import { describe, expect, test } from "vitest";
import { ok } from "../../../core/base/errors.ts";
import { openToolSearch } from "../../../core/steps/find-tools.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import { getInputSchema } from "../../../core/tool/input-schema.ts";
import { createToolList } from "../../../core/lib/tool-search/tool-list.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { toShownText } from "../../../core/prompt/rows.ts";
import findTools from "../../../tools/bus/find-tools.ts";
import { BUILT_IN, builtInFacts } from "../prompt/first-request.ts";
import { PLAIN_REQUESTS } from "./plain-requests.ts";

const FIRST = 5;
const MIN_SHARE = 0.9;
const MOST_CHARACTERS = 300;

/** Searches as the step runner does for a task of the built-in agent that may also run scripts. */
async function openSearch() {
  const facts = builtInFacts();
  const config = { ...facts.agent.config, permissions: [...facts.agent.config.permissions, "exec" as const] };
  const toolset = await buildToolset(BUILT_IN, { ...facts, agent: { ...facts.agent, config } });
  const own = catalogue;
  const skills = BUILT_IN.filter(({ written }) => written !== undefined);
  return openToolSearch(toolset, async () =>
    ok([
      { source: null, list: createToolList(own, getInputSchema) },
      { source: "skills:otto", list: createToolList(skills, getInputSchema) },
    ]),
  );
}

describe("find_tools over the built-in tools", () => {
  test("has the right tool among the first five for 90 % of plain requests", async () => {
    expect(PLAIN_REQUESTS).toHaveLength(100);
    const search = await openSearch();
    const missed: string[] = [];
    for (const [request, tool] of PLAIN_REQUESTS) {
      const found = await search.find(request, FIRST);
      const names = found.ok ? found.value.tools.map(({ name }) => name) : [];
      const right = [tool].flat().map((name) => name.replaceAll(".", "_"));
      if (!right.some((name) => names.includes(name))) missed.push(`${request}: ${names.join(", ")}`);
    }
    expect(missed.length / PLAIN_REQUESTS.length, missed.join("\n")).toBeLessThanOrEqual(1 - MIN_SHARE);
  });

  test("answers with at most 300 characters for each tool on average, and with no alias", async () => {
    const toolSearch = await openSearch();
    const aliases = new Set(
      catalogue.filter(({ aliasOf }) => aliasOf !== undefined).map(({ name }) => name.replaceAll(".", "_")),
    );
    let characters = 0;
    let count = 0;
    for (const [query] of PLAIN_REQUESTS) {
      const ran = await findTools.run({ query, limit: 10 } as never, { toolSearch } as never);
      if (ran.kind !== "result") throw new Error("the search failed");
      const { tools } = ran.result as { tools: readonly { name: string }[] };
      expect(tools.filter(({ name }) => aliases.has(name))).toEqual([]);
      characters += toShownText(findTools.show(ran.result as never)).length;
      count += tools.length;
    }
    expect(characters / count).toBeLessThanOrEqual(MOST_CHARACTERS);
  });
});
