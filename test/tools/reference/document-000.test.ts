/**
 * Every tool and example of document 000, each by its heading. Deviations are in decision 0112. The defaults of its
 * thresholds are in test/workerd/http/settings.test.ts.
 */
import { describe, expect, test } from "vitest";
import { fnmatch } from "../../../core/lib/fnmatch.ts";
import { matchesTool } from "../../../core/gateway/envelope.ts";
import { validateArguments } from "../../../core/gateway/validate.ts";
import { checkExtension } from "../../../core/sandbox/path.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { OPEN_RULES, runTool } from "../run-tool.ts";

function getTool(name: string): Tool {
  const tool = catalogue.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
}

/** The parameters of each table: required ones with a value, then optional ones. */
const TABLES: readonly (readonly [tool: string, required: object, optional: object])[] = [
  ["ask_human", { query: "Which one?" }, { human_name: "Ana", wait_for_answer: false }],
  [
    "send_email",
    { to: "ana@example.com, ben@example.com", subject: "Hi", body: "<p>Hi</p>" },
    { cc: "cy@example.com", attachment_filenames: ["report.md"] },
  ],
  ["read_file", { filename: "notes.md" }, {}],
  ["write_file", { filename: "notes.md", content: "x" }, {}],
  ["list_directory", {}, { path: "notes" }],
  ["attach_file", { filename: "report.md" }, {}],
  ["wait", { seconds: 300 }, {}],
  ["read_document", { filename: "report.docx" }, {}],
  ["convert_markdown_to_docx", { markdown_content: "# Hi", output_filename: "hi.docx" }, {}],
  ["memory_search", { query: "otters" }, { project_id: "proj" }],
  ["memory_save", { content: "Otters swim." }, { tags: ["otter"] }],
  [
    "dispatch_subagent",
    { task_description: "Look it up.", context: "For the report.", agent_type: "tool-specialist" },
    { max_iterations: 15, token_budget: 10_000 },
  ],
  ["run_skill_script", { skill_name: "data-report", script_name: "make.py" }, { args: "data.csv" }],
];

describe("[000] Agent Tools, parameters", () => {
  test.each(TABLES)("%s takes %j, and optionally %j", (name, required, optional) => {
    const tool = getTool(name);
    expect(validateArguments(tool, required)).toMatchObject({ ok: true });
    expect(validateArguments(tool, { ...required, ...optional })).toMatchObject({ ok: true });
    for (const left of Object.keys(required).filter((one) => !["context", "agent_type"].includes(one))) {
      const others = Object.fromEntries(Object.entries(required).filter(([one]) => one !== left));
      expect(validateArguments(tool, others)).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    }
  });

  test("the defaults: ask_human waits, list_directory lists the root, a subagent has 10 iterations", () => {
    expect(validateArguments(getTool("ask_human"), { query: "?" })).toMatchObject({ value: { wait_for_answer: true } });
    expect(validateArguments(getTool("list_directory"), {})).toMatchObject({ value: { path: "" } });
    const dispatched = { task_description: "Look.", context: "", agent_type: "general" };
    expect(validateArguments(getTool("dispatch_subagent"), dispatched)).toMatchObject({
      value: { max_iterations: 10 },
    });
  });

  test.each([0, 301])("wait takes 1 to 300 seconds, not %d", (seconds) => {
    expect(validateArguments(getTool("wait"), { seconds })).toMatchObject({ ok: false });
  });

  test.each([0, 16])("dispatch_subagent takes 1 to 15 iterations, not %d", (max_iterations) => {
    const given = { task_description: "Look.", context: "", agent_type: "general", max_iterations };
    expect(validateArguments(getTool("dispatch_subagent"), given)).toMatchObject({ ok: false });
  });

  test("read_file and write_file: an agent may be narrowed to .txt, .md and .json", () => {
    const rules = { ...OPEN_RULES, extensions: [".txt", ".md", ".json"] };
    for (const path of ["a.txt", "a.md", "a.json"]) expect(checkExtension(path, rules).ok).toBe(true);
    expect(checkExtension("a.exe", rules).ok).toBe(false);
  });

  test("attach_file marks the file for the end of the task", async () => {
    const ran = await runTool(getTool("attach_file"), { filename: "no.md" });
    expect(ran.failure).toMatchObject({ code: "not_found" });
    expect(getTool("attach_file").steers).toBe(true);
  });
});

test.each(["finished", "convert_markdown_to_pptx"])(
  "[000] Disabled Tools: %s is off until an agent names it",
  (name) => {
    expect(getTool(name).onlyByName).toBe(true);
  },
);

test("[000] Skill-Based Tool Restrictions: gamma_* allows every tool of that server", () => {
  expect(["gamma_generate", "gamma_list"].every((name) => fnmatch(name, "gamma_*"))).toBe(true);
  expect(matchesTool(getTool("read_file"), "gamma_*")).toBe(false);
});
