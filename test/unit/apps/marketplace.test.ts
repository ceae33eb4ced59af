/** What the marketplace finds, and the state of an app for one caller. */
import { describe, expect, test } from "vitest";
import type { Connection } from "../../../core/connections/connection.ts";
import { filterApps, matchWords } from "../../../workers/apps/match.ts";
import { isConnected, judgeApps, toAppKey } from "../../../workers/apps/states.ts";
import { createConnection } from "../../fakes/connection.ts";
import { makeSnapshot } from "../../fakes/catalogue-snapshot.ts";

const NOW = Date.UTC(2026, 10, 27);
const PERSON = { kind: "person", id: "per_1", name: "Ana" } as const;
const SHARED = { kind: "shared" } as const;

const connection = (change: Partial<Connection>): Connection =>
  createConnection({ app: "gmail", provider: "composio", owner: PERSON, createdAt: NOW, updatedAt: NOW, ...change });

const stateOf = (...given: readonly Partial<Connection>[]) =>
  judgeApps(given.map(connection), NOW).get(toAppKey("composio", "Gmail"));

describe("the state of an app", () => {
  test("is the best of its connections, by whose they are", () => {
    const state = stateOf(
      { id: "con_1", status: "expired" },
      { id: "con_2", status: "failed", owner: SHARED },
      { id: "con_3", status: "revoked" },
    );
    expect(state).toMatchObject({ me: "expired", shared: "failed", best: { connection: { id: "con_1" } } });
    expect(isConnected(state)).toBe(false);
    expect(isConnected(stateOf({ status: "expired" }, { owner: SHARED }))).toBe(true);
    expect(isConnected(undefined)).toBe(false);
  });

  test("among equals is that of an own connection, and of the default one", () => {
    const best = (...given: readonly Partial<Connection>[]) => stateOf(...given)?.best.connection.id;
    expect(best({ id: "con_1", owner: SHARED, isDefault: true }, { id: "con_2" })).toBe("con_2");
    expect(best({ id: "con_1" }, { id: "con_2", isDefault: true })).toBe("con_2");
    expect(best({ id: "con_1", isDefault: true, status: "expired" }, { id: "con_2", owner: SHARED })).toBe("con_2");
  });

  test("is pending while a link is open, and none for a connection that nobody made", () => {
    expect(stateOf({ status: "new", pendingUntil: NOW + 1 })).toMatchObject({ me: "pending", shared: null });
    expect(stateOf({ status: "new", pendingUntil: NOW })).toBeUndefined();
    // A reconnect in another window does not count as active before it has ended.
    expect(stateOf({ status: "active", pendingUntil: NOW + 1 })?.me).toBe("pending");
  });

  test("is that of the app's own name, in any case, and of its provider", () => {
    const own = connection({ app: "Gmail" });
    const states = judgeApps([own, connection({ app: "gmail", provider: "mcp", status: "expired" })], NOW);
    expect(states.get(toAppKey("composio", "gmail"))?.best.status).toBe("active");
    expect(states.get(toAppKey("mcp", "GMAIL"))?.best.status).toBe("expired");
    expect(states.get(toAppKey("oauth", "gmail"))).toBeUndefined();
  });
});

describe("a search", () => {
  const { apps } = makeSnapshot([
    { app: "gmail", title: "Gmail", description: "Mail by Google.", categories: ["communication"] },
    { app: "google_drive", title: "Drive", description: "Files.", categories: ["Files"] },
    { app: "gone", title: "Gone mail", status: "removed" },
  ]);
  const find = (filter: Partial<Parameters<typeof filterApps>[1]>) =>
    filterApps(apps, { app: "", category: "", search: "", ...filter }).map(({ app }) => app);

  test("finds words in any order and case, in the name, the title and the description", () => {
    expect(find({ search: "GOOGLE" })).toEqual(["gmail", "google_drive"]);
    expect(find({ search: "google mail" })).toEqual(["gmail"]);
    expect(find({ search: "  drive\tgoogle " })).toEqual(["google_drive"]);
    expect(find({ search: "drive mail" })).toEqual([]);
    expect(find({ search: "   " })).toEqual(["gmail", "google_drive"]);
  });

  test("never finds a removed app, and compares whole names and categories", () => {
    expect(find({ search: "mail" })).toEqual(["gmail"]);
    expect(find({ app: "gone" })).toEqual([]);
    expect(find({ app: "GMAIL" })).toEqual(["gmail"]);
    expect(find({ category: "files" })).toEqual(["google_drive"]);
    expect(find({ category: "file" })).toEqual([]);
  });

  test("of a large catalogue takes milliseconds", () => {
    const many = Array.from({ length: 12_000 }, (_, index) => ({
      title: `Action ${index}`,
      description: `Does what number ${index} says. `.repeat(10),
    }));
    const search = () => many.filter((one) => matchWords("number 11999")(one, "X")).length;
    expect(search()).toBe(1);
    const startedAt = performance.now();
    search();
    // Some milliseconds; the limit is for a machine under load.
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});
