import { describe, expect, it } from "vitest";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { contentSchema } from "../../../core/memory/memory.ts";
import { type SummarisedCall, createSummary } from "../../../core/task/summary.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { report } from "../../contracts/database/rows.ts";
import { OUTSIDE, PRINCIPAL, TENANT } from "../../../core/provenance/label.ts";

const ENDED = "2027-01-15T08:00:00.000Z";
const { view: someView, task: id } = report();

function facts(change: Partial<TaskFacts> = {}): TaskFacts {
  return {
    id,
    tenant: "ten_1",
    key: null,
    via: { channel: "api", id: null },
    label: PRINCIPAL,
    deliver: [],
    rootId: id,
    parentId: null,
    depth: 0,
    kind: "agent",
    input: "Write the plan.",
    agent: DEFAULT_AGENT,
    tools: [],
    skills: [],
    sources: [],
    project: "sales",
    models: [],
    limits: { maxSteps: 1, maxTokens: null, maxCostMicros: null, maxDurationMs: null },
    metadata: {},
    createdAt: 0,
    ...change,
  };
}

function view(text: string | null, change: Partial<TaskView> = {}): TaskView {
  const output = text === null ? null : { text, files: [] };
  const usage = { ...someView.usage, steps: 2 };
  return { ...someView, status: "completed", output, usage, ended_at: ENDED, ...change };
}

const call = (tool: string, given: unknown, state: SummarisedCall["state"] = "confirmed"): SummarisedCall => {
  return { tool, arguments: given, state };
};

const textOf = (...[input, end, calls = []]: [TaskFacts, TaskView, SummarisedCall[]?]) =>
  createSummary({ facts: input, steeredBy: TENANT }, end, calls)?.content ?? "";

describe("the summary of a task", () => {
  it("has the request, the approach and the outcome, under the task's id", () => {
    const calls = [call("read_file", { filename: "notes.md" }), call("wait", { seconds: 3 })];
    expect(createSummary({ facts: facts(), steeredBy: TENANT }, view("The plan is written."), calls)).toEqual({
      id: `mem_${id.slice(5)}`,
      project: "sales",
      kind: "summary",
      label: TENANT,
      content:
        'Request: Write the plan.\nApproach: 2 steps. read_file "notes.md"; wait.\nOutcome: The plan is written.',
      tags: [],
      sourceTask: id,
      author: "agent_default",
      createdAt: Date.parse(ENDED),
    });
  });

  it("comes from outside when the task had read text from outside", () => {
    for (const [steeredBy, label] of [
      [PRINCIPAL, TENANT],
      [TENANT, TENANT],
      [OUTSIDE, OUTSIDE],
    ] as const)
      expect(createSummary({ facts: facts(), steeredBy }, view("x"), [])?.label).toBe(label);
  });

  it("is null for a task that did not complete, a subtask, a single call, or an agent without summaries", () => {
    const quiet = { ...DEFAULT_AGENT, config: { ...DEFAULT_AGENT.config, memory: { summaries: false } } };
    for (const other of [facts({ parentId: "task_x" }), facts({ kind: "call" }), facts({ agent: quiet })])
      expect(createSummary({ facts: other, steeredBy: TENANT }, view("x"), [])).toBeNull();
    for (const status of ["failed", "cancelled", "running"] as const)
      expect(createSummary({ facts: facts(), steeredBy: TENANT }, view("x", { status }), [])).toBeNull();
  });

  it("holds of a conversation what the user said, and says when there was no tool, no word, or a limit", () => {
    const input = [
      { role: "user", content: "First." },
      { role: "assistant", content: "Really?" },
      { role: "user", content: "Yes." },
    ] as const;
    expect(textOf(facts({ input }), view(null, { reason: "iteration_limit" }))).toBe(
      "Request: First.\nYes.\nApproach: 2 steps, without tools.\nOutcome: [ended by iteration_limit]",
    );
    expect(textOf(facts(), view("  "))).toContain("Outcome: no text.");
  });

  it("names files, and calls that did not do what they should", () => {
    const files = ["a.md", "b.md"].map((path) => ({ path, size: 1, content_type: "text/markdown" }));
    const calls = [call("send", {}, "unknown"), call("read_file", { filename: "x" }, "failed")];
    const text = textOf(facts(), view("Done.", { output: { text: "Done.", files } }), calls);
    expect(text).toContain('send (outcome unknown); read_file "x" (failed).');
    expect(text).toContain("Outcome: Done. [files: a.md, b.md]");
  });

  it("holds no content, header, body, query or password of a call", () => {
    const calls = [
      call("write_file", { content: "canary", filename: "a.md" }),
      call("http_request", { url: "https://me:canary@example.com/a?token=canary#canary", headers: { a: "canary" } }),
      call("http_request", { url: "no url, canary" }),
      call("other", { secret: "canary", body: { a: "canary" } }),
    ];
    const text = textOf(facts(), view("Done."), calls);
    expect(text).not.toContain("canary");
    expect(text).toContain('write_file "a.md"; http_request "https://example.com/a"; http_request "…"; other.');
  });

  it("fits into a memory however much there was, and holds nothing that Postgres cannot", () => {
    const long = `${"🦦".repeat(5_000)}\0\ud800`;
    const calls = Array.from({ length: 90 }, () => call("read_file", { filename: long }));
    const text = textOf(facts({ input: long }), view(long), calls);
    expect(contentSchema.safeParse(text).success).toBe(true);
    expect(text).toContain("[…]");
    const few = Array.from({ length: 25 }, () => call("wait", {}));
    expect(textOf(facts(), view("x"), few)).toContain("wait; and 5 more calls.");
  });
});
