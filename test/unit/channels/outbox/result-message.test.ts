import { describe, expect, test } from "vitest";
import { MAX_CONTENT_CHARACTERS } from "../../../../core/channels/outbox/delivery.ts";
import {
  createMessageDelivery,
  createPlainMessage,
  toTitle,
} from "../../../../core/channels/outbox/message-delivery.ts";
import { createResultMessage } from "../../../../core/channels/outbox/result-message.ts";
import type { TaskView } from "../../../../core/task/view.ts";
import { report, START } from "../../../contracts/database/rows.ts";

const PLACE = { rootId: "task_a", project: null };
const viewOf = (more: Partial<TaskView>): TaskView => ({ ...report().view, ...more });

describe("the result of a task", () => {
  test("is its answer with its files, titled by the latest input", () => {
    const files = [{ path: "report.pdf", size: 3, content_type: "application/pdf" }];
    const input = [
      { role: "user", content: "First" },
      { role: "assistant", content: "Yes?" },
      { role: "user", content: "\n  Write   the report \nplease" },
    ] as const;
    const view = viewOf({ status: "completed", input, output: { text: "Here it is.", files } });
    expect(createResultMessage(view, PLACE)).toMatchObject({
      text: "Here it is.",
      files,
      sandbox: PLACE,
      title: "Write the report",
      isOver: true,
    });
  });

  test.each([
    [
      { status: "cancelled", reason: "cancelled", error: { code: "cancelled", message: "Cancelled." } },
      "The task was cancelled.",
    ],
    [
      {
        status: "failed",
        reason: "budget_exceeded",
        error: { code: "budget_exceeded", message: "The budget of 5 tokens is used up." },
      },
      "The task failed. Its budget is used up. The budget of 5 tokens is used up.",
    ],
    [
      { status: "failed", reason: "iteration_limit", error: null, output: { text: "So far.", files: [] } },
      "The task failed. It reached its limit of steps.\n\nSo far.",
    ],
    [{ status: "failed", reason: null, error: null }, "The task failed."],
  ] satisfies readonly (readonly [Partial<TaskView>, string])[])("explains a missing answer: %#", (more, text) => {
    expect(createResultMessage(viewOf(more), PLACE)).toMatchObject({ text, files: [], sandbox: null });
  });
});

test("a message of any length fits a delivery, and says that it was cut off", () => {
  const asked = {
    tenant: "ten_a",
    target: { channel: "slack", to: "T1/C1" } as const,
    kind: "result" as const,
    task: null,
    about: null,
    at: START,
    random: new Uint8Array(10),
  };
  // JSON's longest escape takes six characters.
  const delivery = createMessageDelivery({ ...asked, message: createPlainMessage("t", "\u0001".repeat(400_000)) });
  expect(JSON.stringify(delivery.content).length).toBeLessThan(MAX_CONTENT_CHARACTERS);
  expect(delivery.content["text"]).toContain("400000 characters altogether");
  const pairs = createMessageDelivery({ ...asked, message: createPlainMessage("t", `a${"😀".repeat(50_000)}`) });
  expect(String(pairs.content["text"]).isWellFormed()).toBe(true);
  expect(createMessageDelivery({ ...asked, message: createPlainMessage("t", "short") }).content["text"]).toBe("short");
});

test("a title is one line of limited length", () => {
  expect(toTitle("\r\n\n Hello\tthere \nworld")).toBe("Hello there");
  expect(toTitle("😀".repeat(200)).isWellFormed()).toBe(true);
  expect(toTitle("x".repeat(200))).toHaveLength(100);
  expect(toTitle("")).toBe("");
});
