import { describe, expect, test } from "vitest";
import type { Notice } from "../../../core/task/notice.ts";
import {
  toApproval,
  toOwnersNotice,
  listAskEnds,
  toQuestion,
  createReminderMessage,
  createSettledMessage,
} from "../../../core/people/ask-message.ts";
import { MAX_SHOWN_ARGUMENTS } from "../../../core/people/format-call.ts";
import { findDecisionRefusal } from "../../../core/people/who-may.ts";
import { makePerson } from "../../fakes/people.ts";

function notice(type: Notice["type"], data: Notice["data"]): Notice {
  const agent = { id: "agent_1", version: 1 };
  const via = { channel: "api", id: null } as const;
  const facts = { task: "task_1", rootId: "task_1", parentId: null, isHidden: false, project: null, agent, via };
  return { facts: { ...facts, deliver: [] }, seq: 3, type, at: "2026-11-24T09:00:00.000Z", data };
}

const PENDING = {
  kind: "approval",
  id: "apr_1",
  call_id: "call_1",
  tool: "send_email",
  arguments: { to: "all@acme.example" },
  arguments_hash: "abc",
  reason: "It is dangerous.",
  expires_at: null,
} as const;

describe("a question", () => {
  test("has its choices and its deadline", () => {
    const data = { question_id: "qst_1", query: "Which?", choices: ["a"], person: null, wait: true, expires_at: "x" };
    expect(toQuestion(notice("question.asked", data), null)).toMatchObject({
      waits: true,
      text: "Which?",
      ask: { kind: "question", id: "qst_1", task: "task_1", choices: ["a"], expiresAt: "x", person: null },
    });
  });

  test("without waiting is for a person, or is not sent here", () => {
    const data = { question_id: null, query: "Done.", choices: null, person: null, wait: false, expires_at: null };
    expect(toQuestion(notice("question.asked", data), null)).toBeNull();
    expect(toQuestion(notice("question.asked", { ...data, person: "Ana" }), "per_1")).toMatchObject({ waits: false });
  });

  test("for approval has the call, without arguments that are too long to show", () => {
    expect(toApproval("task_1", PENDING).ask.call).toEqual({
      tool: "send_email",
      arguments: { to: "all@acme.example" },
      argumentsHash: "abc",
    });
    const long = toApproval("task_1", { ...PENDING, arguments: { body: "x".repeat(MAX_SHOWN_ARGUMENTS) } });
    expect(long.ask.call).toEqual({ tool: "send_email", arguments: null, argumentsHash: "abc" });
  });

  test("for an owner's approval is addressed to the owner, with the account", () => {
    const decides = { person_id: "per_ana", name: "Ana", delegates: false };
    const owner = { kind: "person", id: "per_ana", name: "Ana" } as const;
    const account = { connection: "con_1", app: "mail", provider: "oauth", owner, label: "ana@acme.example" } as const;
    const approval = toApproval("task_1", { ...PENDING, decides, account });
    expect(approval.ask).toMatchObject({ person: "per_ana", account });
    expect(toApproval("task_1", { ...PENDING, decides: null }).ask.person).toBeNull();
    expect(toOwnersNotice(approval, "*Ana*")).toMatchObject({
      waits: false,
      text: "May I call `send_email`? Waiting for \\*Ana\\*, whose account it uses.",
    });
    const ended = { approval_id: "apr_1", tool: "send_email", decides };
    for (const type of ["approval.decided", "approval.expired"] as const)
      expect(listAskEnds(notice(type, ended))).toMatchObject([{ kind: "approval", personId: "per_ana" }]);
    const closed = [{ kind: "approval", id: "apr_1", tool: "send_email", decides }];
    expect(listAskEnds(notice("task.cancelled", { closed }))).toMatchObject([{ personId: "per_ana" }]);
  });

  test("is repeated under the same id", () => {
    const approval = toApproval("task_1", PENDING);
    expect([approval.text, approval.ask.reason]).toEqual(["May I call `send_email`?", "It is dangerous."]);
    expect(createReminderMessage(approval)).toMatchObject({
      ask: { id: "apr_1" },
      title: "Reminder: Otto asks for approval: send_email",
    });
  });
});

