import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatToolIndex, type IndexedTool, MAX_INDEX_TOKENS, toPhrase } from "../../../core/steps/tool-index.ts";
import { countTokens } from "../prompt/first-request.ts";

function box(toolbox: string, count: number, summary = "Do one thing. Then another."): IndexedTool[] {
  return Array.from({ length: count }, (_, at) => ({ toolbox, name: `${toolbox}_tool_${at}`, summary }));
}

describe("the index of tools", () => {
  test("has five words of each tool while all fit", () => {
    expect(formatToolIndex([...box("maths", 2), ...box("time", 1)])).toBe(
      "[maths] maths_tool_0: Do one thing; maths_tool_1: Do one thing\n[time] time_tool_0: Do one thing",
    );
  });

  test("reduces the largest toolbox first: to names, then to a count", () => {
    const small = box("time", 2);
    expect(formatToolIndex([...small, ...box("crm", 40)])).toMatch(
      /^\[time\] time_tool_0: Do one thing; .*\n\[crm\] crm_tool_0, /,
    );
    expect(formatToolIndex([...small, ...box("crm", 100)])).toMatch(
      /^\[time\] time_tool_0: Do one thing; .*\n\[crm\] 100 tools$/,
    );
    expect(formatToolIndex(box("crm", 1_000))).toBe("[crm] 1000 tools");
  });

  test("changes one line for one more tool", () => {
    const lines = (count: number) => formatToolIndex([...box("time", 2), ...box("crm", count)]).split("\n");
    for (const count of [3, 29, 99, 500]) {
      const [before, after] = [lines(count), lines(count + 1)];
      expect(after[0]).toBe(before[0]);
      expect(after).toHaveLength(before.length);
    }
  });

  test("folds hundreds of toolboxes into one line and counts every tool", () => {
    const index = formatToolIndex(Array.from({ length: 400 }, (_, at) => box(`server${at}`, 151)).flat());
    const counted = [...index.matchAll(/(\d+) tools/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    expect(index).toMatch(/\n\d+ more groups: \d+ tools$/);
    expect(counted).toBe(400 * 151);
  });

  test("stays within its budget for any tools, by the tokenizer too", () => {
    const toolbox = fc.constantFrom("a", "b", "mcp:one", "mcp:two", "custom tools of the team");
    const tool = fc.record({ toolbox, name: fc.stringMatching(/^[a-z_]{3,40}$/), summary: fc.lorem() });
    fc.assert(
      fc.property(fc.array(tool, { maxLength: 200 }), (tools) => {
        expect(countTokens(formatToolIndex(tools), "o200k")).toBeLessThanOrEqual(MAX_INDEX_TOKENS * 1.15);
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ["Make a Word document from Markdown, with tables.", "Make a Word document"],
    ["Delete a file, or an empty directory.", "Delete a file"],
    ["Remind somebody later: once or repeatedly.", "Remind somebody later"],
    ["Wait.", "Wait"],
    ["", ""],
  ])("says %j in five words", (summary, phrase) => expect(toPhrase(summary)).toBe(phrase));
});
