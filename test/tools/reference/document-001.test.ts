/** Every example of document 001, each named by its toolbox and paragraph. Deviations: decision 0112. */
import { beforeEach, describe, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { checkToolConfig, getSettings } from "../../../core/steps/tool-settings.ts";
import { createSkillTool } from "../../../core/tool/skill-tool.ts";
import { toSkillSlug } from "../../../core/skills/skill.ts";
import { formatSubtaskInput } from "../../../core/task/subtasks.ts";
import type { AgentConfig } from "../../../core/agents/agent.ts";
import type { FilesPort } from "../../../core/ports/files.ts";
import type { CallFacts, Tool } from "../../../core/tool/tool.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { fakeSearch } from "../../fakes/search.ts";
import { EXAMPLE_SKILLS } from "../../fakes/skill-texts.ts";
import { DEFAULT_RULES, OPEN_RULES, runDocumented, runTool } from "../run-tool.ts";

let files: FilesPort;
beforeEach(async () => {
  files = fakeFiles();
  for (const path of ["a.py", "lib/b.py", "notes.md"])
    await files.write(path, new TextEncoder().encode("import os\nprint(1)\n"), { key: path });
});

function getTool(name: string): Tool {
  const tool = catalogue.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
}

const call = async (name: string, given: object, facts: Partial<CallFacts> = {}) =>
  await runTool(getTool(name), given, { files }, { sandbox: OPEN_RULES, ...facts });

function configure(change: Partial<AgentConfig>): AgentConfig {
  return { name: "a", instructions: "", tools: ["*"], permissions: ["read"], ...change };
}

describe("[001] ovos-skill-md-toolbox", () => {
  test("the tool's name is the skill's name as a slug", () => {
    expect(toSkillSlug("web-search")).toBe("web_search");
    expect(toSkillSlug("--Web  Search!--")).toBe("web_search");
  });

  test("takes task and context, and gives result and skill_used", () => {
    const [skill] = EXAMPLE_SKILLS;
    if (skill === undefined) throw new Error("no skill");
    expect(createSkillTool(skill)).toMatchObject({
      input: { properties: { task: { type: "string" }, context: { type: "string" } }, required: ["task"] },
      output: { properties: { result: { type: "string" }, skill_used: { type: "string" } } },
    });
  });

  test("the user content is the task, with the context behind it if there is one", () => {
    expect(formatSubtaskInput({ task: "Find otters." })).toBe("Find otters.");
    expect(formatSubtaskInput({ task: "Find otters.", context: "In Norway." })).toBe(
      "Find otters.\n\nContext: In Norway.",
    );
  });
});

describe("[001] ovos-filesystem-tools", () => {
  test("read: content and path", async () => {
    expect((await call("fs.read", { path: "a.py" })).result).toMatchObject({
      content: "import os\nprint(1)\n",
      path: "a.py",
    });
  });

  test("write: creates parent directories, and says so", async () => {
    expect((await call("write_file", { path: "deep/er/x.md", content: "x" })).result).toMatchObject({
      success: true,
      path: "deep/er/x.md",
      message: expect.any(String),
    });
  });

  test("allow_write false: the tool is listed as disabled, and its calls say so", async () => {
    const sandbox = { ...DEFAULT_RULES, allowWrite: false };
    expect(getTool("write_file").disabled?.(sandbox)).toBe("Write access is disabled (allow_write=False).");
    expect((await call("write_file", { path: "x.md", content: "x" }, { sandbox })).failure?.message).toBe(
      "Write access is disabled (allow_write=False).",
    );
    const config = configure({ tool_config: { files: { allow_write: false } } });
    expect(checkToolConfig(config, catalogue, linearPatterns).ok).toBe(true);
  });

  test("list: sorted, filtered by a shell glob", async () => {
    const { result } = await call("list_directory", { path: ".", pattern: "*.py" });
    expect(result).toMatchObject({ entries: [{ name: "a.py" }] });
    const all = (await call("list_directory", {})).result as { entries: { name: string }[] };
    expect(all.entries.map(({ name }) => name)).toEqual(["a.py", "lib", "notes.md"]);
  });

  test("search: file, line_number and line; a pattern that is not valid finds nothing", async () => {
    expect((await call("search_in_files", { pattern: "import", glob: "**/*.py" })).result).toMatchObject({
      matches: [
        { file: "a.py", line_number: 1, line: "import os" },
        { file: "lib/b.py", line_number: 1, line: "import os" },
      ],
      total: 2,
    });
    expect((await call("search_in_files", { pattern: "(" })).result).toMatchObject({ matches: [], total: 0 });
  });

  test("find: files only, sorted", async () => {
    expect((await call("find_files", { glob: "**/*.py" })).result).toMatchObject({
      files: ["a.py", "lib/b.py"],
      total: 2,
    });
  });
});

describe("[001] ovos-shell-tools", () => {
  test("is off until allow_shell", async () => {
    expect((await call("run_command", { command: "ls" })).result).toMatchObject({
      returncode: -1,
      stderr: expect.stringContaining("Shell execution is disabled"),
      success: false,
    });
  });

  test("its configuration is accepted, and a command outside its list is not permitted", async () => {
    const shell = { allow_shell: true, allowed_commands: ["git", "ls", "cat"], max_timeout: 30 };
    const config = configure({ tool_config: { shell } });
    expect(checkToolConfig(config, catalogue, linearPatterns).ok).toBe(true);
    expect(getSettings(config, getTool("run_command"))).toEqual(shell);
    expect((await call("run_command", { command: "rm a.py" }, { config: shell })).result).toMatchObject({
      returncode: -1,
      stderr: expect.stringContaining("not permitted"),
    });
    expect((await call("run_command", { command: "cat a.py" }, { config: shell })).result).toMatchObject({
      stdout: expect.any(String),
      returncode: expect.any(Number),
    });
  });
});

describe("[001] ovos-web-search-tools", () => {
  test.each([
    ["not_available", "Package not installed"],
    ["upstream_failed", "Search error"],
  ] as const)("%s is one row, and no failure", async (code, title) => {
    const search = fakeSearch({ code, message: "What to do." });
    expect((await runTool(getTool("web_search"), { query: "otters" }, { search })).result).toEqual({
      results: [{ title, url: "", snippet: "What to do." }],
      query: "otters",
    });
  });

  test("gives five results by default", async () => {
    const { result } = await runTool(getTool("web_search"), { query: "otters" }, { search: fakeSearch() });
    expect((result as { results: unknown[] }).results).toHaveLength(5);
  });
});

test("[001] ovos-clock-tools: iso, date, time and timezone, without arguments", async () => {
  expect((await call("get_current_datetime", {})).result).toMatchObject({
    iso: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/),
    date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    time: expect.stringMatching(/^\d\d:\d\d:\d\d$/),
    timezone: expect.any(String),
  });
});

