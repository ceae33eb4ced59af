/** The accounts' judge finds a task that ended twice, a note that was added twice, and a credential of somebody else. */
import { describe, expect, test } from "vitest";
import { accountScript, formatActed } from "../../drill/accounts/account-script.ts";
import { type ActedEvidence, judgeActed } from "../../drill/accounts/judge-accounts.ts";
import type { LedgerBody } from "../../drill/api-client.ts";
import type { ApiRequest } from "../../mock-servers/oauth-app-api.ts";
import { APP_USERS, type AppUser } from "../../mock-servers/oauth-grants.ts";
import type { WireMessage } from "../../mock-servers/model-server.ts";

const [ana, ben] = APP_USERS as readonly [AppUser, AppUser];

function noteOf(user: AppUser, isAccepted = true): ApiRequest {
  const body = JSON.stringify({ text: "d" });
  const credential = `canary-access-${user.id}-1`;
  return { method: "POST", path: "/api/notes", credential, user: isAccepted ? user.id : null, body };
}

function rowOf(state: string, owner = "per_ana"): ActedEvidence["ledger"][number] {
  const row: LedgerBody = {
    call_id: "c",
    step: 1,
    tool: "crm.add_note",
    effect: "once",
    state,
    key: "k",
    attempts: 1,
    arguments_hash: "h",
  };
  return { ...row, account: { owner: { kind: "person", id: owner } } };
}

const GOOD: ActedEvidence = {
  drill: "d",
  member: { user: ana, person: "per_ana" },
  task: { status: "completed", output: { text: formatActed("d", "ana"), files: [] } },
  events: [{ seq: 1, type: "task.completed", data: {} }],
  ledger: [rowOf("confirmed")],
  notes: [noteOf(ana)],
  wasKilled: false,
};

describe("the accounts' judge", () => {
  test("accepts one note of the task's own person, after a refused token too", () => {
    expect(judgeActed(GOOD)).toEqual([]);
    expect(judgeActed({ ...GOOD, notes: [noteOf(ana, false), noteOf(ana)] })).toEqual([]);
  });

  test.each<[string, Partial<ActedEvidence>, string]>([
    ["a note added twice", { notes: [noteOf(ana), noteOf(ana)] }, "d: its note was added 2 times"],
    ["a task that ended twice", { events: [...GOOD.events, ...GOOD.events] }, "d: task.completed 2 times"],
    ["a task that failed", { task: { ...GOOD.task, status: "failed" } }, "d: ended as failed"],
    ["a note that never arrived", { notes: [] }, "d: its note is confirmed, and was never added"],
    ["an account of somebody else", { ledger: [rowOf("confirmed", "per_ben")] }, "d: crm.add_note acted through the"],
    ["an outcome that nothing hides", { ledger: [rowOf("unknown")] }, "d: the ledger says unknown"],
  ])("finds %s", (_, change, line) => {
    expect(judgeActed({ ...GOOD, ...change })).toEqual([expect.stringContaining(line)]);
  });

  test("finds a token of somebody else, also one that the app refused", () => {
    for (const isAccepted of [true, false]) {
      const notes = [...(isAccepted ? [] : GOOD.notes), noteOf(ben, isAccepted)];
      expect(judgeActed({ ...GOOD, notes })).toEqual([
        expect.stringContaining("a credential of another person arrived"),
      ]);
    }
  });

  test("accepts an unknown outcome after a kill, whether the note was added or not", () => {
    const killed = { ...GOOD, ledger: [rowOf("unknown")], wasKilled: true };
    expect(judgeActed(killed)).toEqual([]);
    expect(judgeActed({ ...killed, notes: [] })).toEqual([]);
  });
});

describe("the accounts' model", () => {
  const first: WireMessage = { role: "user", content: JSON.stringify({ drill: "d", kind: "acts" }) };
  const tool = (content: string): WireMessage => ({ role: "tool", content });
  const nextOf = (...results: string[]) => accountScript([first, ...results.map(tool)]);
  const ADDED = '{"owner":"ana","notes":["d"]}';
  const UNKNOWN = "Error (outcome_unknown): It was cut off.";

  test("adds its note once, reads whose account it was, and answers", () => {
    expect(nextOf()).toEqual({ calls: [{ name: "crm_add_note", arguments: { text: "d" } }] });
    expect(nextOf(ADDED)).toEqual({ calls: [{ name: "crm_get_me", arguments: {} }] });
    expect(nextOf(ADDED, '{"id":"ana","name":"Ana"}')).toEqual({ text: "d acted for ana" });
  });

  test("repeats a note that was not added after a pause, and never one with an unknown outcome", () => {
    const refused = "Error (upstream_failed): Try again later.";
    expect(nextOf(refused)).toMatchObject({ calls: [{ name: "wait" }] });
    expect(nextOf(refused, "Waited 2 seconds.")).toMatchObject({ calls: [{ name: "crm_add_note" }] });
    expect(nextOf(UNKNOWN)).toMatchObject({ calls: [{ name: "crm_get_me" }] });
    expect(nextOf(ADDED, refused, "Waited 2 seconds.")).toMatchObject({ calls: [{ name: "crm_get_me" }] });
  });
});
