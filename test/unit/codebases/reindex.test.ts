/** When a codebase is indexed again: by its rule, and by which pushes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CodebaseSource } from "../../../core/codebases/codebase.ts";
import type { InboxRpc, ReceivedState } from "../../../core/channels/inbox/inbox.ts";
import { type IndexOrder, readIndexItem, toIndexItem, toJoinedItem } from "../../../core/codebases/inbox-item.ts";
import { takeJoined } from "../../../core/codebases/join-request.ts";
import { isOfPush, readPush } from "../../../core/codebases/push.ts";
import { findNextReindex } from "../../../core/codebases/reindex-rule.ts";

const NOON = Date.UTC(2026, 10, 28, 12);
const GIT = "https://code.example.com/Ana/shop.git";

describe("a rule", () => {
  it.each([
    ["1h", "2026-11-28T13:00:00.000Z"],
    ["36h", "2026-11-30T00:00:00.000Z"],
    ["7d", "2026-12-05T12:00:00.000Z"],
    ["15 3 * * *", "2026-11-29T03:15:00.000Z"],
    ["0 * * * *", "2026-11-28T13:00:00.000Z"],
    ["@daily", "2026-11-29T00:00:00.000Z"],
  ])("%s is due next at %s", (every, due) => {
    expect(findNextReindex(every, NOON)).toEqual({ ok: true, value: Date.parse(due) });
  });

  it.each(["0h", "8d", "169h", "30m", "1w", "* * * * *", "*/30 * * * *", "0,30 * * * *", "every day", "", "0 9 * *"])(
    "%j is refused",
    (every) => {
      expect(findNextReindex(every, NOON)).toMatchObject({
        ok: false,
        error: { code: "invalid_input", field: "every" },
      });
    },
  );

  it("may be absent", () => {
    expect(findNextReindex(null, NOON)).toEqual({ ok: true, value: null });
  });
});

