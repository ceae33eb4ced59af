import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fnmatch } from "../../../core/lib/fnmatch.ts";
import type { SkillDifference } from "../../../web/src/api/types.generated.ts";
import { sayAllowed, sayDifference, sayPatterns } from "../../../web/src/pages/skills/permission-words.ts";
import { matchesName } from "../../../web/src/api/tool-patterns.ts";
import { type KnownTool, matchedTools } from "../../../web/src/pages/skills/matched-tools.ts";

const tool = (name: string, ...permissions: string[]): KnownTool => {
  return { name, also_named: [], toolbox: "any", summary: `Does ${name}.`, permissions };
};
const TOOLS = [
  tool("read_file", "read"),
  tool("read_document", "read"),
  tool("write_file", "write"),
  { ...tool("run_command", "exec"), toolbox: "shell" },
  tool("run_skill_script", "exec"),
  { ...tool("http.request", "network"), also_named: ["fetch_url"] },
];

const difference = (
  before: string[] | null,
  after: string[] | null,
  more: Omit<Partial<SkillDifference>, "scripts"> & { scripts?: Partial<SkillDifference["scripts"]> } = {},
): SkillDifference => ({
  widens: true,
  allowed_tools: { before, after, added: [], removed: [] },
  said: ["It is other."],
  ...more,
  scripts: { added: [], removed: [], changed: [], network_added: [], network_removed: [], ...more.scripts },
});
const names = { earlier: "version 2", later: "version 3" };

describe("a pattern", () => {
  it("means the same tools here as on the server", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "_", "*", "?", "[", "]", "!"), maxLength: 8 });
    const name = fc.string({ unit: fc.constantFrom("a", "b", "c", "_", "[", "]", "!"), maxLength: 8 });
    fc.assert(
      fc.property(name, text, (given, pattern) => {
        expect(matchesName(given, pattern)).toBe(fnmatch(given, pattern));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["[a-c]x", "bx", true],
    ["[a-c]x", "dx", false],
    ["[!a-c]x", "dx", true],
    ["Read", "read", false],
  ])("%s matches %s: %s", (pattern, name, expected) => {
    expect(matchesName(name, pattern)).toBe(expected);
  });

  it("means a tool by each of its names", () => {
    for (const one of ["http.*", "http_request", "fetch_*"])
      expect(matchedTools(TOOLS, [one]).map(({ name }) => name)).toEqual(["http.request"]);
  });
});

describe("what a skill may use", () => {
  it.each([
    [null, "every tool of the agent"],
    [["*"], "every tool of the agent"],
    [[], "no tool at all"],
    [["read_*"], "can read files and data, as"],
    [["read_*", "run_command"], "read files and data and run shell commands"],
  ])("of %j is said as %j", (patterns, expected) => {
    expect(sayAllowed(patterns, TOOLS)).toContain(expected);
  });

  it("is described for each pattern, with the tools that it matches now", () => {
    const said = sayPatterns(["read_*", "write_file", "*_file", "slack.*"], TOOLS);
    expect(said.map(({ meaning, tools }) => [meaning, tools.map(({ name }) => name)])).toEqual([
      ["every tool whose name begins with read_", ["read_file", "read_document"]],
      [null, ["write_file"]],
      ["every tool whose name ends with _file", ["read_file", "write_file"]],
      ["every tool whose name begins with slack.", []],
    ]);
  });
});

describe("what a later version may do", () => {
  it.each([
    [["read_*"], ["read_*", "run_command"], "also run shell commands and use run_command."],
    [["run_skill_script"], ["run_*"], "also run shell commands and use run_command."],
    [["read_file"], ["read_*"], "also use read_document."],
    [["read_file"], ["read_file", "crm_*"], "also use crm_*."],
    [["read_file"], null, "also use every tool of its agent."],
    [["read_file"], ["*"], "also use every tool of its agent."],
    [["read_file"], ["read_file", "ask_*", "write_file"], "also change files and data and use write_file and ask_*."],
  ])("from %j to %j is said first: %s", (before, after, expected) => {
    expect(sayDifference(difference(before, after), TOOLS, names).title).toBe(`Version 3 may ${expected}`);
  });

  it("names scripts that are new, and those that ask for the network", () => {
    const scripts = { added: ["send.py"], removed: [], changed: [], network_added: ["send.py"], network_removed: [] };
    expect(sayDifference(difference(null, null, { scripts }), TOOLS, names).title).toBe(
      "Version 3 may also run the script send.py and let send.py reach the network.",
    );
  });

  it("is said to be no more, or the same, when it is", () => {
    const less = sayDifference(difference(["a"], [], { widens: false }), TOOLS, names);
    expect(less.title).toBe("Version 3 may do nothing that version 2 may not.");
    const same = sayDifference(difference(["a"], ["a"], { widens: false, said: [] }), TOOLS, names);
    expect(same.title).toBe("Version 3 may do exactly what version 2 may.");
  });
});
