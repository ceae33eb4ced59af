/** A call without a usable account waits for one: once, without an attempt, for a week. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Account, ConnectNeed } from "../../../core/connections/account.ts";
import type { AccountedCall, CallOutcome, Command, PreparedCall } from "../../../core/task/commands.ts";
import { MAX_ACCOUNT_ROUNDS } from "../../../core/task/connections.ts";
import type { Decision } from "../../../core/task/decision.ts";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import { getOpenWaits } from "../../../core/task/open-waits.ts";
import type { TaskState } from "../../../core/task/state.ts";
import { getStatus } from "../../../core/task/status.ts";
import { decide, findNextWake } from "../../../core/task/task.ts";
import { getPending } from "../../../core/task/view.ts";
import { anyCommand } from "./any-command.ts";
import { created, drawsFrom, preparedCall, requestCalls, startThinking, wake } from "./play-task.ts";
import { StoredDecisions } from "./stored-decisions.ts";

const WEEK_MS = 7 * 86_400_000;
const NEED: ConnectNeed = { app: "crm", reason: "missing", person: "per_ana" };
const ACCOUNT: Account = {
  connection: "con_ana",
  app: "crm",
  provider: "oauth",
  owner: { kind: "person", id: "per_ana", name: "Ana" },
  label: "ana@acme.example",
  consent: 1,
  delegates: false,
};
const { consent: _, delegates: __, ...SHOWN } = ACCOUNT;

/** A task whose one call waits, or has an account. */
function asking(change: Partial<PreparedCall> = { connect: NEED }): Decision {
  const thinking = startThinking();
  return requestCalls(thinking, [preparedCall(thinking, 0, change)]);
}

function getWaitId(state: TaskState): string {
  const open = getPending(state).find(({ kind }) => kind === "connection");
  return open?.kind === "connection" ? open.id : "";
}
const connect = (state: TaskState, now = 5) => decide(state, { type: "connect", wait: getWaitId(state) }, now);
const skip = (wait: string): Command => ({ type: "skip_connection", wait, by: "Bo", request: null });
const eventsOf = ({ events }: Decision, type: string) => events.filter((one) => one.type === type);
const [first] = asking().state.batch;
const CALL = first?.id ?? "";

function runnerOf({ step, phase }: TaskState) {
  return { step, incarnation: "incarnation" in phase ? phase.incarnation : "" };
}

function account(state: TaskState, ruling: AccountedCall, now = 6): Decision {
  return decide(state, { type: "call_accounted", ...runnerOf(state), callId: CALL, arguments: {}, ruling }, now);
}

function bound(change: Partial<Extract<AccountedCall, { kind: "account" }>> = {}): AccountedCall {
  return { kind: "account", account: ACCOUNT, argumentsHash: "bound", touches: [], approval: null, ...change };
}

/** The call's account is being chosen again: by the run of the alarm called `incarnation`. */
function visiting(state: TaskState, incarnation: string, now = 5): Decision {
  return wake(connect(state, now).state, incarnation, now);
}

