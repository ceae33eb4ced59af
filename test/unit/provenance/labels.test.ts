/** Labels: how they join, which may instruct, and the label of a message without one. */
import { describe, expect, test } from "vitest";
import type { Message } from "../../../core/model/messages.ts";
import {
  joinLabels,
  mayInstruct,
  OPERATOR,
  OUTSIDE,
  PERSON,
  PRINCIPAL,
  TENANT,
} from "../../../core/provenance/label.ts";
import { joinMessages, labelMessage } from "../../../core/model/label-messages.ts";
import { getSourceLabel } from "../../../core/task/source-label.ts";

const ALL = [OPERATOR, PRINCIPAL, PERSON, TENANT, OUTSIDE] as const;

describe("a label", () => {
  test("joined with another is the less trusted one", () => {
    for (const first of ALL) for (const second of ALL) expect(joinLabels(first, second)).toBe(Math.max(first, second));
  });

  test("may instruct up to a person's, and not as a record or a text from outside", () => {
    expect(ALL.filter(mayInstruct)).toEqual([OPERATOR, PRINCIPAL, PERSON]);
  });

  test.each([
    ["api", PRINCIPAL],
    ["schedule", PRINCIPAL],
    ["slack", PRINCIPAL],
    ["email", OUTSIDE],
    ["webhook", OUTSIDE],
  ] as const)("of what came by %s is %i", (channel, label) => {
    expect(getSourceLabel({ channel, id: null })).toBe(label);
  });
});

describe("a message without a label", () => {
  const tool: Message = { role: "tool", callId: "c", name: "t", content: "x" };

  test("is from outside as a tool's result, and of the input's source otherwise", () => {
    expect(labelMessage(tool, PRINCIPAL).label).toBe(OUTSIDE);
    expect(labelMessage({ role: "user", content: "x" }, PRINCIPAL).label).toBe(PRINCIPAL);
    expect(labelMessage({ role: "assistant", content: "x" }, OUTSIDE).label).toBe(OUTSIDE);
    expect(labelMessage({ role: "system", content: "x" }, OUTSIDE).label).toBe(OPERATOR);
    expect(labelMessage({ ...tool, label: TENANT }, PRINCIPAL).label).toBe(TENANT);
  });

  test("counts in the join over a request", () => {
    const messages = [tool, { role: "user", content: "x" } as const].map((one) => labelMessage(one, PRINCIPAL));
    expect(joinMessages(messages)).toBe(OUTSIDE);
    expect(joinMessages([])).toBe(OPERATOR);
  });
});