describe("a push", () => {
  const payload = (ref: string, more: object = {}) => ({
    ref,
    repository: { clone_url: "https://code.example.com/ana/shop.git", default_branch: "main" },
    ...more,
  });
  const isOf = (source: CodebaseSource, given: unknown) => {
    const push = readPush(given);
    return push !== null && isOfPush(source, push);
  };

  it.each<[CodebaseSource, unknown, boolean]>([
    [{ git: GIT }, payload("refs/heads/main"), true],
    [{ git: "https://code.example.com/ana/shop/" }, payload("refs/heads/main"), true],
    [{ git: GIT }, payload("refs/heads/other"), false],
    [{ git: GIT, ref: "other" }, payload("refs/heads/other"), true],
    [{ git: GIT, ref: "other" }, payload("refs/heads/main"), false],
    [{ git: GIT, ref: "v1" }, payload("refs/tags/v1"), true],
    [{ git: GIT, ref: "refs/heads/x" }, payload("refs/heads/x"), true],
    [{ git: "https://code.example.com/ana/shopper.git" }, payload("refs/heads/main"), false],
    [{ git: "https://other.example.com/ana/shop.git" }, payload("refs/heads/main"), false],
    [{ git: "https://code.example.com:8443/ana/shop.git" }, payload("refs/heads/main"), false],
    [{ project: "shop" }, payload("refs/heads/main"), false],
    [{ git: GIT }, { ref: "refs/heads/main", repository: {} }, false],
    [{ git: GIT, ref: "other" }, payload("other"), false],
    [{ git: GIT }, { action: "opened" }, false],
    [{ git: GIT }, null, false],
  ])("of %j, with %j: %s", (source, given, expected) => {
    expect(isOf(source, given)).toBe(expected);
  });

  it("is read of any payload, and null for what is not a push", () => {
    const wrong = [
      undefined,
      7,
      "push",
      [payload("refs/heads/main")],
      { raw_body: "ref=refs/heads/main" },
      payload("refs/heads/main", { deleted: "yes" }),
      payload("refs/heads/main", { repository: "ana/shop" }),
      payload("refs/heads/main", { repository: { clone_url: 7 } }),
      payload("refs/heads/main", { repository: { clone_url: `https://x.example/${"a".repeat(3_000)}` } }),
      payload(`refs/heads/${"a".repeat(400)}`),
    ];
    for (const given of wrong) expect(readPush(given), JSON.stringify(given)?.slice(0, 80)).toBeNull();
    const field = fc.oneof(fc.jsonValue(), fc.constantFrom("refs/heads/main", GIT, "https://", "//", "a:b", "\ud800"));
    const repository = fc.record({ clone_url: field, html_url: field, default_branch: field }, { requiredKeys: [] });
    const any = fc.record(
      { ref: field, deleted: field, repository: fc.oneof(field, repository) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(any, fc.jsonValue()), (given) => {
        const push = readPush(given);
        if (push === null) return;
        expect(push.ref).toMatch(/^refs\//);
        expect(isOfPush({ git: "https://never.example/a.git" }, push)).toBe(false);
      }),
    );
  });

  it("is read of a large payload by its few fields", () => {
    const commits = Array.from({ length: 20_000 }, (_, at) => ({ id: `${at}`, message: "m".repeat(40) }));
    expect(isOf({ git: GIT }, payload("refs/heads/main", { commits, pusher: { name: "x".repeat(1_000_000) } }))).toBe(
      true,
    );
  });

  it("says whether it deleted its ref", () => {
    expect(readPush(payload("refs/heads/main", { deleted: true }))?.isDeletion).toBe(true);
  });
});

describe("a request", () => {
  it("joins those that no attempt has begun after, and not one of an administrator", () => {
    const [one, other] = [toJoinedItem("cdb_1", 3, 5), toJoinedItem("cdb_1", 3, 9)];
    expect(one.id).toBe(other.id);
    expect(one.lane).toBe("cdb_1");
    expect(toJoinedItem("cdb_1", 4, 9).id).not.toBe(one.id);
    expect(toIndexItem({ codebase: "cdb_1", after: 3 }, "aud_1", 9).id).not.toBe(one.id);
  });

  it("is not dropped because one that has ended has its number", async () => {
    const states = new Map<string, ReceivedState>();
    const orders: (IndexOrder | null)[] = [];
    const inbox: Pick<InboxRpc, "take" | "stateOf"> = {
      async take({ id, body }) {
        const known = await Promise.resolve(states.get(id));
        if (known !== undefined) return { isNew: false, isOver: known === "done" || known === "refused" };
        states.set(id, "waiting");
        orders.push(readIndexItem(body));
        return { isNew: true };
      },
      stateOf: async (id) => await Promise.resolve(states.get(id) ?? null),
    };
    let count = 0;
    const request = async () => {
      await takeJoined(inbox, { codebase: "cdb_1", builds: 3 }, { now: 5, unique: `u${(count += 1)}` });
      return orders.length;
    };
    expect([await request(), await request()]).toEqual([1, 1]);
    for (const state of ["done", "refused", "dead"] as const) {
      const before = orders.length;
      states.set(toJoinedItem("cdb_1", 3, 5).id, state);
      expect([await request(), await request()], state).toEqual([before + 1, before + 2]);
    }
    expect(new Set(orders.map((order) => JSON.stringify(order)))).toEqual(new Set(['{"codebase":"cdb_1","after":3}']));
  });

  it("is not taken by a full inbox, which says when to repeat it", async () => {
    const full = async () => await Promise.resolve({ isNew: false, retryAfterMs: 7 });
    const inbox = { take: full, stateOf: async () => await Promise.resolve(null) };
    const taken = await takeJoined(inbox, { codebase: "cdb_1", builds: 3 }, { now: 5, unique: "u" });
    expect(taken).toEqual({ isNew: false, retryAfterMs: 7 });
  });

  it("is read as it was written, also by an earlier release", () => {
    expect(readIndexItem(toJoinedItem("cdb_1", 3, 5).body)).toEqual({ codebase: "cdb_1", after: 3 });
    expect(readIndexItem({ codebase: "cdb_1" })).toEqual({ codebase: "cdb_1", after: null });
    expect(readIndexItem({ after: 3 })).toBeNull();
  });
});
