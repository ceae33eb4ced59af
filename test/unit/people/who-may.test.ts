import { describe, expect, test } from "vitest";
import { findDecisionRefusal } from "../../../core/people/who-may.ts";
import type { PendingView } from "../../../core/task/view.ts";

const person = (id: string, mayApprove = false) => ({ id, mayAnswer: true, mayApprove });
const approval = (delegates: boolean | null): PendingView => ({
  kind: "approval",
  id: "apr_1",
  call_id: "call_1",
  tool: "read_mail",
  arguments_hash: "h",
  reason: "",
  expires_at: null,
  decides: delegates === null ? null : { person_id: "per_ana", name: "Ana", delegates },
});
const ANA_DECIDES = "Ana decides this: the call uses Ana's account.";

describe("an approval of a call through a person's account", () => {
  test.each([
    ["its owner", person("per_ana"), false, null],
    ["its owner, who may approve", person("per_ana", true), false, null],
    ["somebody who may approve", person("per_bo", true), false, ANA_DECIDES],
    ["somebody else", person("per_bo"), false, ANA_DECIDES],
    ["a key without a person", null, false, ANA_DECIDES],
    ["its owner, who delegates", person("per_ana"), true, null],
    ["somebody who may approve, for an owner who delegates", person("per_bo", true), true, null],
    ["somebody else, for an owner who delegates", person("per_bo"), true, ANA_DECIDES],
    ["a key without a person, for an owner who delegates", null, true, ANA_DECIDES],
  ] as const)("is decided by %s", (_, decider, delegates, refusal) => {
    expect(findDecisionRefusal(decider, "approval", approval(delegates))).toBe(refusal);
  });
});

test("any other approval is decided by who may approve, and by a key's scopes", () => {
  const { decides: _, ...earlier } = { decides: null, ...approval(null) };
  for (const pending of [approval(null), earlier as PendingView, null]) {
    expect(findDecisionRefusal(person("per_bo", true), "approval", pending)).toBeNull();
    expect(findDecisionRefusal(null, "approval", pending)).toBeNull();
    expect(findDecisionRefusal(person("per_bo"), "approval", pending)).toContain("cannot approve");
  }
});
