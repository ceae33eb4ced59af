import { describe, expect, test } from "vitest";
import { toNoticeData, type NoticeFacts, type ReportedNotice, getNoticeTypes } from "../../../../core/task/notice.ts";
import { hasRecipient } from "../../../../core/channels/webhooks/interest.ts";

const facts: NoticeFacts = {
  task: "task_a",
  rootId: "task_a",
  parentId: null,
  isHidden: false,
  project: null,
  agent: { id: "agent_a", version: 1 },
  via: { channel: "api", id: null },
  deliver: [],
};

function notice(type: ReportedNotice["type"], data: ReportedNotice["data"] = {}): ReportedNotice {
  return { seq: 1, type, at: "2026-11-21T10:00:00.000Z", data };
}

describe("a task's event is stored as a notice", () => {
  test.each([
    ["an endpoint wants the type", facts, notice("task.started"), ["task.started"], true],
    ["no endpoint does", facts, notice("task.started"), ["task.completed"], false],
    [
      "a call over the API is no task that endpoints hear of",
      { ...facts, isHidden: true },
      notice("task.started"),
      ["task.started"],
      false,
    ],
    [
      "the task delivers somewhere",
      { ...facts, deliver: [{ channel: "email", to: "a@b.example" }] },
      notice("task.started"),
      [],
      true,
    ],
    ["a person is asked", facts, notice("question.asked", { person: "Ana" }), [], true],
    ["a question has no person", facts, notice("question.asked", { person: null }), [], false],
    ["a card may have to be settled", facts, notice("question.answered", { person: "Ana" }), [], true],
    ["an event of an earlier release does not say who was asked", facts, notice("question.answered"), [], true],
    ["a question without a person was answered", facts, notice("question.answered", { person: null }), [], false],
    ["a question without a person expired", facts, notice("question.expired", { person: null }), [], false],
    ["somebody may have to approve", facts, notice("approval.requested"), [], true],
    ["an account has to be connected", facts, notice("connection.requested"), [], true],
    ["a message about it may have to be cancelled", facts, notice("connection.ready"), [], true],
    ["the reply to the call says it", { ...facts, isHidden: true }, notice("connection.requested"), [], false],
  ] as const)("where %s", (_, its, what, interests, wanted) => {
    expect(hasRecipient(its, what, interests)).toBe(wanted);
  });

  test("without large fields", () => {
    expect(toNoticeData({ tool: "write_file", arguments: { content: "x" }, output: {}, input: "y" })).toEqual({
      tool: "write_file",
    });
  });

  test("with its progress only when a conversation follows it", () => {
    expect(getNoticeTypes({ deliver: [] })).not.toContain("step.started");
    expect(getNoticeTypes({ deliver: [{ channel: "slack", to: "T/C/1" }] })).toContain("step.started");
  });
});
