import { describe, expect, it } from "vitest";
import { validateArguments } from "../../../core/gateway/validate.ts";
import dispatchSubagent from "../../../tools/agents/dispatch-subagent.ts";
import { RESEARCH_TOOLS, specialistTools } from "../../../tools/agents/subagent-tools.ts";
import { runTool } from "../run-tool.ts";

const TOOLS = ["ask_human", "fs.read", "grep", "read_file", "search_codebase", "search_tables", "wait", "write_file"];

/** What a dispatch asks its task for, with these tools of its own. */
async function dispatched(given: object, tools: readonly string[] = TOOLS) {
  const ran = await runTool(dispatchSubagent, { task_description: "Do it.", ...given }, {}, { tools });
  return ran.control ?? ran.failure;
}

describe("dispatch_subagent", () => {
  it("asks for a subtask of ten steps with every tool, and an even share of the budget", async () => {
    expect(await dispatched({})).toEqual({ kind: "dispatch", maxSteps: 10, tokenBudget: null, tools: null });
  });

  it("hands on the limits", async () => {
    expect(await dispatched({ max_iterations: 15, token_budget: 1_000 })).toMatchObject({
      maxSteps: 15,
      tokenBudget: 1_000,
    });
  });

  it("fills in omitted arguments, so that the subtask's text is complete", () => {
    expect(validateArguments(dispatchSubagent, { task_description: " Look it up. " })).toEqual({
      ok: true,
      value: { task_description: "Look it up.", context: "", agent_type: "general", max_iterations: 10 },
    });
  });

  it.each([
    ["no task", { task_description: undefined }, "task_description"],
    ["an empty task", { task_description: " \n" }, "task_description"],
    ["a task of 16,001 characters", { task_description: "a".repeat(16_001) }, "task_description"],
    ["a context of 16,001 characters", { context: "a".repeat(16_001) }, "context"],
    ["a context that is no text", { context: { role: "system" } }, "context"],
    ["another type", { agent_type: "admin" }, "agent_type"],
    ["no step", { max_iterations: 0 }, "max_iterations"],
    ["16 steps", { max_iterations: 16 }, "max_iterations"],
    ["half a step", { max_iterations: 1.5 }, "max_iterations"],
    ["a budget of 999 tokens", { token_budget: 999 }, "token_budget"],
    ["a budget over a thousand million tokens", { token_budget: 1_000_000_001 }, "token_budget"],
    ["a budget without end", { token_budget: Number.POSITIVE_INFINITY }, "token_budget"],
    ["no budget by null", { token_budget: null }, "token_budget"],
  ])("refuses %s", async (_, given, field) => {
    expect(await dispatched(given)).toMatchObject({ code: "invalid_input", field });
  });

  it.each(["tools", "permissions", "agent", "approval", "depth", "model", "budget", "key", "project"])(
    "takes no %s from a model that wants to widen what its subagent may do",
    (field) => {
      const judged = validateArguments(dispatchSubagent, { task_description: "Do it.", [field]: ["*"] });
      expect(judged).toMatchObject({ ok: false, error: { code: "invalid_input", field } });
    },
  );

  it("shows the text of a subtask that ended", () => {
    const result = {
      subtask_id: "task_1",
      status: "completed",
      reason: null,
      text: "It is noon.",
      files: [{ path: "notes/noon.md", size: 12 }],
      steps: 2,
    };
    expect(dispatchSubagent.output.parse(result)).toEqual(result);
    expect(dispatchSubagent.show(result as never)).toBe("It is noon.");
  });
});

describe("a research subagent", () => {
  it("has the tools that read, search and write files", async () => {
    expect(await dispatched({ agent_type: "research" })).toMatchObject({ tools: RESEARCH_TOOLS });
    expect(RESEARCH_TOOLS).toEqual(expect.arrayContaining(["read_file", "write_file", "search_*", "ask_human"]));
  });

  it.each(["*", "http_request", "http.post", "send_email", "slack.notify", "delete_file", "run_command", "call_tool"])(
    "has no %s",
    (tool) => {
      expect(RESEARCH_TOOLS).not.toContain(tool);
    },
  );
});

