import { describe, expect, it } from "vitest";
import { entryKey, followInbox, type ShownEntry } from "../../../web/src/pages/inbox/follow-inbox.ts";
import type { InboxEntry } from "../../../web/src/api/types.generated.ts";

const IDLE = { done: new Set<string>(), focused: null, isWritten: () => false };

function question(id: string): InboxEntry {
  const task = {
    id: `task of ${id}`,
    parent_id: null,
    title: id,
    status: "waiting_input" as const,
    agent: "agent_1",
    project: null,
    created_at: "2026-11-21T10:00:00.000Z",
    ended_at: null,
  };
  const pending = { kind: "question" as const, id, query: id, choices: null, person: null, expires_at: null };
  return { task, pending, since: "2026-11-21T10:00:00.000Z" };
}

function unknown(callId: string, since: string): InboxEntry {
  const pending = { kind: "unknown" as const, call_id: callId, tool: "http_request", arguments: {} };
  return { ...question(callId), pending, since };
}

function named(entries: readonly ShownEntry[]): string[] {
  return entries.map(({ entry, isSettled }) => `${entry.task.title}${isSettled ? " settled" : ""}`);
}

const keyOf = (id: string): string => entryKey(question(id));

describe("the inbox while it changes", () => {
  const entries = followInbox([], [question("a"), question("b")], IDLE);

  it("shows what waits, and adds what comes at the end", () => {
    expect(named(followInbox(entries, [question("0"), question("a"), question("b")], IDLE))).toEqual(["a", "b", "0"]);
  });

  it("lets go of what waits no longer", () => {
    expect(named(followInbox(entries, [question("b")], IDLE))).toEqual(["b"]);
  });

  it("retains a focused entry, and marks it as settled", () => {
    const next = followInbox(entries, [question("b")], { ...IDLE, focused: keyOf("a") });
    expect(named(next)).toEqual(["a settled", "b"]);
  });

  it("retains an entry with typed text", () => {
    const next = followInbox(entries, [], { ...IDLE, isWritten: ({ key }) => key === keyOf("b") });
    expect(named(next)).toEqual(["b settled"]);
  });

  it("shows nothing again that was decided here, although the index still has it", () => {
    const done = new Set([keyOf("a")]);
    expect(named(followInbox(entries, [question("a"), question("b")], { ...IDLE, done, focused: keyOf("a") }))).toEqual(
      ["b"],
    );
  });

  it("shows a call again whose outcome is unknown a second time", () => {
    const first = unknown("call_1", "2026-11-21T10:00:00.000Z");
    const again = unknown("call_1", "2026-11-21T10:05:00.000Z");
    const done = new Set([entryKey(first)]);
    expect(followInbox([], [again], { ...IDLE, done })).toHaveLength(1);
  });
});