describe("a call without a usable account", () => {
  test("waits for a person, without an attempt, and shows whose account it needs", () => {
    const asked = asking();
    expect(getStatus(asked.state)).toBe("waiting_input");
    expect(asked.state.batch).toMatchObject([{ attempts: 0, state: "intended" }]);
    expect(getPending(asked.state)).toEqual([
      {
        kind: "connection",
        id: CALL.replace("call_", "cnw_"),
        call_id: CALL,
        tool: "t",
        app: "crm",
        reason: "missing",
        person_id: "per_ana",
        connect_url: null,
        expires_at: new Date(1 + WEEK_MS).toISOString(),
      },
    ]);
    expect(getOpenWaits(asked.state)).toMatchObject([{ kind: "connection", person: null, person_id: "per_ana" }]);
    expect(eventsOf(asked, "connection.requested")).toMatchObject([
      { data: { call_id: CALL, wait_id: getWaitId(asked.state), app: "crm", reason: "missing", person_id: "per_ana" } },
    ]);
    expect(JSON.stringify(asked.events)).not.toContain("http");
    expect(findNextWake(asked.state, 1)).toBe(1 + WEEK_MS);
    expect(asked.state.clock.since).toBeNull();
  });

  test("lets the other calls of its step run", () => {
    const thinking = startThinking();
    const calls = [preparedCall(thinking, 0, { connect: NEED }), preparedCall(thinking, 1)];
    const { work } = requestCalls(thinking, calls);
    expect(work).toMatchObject({ kind: "act", calls: [{ callId: calls[1]?.id }], later: [] });
  });

  test("has its account chosen again once one may be usable, without an attempt", () => {
    const { state, work, ledger } = visiting(asking().state, "b");
    expect(work).toMatchObject({ kind: "act", calls: [], later: [{ callId: CALL, mode: "account", attempt: 1 }] });
    expect(ledger).toEqual([]);
    const started = decide(state, { type: "calls_starting", ...runnerOf(state), callIds: [CALL] }, 5);
    expect(started.state.batch[0]?.attempts).toBe(0);
  });

  test("then runs through that account, which the ledger and the events name", () => {
    const accounted = account(visiting(asking().state, "b").state, bound());
    expect(accounted.ledger).toEqual([{ kind: "account", callId: CALL, account: ACCOUNT, argumentsHash: "bound" }]);
    expect(eventsOf(accounted, "connection.ready")).toEqual([
      {
        type: "connection.ready",
        data: { wait_id: CALL.replace("call_", "cnw_"), call_id: CALL, app: "crm", account: SHOWN },
      },
    ]);
    const ended = decide(accounted.state, { type: "runner_call_ended", ...runnerOf(accounted.state) }, 6);
    const running = wake(ended.state, "c", 6);
    expect(running.work).toMatchObject({ calls: [{ callId: CALL, mode: "run", attempt: 1 }] });
    const outcome: CallOutcome = confirmedOutcome({}, "done", 1);
    const settled = decide(
      running.state,
      { type: "call_settled", ...runnerOf(running.state), callId: CALL, outcome },
      7,
    );
    expect(eventsOf(settled, "call.completed")).toMatchObject([{ data: { account: SHOWN } }]);
  });

  test("then asks for the approval that this account needs", () => {
    const approval = {
      reason: "Others wrote.",
      expiresInMs: 60_000,
      owner: { person: "per_ana", name: "Ana", mayDelegate: false },
    };
    const accounted = account(visiting(asking().state, "b").state, bound({ approval }));
    expect(getPending(accounted.state)).toMatchObject([
      { kind: "approval", arguments_hash: "bound", account: SHOWN, decides: { person_id: "per_ana" } },
    ]);
    expect(eventsOf(accounted, "approval.requested")).toMatchObject([{ data: { account: SHOWN } }]);
  });

  test("waits again under another id where it still finds none, until the same time", () => {
    const again = account(visiting(asking().state, "b", 50).state, { kind: "needed", need: NEED }, 60);
    const [wait] = getPending(again.state);
    expect(wait).toMatchObject({
      id: CALL.replace("call_", "cnw_") + "r1",
      expires_at: new Date(1 + WEEK_MS).toISOString(),
    });
    expect(again.state.batch[0]?.attempts).toBe(0);
  });

  test("waits for its files after its account", () => {
    const { state } = visiting(asking({ connect: NEED, namesFiles: true }).state, "b");
    const approval = { reason: "asked", expiresInMs: 60_000 };
    const accounted = account(state, bound({ approval }));
    const ended = decide(accounted.state, { type: "runner_call_ended", ...runnerOf(accounted.state) }, 6);
    expect(wake(ended.state, "c", 2000).work).toMatchObject({ later: [{ mode: "bind" }] });
  });

  test("is given up after as many changes of its account as are allowed", () => {
    let state = asking({ account: ACCOUNT }).state;
    for (let round = 0; round <= MAX_ACCOUNT_ROUNDS; round += 1) {
      const decision = account(state, bound({ argumentsHash: `h${round}` }), 10 + round);
      const ended = decide(decision.state, { type: "runner_call_ended", ...runnerOf(decision.state) }, 10 + round);
      if (ended.state.batch[0]?.state !== "intended") break;
      expect(round).toBeLessThan(MAX_ACCOUNT_ROUNDS);
      state = wake(ended.state, `r${round}`, 10 + round).state;
      expect(state.batch[0]?.attempts).toBe(1);
    }
    const [call] = state.batch;
    expect(call?.accountRounds?.rounds).toBe(MAX_ACCOUNT_ROUNDS);
  });
});