describe("a specialist", () => {
  const specialist = { agent_type: "tool-specialist" } as const;

  it("has the tools that its task and its context name, and can always ask and read on", async () => {
    const given = { ...specialist, task_description: "Use `read_file`.", context: "The hits of grep (see notes)." };
    expect(await dispatched(given)).toMatchObject({ tools: ["read_file", "grep", "expand_result", "ask_human"] });
  });

  it.each([
    ["Open it with fs.read.", ["fs.read"]],
    ["Open it with fs_read, please", ["fs.read"]],
    ["read_file/write_file", ["read_file", "write_file"]],
    ["[read_file](x) and **grep**", ["grep", "read_file"]],
    ["Is it in grep?", ["grep"]],
    ["use search_*", ["search_codebase", "search_tables"]],
    ["Use search_*.", ["search_codebase", "search_tables"]],
    ["what of *_file?", ["read_file", "write_file"]],
    ["fs_re?d", ["fs.read"]],
    ["[rw]*_file", ["read_file", "write_file"]],
    ["SEARCH_* and GREP, and then read_file", ["read_file"]],
    ["read_file and run_command and delete_*", ["read_file"]],
  ])("reads “%s”", (text, expected) => {
    const found = specialistTools(text, TOOLS).filter((tool) => expected.includes(tool) || TOOLS.includes(tool));
    expect(found.filter((tool) => tool !== "ask_human").sort()).toEqual(expected);
  });

  it.each([
    "Sum it up.",
    "* do it ** well ***",
    "Is it? Is it so??",
    "e* or ?e or notes/*.md",
    "**file** is what counts",
    "reading files, my_read_file, read_file2, unread_file",
    "run_command",
    "delete_*",
  ])("is rejected if “%s” names no agent, with the known names", async (task_description) => {
    expect(await dispatched({ ...specialist, task_description })).toMatchObject({
      code: "invalid_input",
      field: "agent_type",
      message: expect.stringContaining("ask_human, fs.read, grep, read_file"),
    });
  });

  it("never has a tool that its parent has not, whatever the text says", () => {
    const own = ["read_file", "grep"];
    const found = specialistTools("write_file * ?* *_* ??? *a*b*c* *r*e*a* run_command send_email", own);
    expect(found.filter((tool) => !["ask_human", "expand_result"].includes(tool))).toEqual(["read_file"]);
  });

  it("lists a hundred of many names at most", async () => {
    const many = Array.from({ length: 200 }, (_, i) => `app_tool_${i}`);
    const refused = await dispatched({ ...specialist }, many);
    expect(refused).toMatchObject({ message: expect.stringMatching(/app_tool_99 and 100 more\.$/) });
  });

  it("tries two hundred patterns of a text, and no word of more than 200 characters", () => {
    const others = Array.from({ length: 199 }, (_, i) => `other_${i}_*`).join(" ");
    expect(specialistTools(`${others} read_*`, TOOLS)).toContain("read_file");
    expect(specialistTools(`${others} one_more_* read_*`, TOOLS)).toEqual([]);
    expect(specialistTools(`read_file${"?".repeat(191)}`, TOOLS)).toContain("read_file");
    expect(specialistTools(`read_file${"?".repeat(192)}`, TOOLS)).toEqual([]);
  });

  it.each([
    ["words", "read_file "],
    ["one word", "a"],
    ["full stops", "."],
    ["brackets", "[["],
    ["stars", "*"],
    ["patterns", "*a?b*c "],
    ["patterns that differ", null],
  ])("reads 32,000 characters of %s at once, over 200 tools", (_, piece) => {
    const many = Array.from({ length: 200 }, (_unused, i) => `${"abc_".repeat(15)}${i}`);
    const text =
      piece === null
        ? Array.from({ length: 3_500 }, (_unused, i) => `*a?b*c${i}`).join(" ")
        : `${piece.repeat(32_000 / piece.length)}x`;
    const before = process.cpuUsage();
    specialistTools(text, many);
    // Of its own time, whatever else the machine does; anything that grows with the square of the text takes far longer.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });
});
