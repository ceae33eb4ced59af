/** An approval of a call through a person's account: that person decides it, whichever channel the decision came by. */
import { describe, expect, test } from "vitest";
import type { Command, PreparedCall } from "../../../core/task/commands.ts";
import type { ApprovalOwner } from "../../../core/task/wait.ts";
import type { TaskState } from "../../../core/task/state.ts";
import { decide } from "../../../core/task/task.ts";
import { getPending } from "../../../core/task/view.ts";
import { preparedCall, requestCalls, startThinking, wake } from "./play-task.ts";

const ANA: ApprovalOwner = { person: "per_ana", name: "Ana", mayDelegate: false };
const DELEGATES: ApprovalOwner = { ...ANA, mayDelegate: true };
const REFUSED = { code: "forbidden", message: "Ana decides this: the call uses Ana's account." };
type Decided = Extract<Command, { type: "approval_decided" }>;

function waiting(owner: ApprovalOwner | null, change: Partial<PreparedCall> = {}): TaskState {
  const thinking = startThinking();
  const approval = { reason: "asked", expiresInMs: 60_000, ...(owner === null ? {} : { owner }) };
  return requestCalls(thinking, [preparedCall(thinking, 0, { approval, ...change })]).state;
}

function decideBy(state: TaskState, change: Partial<Decided>) {
  const { wait } = state.batch[0] ?? {};
  const approval = wait?.kind === "approval" ? wait.id : "";
  const plain = { decision: "approve", revised: null, reason: null, by: "somebody", request: null } as const;
  return decide(state, { type: "approval_decided", approval, ...plain, ...change }, 5);
}

const OTHERS: readonly Partial<Decided>[] = [
  {},
  { person: null },
  { person: null, mayApprove: true },
  { person: "per_bo" },
  { person: "per_bo", mayApprove: true },
  { mayApprove: true },
];

describe("the owner's approval", () => {
  test("is refused to everybody else, for both decisions and with other arguments, and stays open", () => {
    const state = waiting(ANA);
    const revised = { arguments: {}, argumentsHash: "h1", effect: "once", revisedFrom: "h0", note: "" } as const;
    for (const other of OTHERS) {
      for (const change of [{}, { decision: "refuse", reason: "no" } as const, { revised }]) {
        const decision = decideBy(state, { ...other, ...change });
        expect(decision.refused).toEqual(REFUSED);
        expect(decision.state).toBe(state);
      }
    }
  });

  test("is decided by the owner, without the general permission", () => {
    for (const decision of ["approve", "refuse"] as const) {
      const { refused, state } = decideBy(waiting(ANA), { person: "per_ana", decision });
      expect(refused).toBeNull();
      expect(state.batch[0]?.wait ?? null).toBeNull();
    }
  });

  test("is decided by others who may approve only if the owner delegates", () => {
    const refusals = OTHERS.map((other) => decideBy(waiting(DELEGATES), other).refused?.code ?? null);
    expect(refusals).toEqual(["forbidden", "forbidden", "forbidden", "forbidden", null, "forbidden"]);
  });

  test("is explained first by its end: a settled or expired one names no owner", () => {
    const state = waiting(ANA);
    const { wait } = state.batch[0] ?? {};
    const approval = wait?.kind === "approval" ? wait.id : "";
    const settled = decideBy(state, { person: "per_ana", by: "Ana" }).state;
    const late = decideBy(settled, { approval, person: "per_bo" });
    expect(late.refused).toMatchObject({ code: "conflict", cause: { kind: "decided", by: "Ana" } });
  });

  test("shows who decides, in what is pending and in its event; any other shows nobody", () => {
    const decides = { person_id: "per_ana", name: "Ana", delegates: false };
    const asked = requestCalls(startThinking(), [
      preparedCall(startThinking(), 0, { approval: { reason: "asked", expiresInMs: 60_000, owner: ANA } }),
    ]);
    expect(asked.events.find(({ type }) => type === "approval.requested")?.data["decides"]).toEqual(decides);
    expect(getPending(asked.state)).toMatchObject([{ kind: "approval", decides }]);
    expect(getPending(waiting(null))).toMatchObject([{ kind: "approval", decides: null }]);
    expect(decideBy(waiting(null), {}).refused).toBeNull();
  });
});

describe("the owner's approval of a call that names files", () => {
  const file = (hash: string) => ({ path: "a.txt", size: 3, hash: hash.repeat(32), contentType: "text/plain" });
  const bind = (state: TaskState, hash: string) => {
    const { id = "" } = state.batch[0] ?? {};
    const ref = { step: state.step, incarnation: "incarnation" in state.phase ? state.phase.incarnation : "" };
    const command = {
      type: "call_bound",
      ...ref,
      callId: id,
      arguments: { path: "a.txt" },
      files: [file(hash)],
    } as const;
    return decide(state, command, 3).state;
  };

  test("is the owner's as soon as its content is known, and again after the content changed", () => {
    const first = bind(waiting(ANA, { namesFiles: true }), "ab");
    expect(getPending(first)).toMatchObject([{ decides: { person_id: "per_ana" } }]);
    expect(decideBy(first, { person: "per_bo", mayApprove: true }).refused).toEqual(REFUSED);
    const approved = decideBy(first, { person: "per_ana" }).state;
    const again = bind(wake(approved, "b", 6).state, "cd");
    expect(getPending(again)).toMatchObject([{ decides: { person_id: "per_ana" } }]);
    expect(decideBy(again, {}).refused).toEqual(REFUSED);
  });

  test("stays the owner's when only the owner's own arguments name a file", () => {
    const revised = {
      arguments: {},
      argumentsHash: "h1",
      effect: "once",
      revisedFrom: "h0",
      note: "",
      files: [file("ab")],
    } as const;
    const approved = decideBy(waiting(ANA), { person: "per_ana", revised }).state;
    expect(approved.batch[0]?.consent?.owner).toEqual(ANA);
  });
});