describe("the end of a wait for an account", () => {
  const settlement = ({ ledger }: Decision) => ledger.find(({ kind }) => kind === "settle");

  test("comes after a week, and the model reads why", () => {
    const { state } = asking();
    const expired = decide(state, { type: "wake", incarnation: "b" }, 1 + WEEK_MS);
    const message = "Nobody connected crm in time, so this was not done.";
    expect(settlement(expired)).toMatchObject({
      state: "refused",
      result: { error: { code: "permission_denied", message } },
    });
    expect(decide(expired.state, skip(getWaitId(state)), 2 + WEEK_MS).refused).toMatchObject({ code: "gone" });
  });

  test("comes with a person's decision to continue without it, which counts once", () => {
    const { state } = asking();
    const wait = getWaitId(state);
    const skipped = decide(state, skip(wait), 5);
    const message = "A person decided to continue without crm.";
    expect(settlement(skipped)).toMatchObject({ result: { error: { code: "permission_denied", message } } });
    expect(skipped.state.actors).toBe(state.actors);
    expect(decide(skipped.state, skip(wait), 6).refused).toMatchObject({ code: "conflict" });
    expect(decide(state, skip("cnw_x"), 6).refused).toMatchObject({ code: "not_found" });
    expect(decide(state, skip(wait), 1 + WEEK_MS).refused).toMatchObject({ code: "gone" });
  });

  test("comes once: a second report that an account may be usable, or one of another wait, changes nothing", () => {
    const { state } = asking();
    const wait = getWaitId(state);
    const connected = connect(state).state;
    expect(decide(connected, { type: "connect", wait }, 6).state).toBe(connected);
    expect(decide(state, { type: "connect", wait: "cnw_x" }, 6)).toMatchObject({ state, refused: null });
    expect(decide(connected, skip(wait), 6).refused).toMatchObject({ code: "conflict" });
  });

  test("comes with the end of the task, whose last event names it", () => {
    const { state } = asking();
    const cancelled = decide(state, { type: "cancel", by: "Bo" }, 5);
    expect(eventsOf(cancelled, "task.cancelled")).toMatchObject([
      { data: { closed: [{ kind: "connection", id: getWaitId(state), tool: "t" }] } },
    ]);
  });
});