describe("[001] ovos-math-tools", () => {
  test("evaluate_expression: the operators, functions and constants of the list", async () => {
    const names = "abs round sqrt ceil floor log log10 log2 exp sin cos tan asin acos atan degrees radians factorial";
    const calls = names.split(" ").map((name) => `${name}(1)`);
    for (const expression of [...calls, "atan2(1, 2)", "gcd(4, 6)", "lcm(4, 6)", "7 // 2 % 3 ** 1 / 1 * 1 - 1 + 1"])
      expect(await runDocumented(getTool("evaluate_expression"), { expression })).toMatchObject({ error: null });
    for (const expression of ["pi", "e", "tau", "1 / inf"])
      expect(await runDocumented(getTool("evaluate_expression"), { expression })).toMatchObject({ error: null });
  });

  test("evaluate_expression: an error comes with its fields", async () => {
    expect(await call("evaluate_expression", { expression: "1 / 0" })).toMatchObject({
      failure: { code: "invalid_input", message: "ZeroDivisionError: division by zero" },
      result: { result: null, expression: "1 / 0", error: "ZeroDivisionError: division by zero" },
    });
  });

  test("unit_convert: each category, without regard to case; others do not mix", async () => {
    for (const [from_unit, to_unit, category] of [
      ["KM", "mi", "length"],
      ["kg", "LB", "mass"],
      ["l", "gal", "volume"],
      ["h", "s", "time"],
      ["km/h", "mph", "speed"],
      ["ha", "m2", "area"],
      ["MB", "kb", "data"],
      ["Celsius", "fahrenheit", "temperature"],
    ])
      expect(await runDocumented(getTool("unit_convert"), { value: 1, from_unit, to_unit })).toMatchObject({
        category,
        error: null,
      });
    expect(await call("unit_convert", { value: 1, from_unit: "m", to_unit: "kg" })).toMatchObject({
      failure: { code: "invalid_input" },
      result: { result: null, category: null, error: "Incompatible categories: 'length' vs 'mass'" },
    });
  });

  test("statistics_summary: no deviation of fewer than two numbers; no numbers are an error with its fields", async () => {
    expect(await runDocumented(getTool("statistics_summary"), { numbers: [7] })).toMatchObject({ stdev: null });
    expect(await call("statistics_summary", { numbers: [] })).toMatchObject({
      failure: { code: "invalid_input", field: "numbers" },
      result: { count: 0, mean: null, error: expect.any(String) },
    });
  });

  test("solve_equation: x**2 - 4, and an error with its fields", async () => {
    expect(await runDocumented(getTool("solve_equation"), { equation: "x**2 - 4" })).toMatchObject({
      solutions: [-2, 2],
      method: "symbolic",
      error: null,
    });
    expect(await call("solve_equation", { equation: "x +" })).toMatchObject({
      failure: { code: "invalid_input", field: "equation" },
      result: { solutions: [], error: expect.stringMatching(/^Syntax error/) },
    });
  });
});
