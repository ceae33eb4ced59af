/** The progress of a task in a Slack conversation. */
import { describe, expect, it } from "vitest";
import type { Notice } from "../../../../core/task/notice.ts";
import { readIdTime, makeId } from "../../../../core/base/ids.ts";
import { getProgressTime, planProgress, formatProgress } from "../../../../core/channels/slack/progress.ts";
import { getProgressName } from "../../../../core/channels/outbox/message-delivery.ts";

const MADE = Date.UTC(2026, 10, 21, 12);
const TASK = makeId("task", MADE, new Uint8Array(10));

const NAME = getProgressName(TASK, { to: "T1/C1/1.000001" });

const CONNECTION = { kind: "connection", app: "my_crm" };

function notice(type: Notice["type"], data: Notice["data"] = {}, facts: Partial<Notice["facts"]> = {}): Notice {
  const deliver = [
    { channel: "slack", to: "T1/C1/1.000001" } as const,
    { channel: "email", to: "ana@example.com" } as const,
  ];
  return {
    facts: {
      task: TASK,
      rootId: TASK,
      parentId: null,
      isHidden: false,
      project: null,
      agent: { id: "agent_1", version: 1 },
      via: { channel: "slack", id: "T1/C1/1.000001" },
      deliver,
      ...facts,
    },
    seq: 7,
    type,
    at: new Date(MADE + 2_000).toISOString(),
    data,
  };
}

async function fanOut(given: Notice) {
  return await planProgress("ten_1", given, async (seed) => await Promise.resolve(new TextEncoder().encode(seed)));
}

describe("the progress of a task", () => {
  it.each([
    ["task.started", {}, "Working on it…"],
    ["step.started", { step: 1 }, null],
    ["step.started", { step: 3 }, "Working on it: step 3…"],
    ["call.started", { tool: "web_search" }, "Working on it: web search…"],
    ["call.started", { tool: "slack.notify" }, "Working on it: slack notify…"],
    ["subtask.created", {}, "Working on it: a subagent has started…"],
    ["task.waiting", { status: "waiting_approval" }, "Waiting for an approval…"],
    ["task.waiting", { status: "waiting_input", pending: [{ kind: "question" }] }, "Waiting for an answer…"],
    ["task.waiting", { status: "waiting_input", pending: [CONNECTION] }, "Waiting for an account of my\\_crm…"],
    [
      "task.waiting",
      { status: "waiting_input", pending: [CONNECTION, { kind: "question" }] },
      "Waiting for an answer…",
    ],
    ["task.waiting", { status: "waiting_approval", pending: [CONNECTION] }, "Waiting for an approval…"],
    ["task.resumed", {}, "Working on it…"],
    ["budget.warning", {}, null],
  ] as const)("describes %s %o", (type, data, text) => {
    expect(formatProgress({ type, data })).toBe(text);
  });

  it("goes to Slack conversations only, as one message that the next one replaces", async () => {
    const { deliveries } = await fanOut(notice("call.started", { tool: "grep" }));
    expect(deliveries).toMatchObject([
      {
        to: "T1/C1/1.000001",
        kind: "progress",
        slot: NAME,
        keepAs: NAME,
        refs: [NAME],
      },
    ]);
    expect(await fanOut(notice("call.started", { tool: "grep" }))).toEqual({ deliveries, cancelled: [] });
  });

  it("is hidden for subtasks and hidden tasks", async () => {
    expect(await fanOut(notice("task.started", {}, { parentId: "task_0" }))).toEqual({ deliveries: [], cancelled: [] });
    expect(await fanOut(notice("task.started", {}, { isHidden: true }))).toEqual({ deliveries: [], cancelled: [] });
  });

  it.each(["task.completed", "task.failed", "task.cancelled"] as const)("is cancelled by %s", async (type) => {
    const cancelled = [{ outbox: "ten_1/slack/T1", about: NAME }];
    expect(await fanOut(notice(type))).toEqual({ deliveries: [], cancelled });
  });

  it("is first sent after a second and a half, then at most every three seconds", () => {
    const moments = [0, 1_400, 1_501, 4_000, 4_500, 4_501, 60_000].map((ms) => getProgressTime(TASK, MADE + ms) - MADE);
    expect(moments).toEqual([1_500, 1_500, 4_500, 4_500, 4_500, 7_500, 61_500]);
  });

  it("reads the creation time from the task's id", () => {
    expect([readIdTime(TASK), readIdTime("task_"), readIdTime("task_iiiiiiiiii")]).toEqual([MADE, null, null]);
  });
});