describe("an account that changes before the effect", () => {
  test("takes back the attempt, which sent nothing", () => {
    const { state } = asking({ account: ACCOUNT });
    expect(state.batch[0]?.attempts).toBe(1);
    const waiting = account(state, { kind: "needed", need: { ...NEED, reason: "expired" } });
    expect(waiting.state.batch).toMatchObject([{ attempts: 0, wait: { kind: "connection", reason: "expired" } }]);
    expect(waiting.ledger).toEqual([{ kind: "attempt", callId: CALL, attempts: 0 }]);
  });

  test("voids the approval, and asks again under another id", () => {
    const approval = { reason: "asked", expiresInMs: 60_000 };
    const asked = asking({ account: ACCOUNT, askFirst: "asked", approval }).state;
    const [pending] = getPending(asked);
    const id = pending?.kind === "approval" ? pending.id : "";
    const decided = {
      approval: id,
      decision: "approve",
      revised: null,
      reason: null,
      by: "Ana",
      request: null,
    } as const;
    const approved = wake(decide(asked, { type: "approval_decided", ...decided }, 5).state, "b", 5).state;
    const again = account(approved, bound({ account: { ...ACCOUNT, consent: 2 }, approval })).state;
    expect(getPending(again)).toMatchObject([{ kind: "approval", id: `${id}r1`, arguments_hash: "bound" }]);
    const late = decide(again, { type: "approval_decided", ...decided }, 7);
    expect(late.refused).toMatchObject({ code: "gone" });
  });

  test("needs no second approval of the owner who gave it; a delegate's counts as none of the owner", () => {
    const owner = { person: "per_ana", name: "Ana", mayDelegate: true };
    const approval = { reason: "asked", expiresInMs: 60_000, owner };
    const asked = asking({ account: ACCOUNT, askFirst: "asked", approval }).state;
    const [pending] = getPending(asked);
    const plain = { decision: "approve", revised: null, reason: null, by: "somebody", request: null } as const;
    const approve = (person: string) => {
      const decided = { ...plain, approval: pending?.kind === "approval" ? pending.id : "", person, mayApprove: true };
      return decide(asked, { type: "approval_decided", ...decided }, 5).state.batch[0]?.accountRounds;
    };
    expect(approve("per_ana")).toEqual({ askFirst: "asked", rounds: 0, isApprovedByOwner: true });
    expect(approve("per_bo")).toEqual({ askFirst: "asked", rounds: 0 });
  });

  test("is refused by the app itself: the call waits, and its attempt did nothing", () => {
    const { state } = asking({ account: ACCOUNT });
    const control = { kind: "connect", app: "crm", reason: "expired" } as const;
    const outcome = { ...confirmedOutcome(null, "", 1), control };
    const settled = decide(state, { type: "call_settled", ...runnerOf(state), callId: CALL, outcome }, 5);
    expect(settled.state.batch).toMatchObject([
      { attempts: 0, wait: { kind: "connection", reason: "expired", person: "per_ana" } },
    ]);
  });

  test("is refused by the app after an attempt that may have happened: the outcome stays unknown", () => {
    const { state } = asking({ account: ACCOUNT });
    const cutOff = wake(state, "b", 5000).state;
    const unknown = cutOff.batch[0]?.state;
    expect(unknown).toBe("unknown");
  });
});

describe("any commands in any order", () => {
  test("open each wait once, and count no attempt of a call that waits for an account", () => {
    let waits = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const draw = drawsFrom(seed);
        let state = created();
        let now = 0;
        const stored = new StoredDecisions();
        const requested = new Set<string>();
        stored.keep({ ...decide(state, { type: "called" }, 0), state });
        for (let i = 0; i < 120; i += 1) {
          now += Math.floor(draw() * 2000);
          const decision = decide(state, anyCommand(state, draw), now);
          if (decision.refused !== null) continue;
          stored.keep(decision);
          state = decision.state;
          for (const { data } of eventsOf(decision, "connection.requested")) {
            expect(requested.has(String(data["wait_id"]))).toBe(false);
            requested.add(String(data["wait_id"]));
          }
          for (const { id, wait, accountRounds, attempts, state: its } of state.batch) {
            if (its !== "intended" || (wait?.kind !== "connection" && accountRounds?.isDue !== true)) continue;
            waits += 1;
            expect([attempts, stored.ledger.get(id)?.attempts]).toEqual([0, 0]);
            if (wait?.kind === "connection") expect(wait.expiresAt).toBe(accountRounds?.connectBy);
          }
          if (decision.work?.kind === "act") {
            const due = new Set(state.batch.flatMap((one) => (one.accountRounds?.isDue === true ? [one.id] : [])));
            for (const call of [...decision.work.calls, ...decision.work.later])
              expect(call.mode === "account").toBe(due.has(call.callId));
          }
        }
      }),
      { numRuns: 200 },
    );
    expect(waits).toBeGreaterThan(100);
  });
});