describe("the end of a question", () => {
  test.each<[Notice["type"], Notice["data"], string, string | null]>([
    [
      "question.answered",
      { question_id: "qst_1", query: "Which?", answer: "North", by: "Ana" },
      "Answered: North",
      "Ana",
    ],
    ["question.expired", { question_id: "qst_1", query: "Which?", answer: null }, "Nobody answered in time.", null],
    [
      "question.expired",
      { question_id: "qst_1", query: "Which?", answer: "blue" },
      "Nobody answered in time. The agreed default applies: blue",
      null,
    ],
    ["approval.decided", { approval_id: "apr_1", tool: "t", decision: "approve", by: "Ana" }, "Approved.", "Ana"],
    ["approval.decided", { approval_id: "apr_1", decision: "refuse", reason: "No.", by: "Bo" }, "Refused: No.", "Bo"],
    [
      "approval.expired",
      { approval_id: "apr_1", tool: "t" },
      "Nobody decided in time, so the call was not made.",
      null,
    ],
  ])("with %s", (type, data, text, by) => {
    const [end, ...others] = listAskEnds(notice(type, data));
    expect(others).toEqual([]);
    expect(end?.id).toBe(type.startsWith("question") ? "qst_1" : "apr_1");
    expect(end?.outcome).toEqual({ text, by });
  });

  test("comes with its task, for each open one", () => {
    const closed = [
      { kind: "question", id: "qst_1", query: "Which?", person: "Ana", person_id: "per_1" },
      { kind: "approval", id: "apr_1", tool: "send_email" },
    ];
    const ends = listAskEnds(notice("task.failed", { status: "failed", closed }));
    expect(ends.map(({ id, personId }) => [id, personId])).toEqual([
      ["qst_1", "per_1"],
      ["apr_1", null],
    ]);
    expect(listAskEnds(notice("task.completed", { status: "completed" }))).toEqual([]);
    expect(ends.map((end) => createSettledMessage("task_1", end).text)).toEqual(["Which?", "May I call `send_email`?"]);
  });

  test("shows a long answer truncated", () => {
    const data = { question_id: "qst_1", query: "Which?", answer: "x".repeat(9000), by: "Ana" };
    expect(listAskEnds(notice("question.answered", data))[0]?.outcome.text.length).toBeLessThan(600);
  });
});

describe("who may decide", () => {
  const question = {
    kind: "question",
    id: "qst_1",
    query: "?",
    choices: null,
    person: "Ana",
    expires_at: null,
  } as const;
  const named = { ...question, person_id: "per_ana" };
  const [ana, bo] = [makePerson("per_ana", "Ana"), makePerson("per_bo", "Bo")];
  const boss = makePerson("per_boss", "Boss", { mayAnswer: false, mayApprove: true });
  const mute = makePerson("per_ana", "Ana", { mayAnswer: false });

  test.each([
    ["the person who was asked", ana, "question", named, true],
    ["another", bo, "question", named, false],
    ["another who may approve", boss, "question", named, true],
    ["the person who was asked, whose answers do not count", mute, "question", named, false],
    ["anyone, for a question without a person", bo, "question", question, true],
    ["anybody whose answers do not count", mute, "question", question, false],
    ["anybody, of a question that is over", bo, "question", null, true],
    ["somebody who may approve", boss, "approval", PENDING, true],
    ["somebody who may only answer", ana, "approval", PENDING, false],
    ["somebody who may only answer, of an approval that is over", ana, "approval", null, false],
  ] as const)("%s", (_, person, kind, pending, may) => {
    expect(findDecisionRefusal(person, kind, pending) === null).toBe(may);
  });
});
