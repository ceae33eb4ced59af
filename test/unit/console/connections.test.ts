/** Connections in the console: what a reader may do, what the forms request, and the account of a call in words. */
import { describe, expect, it } from "vitest";
import type { Connection } from "../../../web/src/api/types.generated.ts";
import {
  type Begun,
  changeOf,
  connectionOf,
  fieldsOf,
  isConnected,
  ownersFor,
  permissionsFor,
  reconnectionOf,
} from "../../../web/src/pages/connections/connection-words.ts";
import { readConnectionsSearch } from "../../../web/src/pages/connections/connections-search.ts";
import { canDecide, describeAccount } from "../../../web/src/pending/account-words.ts";
import { toWebAddress } from "../../../web/src/ui/new-window.ts";

const AT = "2026-11-21T10:00:00.000Z";
const ANA = { kind: "person", id: "per_a", name: "Ana" } as const;
const SHARED = { kind: "shared" } as const;

function rowOf(change: Partial<Connection> = {}): Connection {
  return {
    id: "con_1",
    app: "crm",
    provider: "oauth",
    owner: ANA,
    alias: null,
    is_default: true,
    status: "active",
    label: "ana@acme.example",
    scopes: null,
    unattended: false,
    delegate_approvals: false,
    why: null,
    revocation: null,
    last_used_at: null,
    last_checked_at: null,
    created_at: AT,
    updated_at: AT,
    ...change,
  };
}

describe("what a reader may do", () => {
  const [ana, ben] = [
    { person: "per_a", isAdmin: false },
    { person: "per_b", isAdmin: false },
  ];
  const admin = { person: "per_b", isAdmin: true };
  const nobody = { person: null, isAdmin: true };

  it.each([
    ["its owner", ana, rowOf(), "change disconnect"],
    ["somebody else", ben, rowOf(), ""],
    ["an administrator", admin, rowOf(), "disconnect"],
    ["an administrator without a person", nobody, rowOf(), "disconnect"],
    ["a member, of a shared one", ana, rowOf({ owner: SHARED }), ""],
    ["an administrator, of a shared one", admin, rowOf({ owner: SHARED }), "change disconnect"],
    ["its owner, once it is revoked", ana, rowOf({ status: "revoked" }), "change remove"],
    [
      "its owner, while the app has not confirmed",
      ana,
      rowOf({ status: "revoked", revocation: { state: "open", next_at: AT } }),
      "change",
    ],
    [
      "its owner, when the app never confirmed",
      ana,
      rowOf({ status: "revoked", revocation: { state: "unconfirmed", next_at: AT } }),
      "change remove",
    ],
  ])("%s", (_who, reader, row, may) => {
    const given = Object.entries(permissionsFor(row, reader)).flatMap(([name, is]) => (is ? name : []));
    expect(given.join(" ")).toBe(may);
  });

  it("connects own accounts with a person, and shared ones as an administrator", () => {
    const either = { owners: ["me", "shared"] as ("me" | "shared")[] };
    expect(ownersFor(either, ana)).toEqual(["me"]);
    expect(ownersFor(either, admin)).toEqual(["me", "shared"]);
    expect(ownersFor(either, nobody)).toEqual(["shared"]);
    expect(ownersFor({ owners: ["shared"] }, ana)).toEqual([]);
  });
});

describe("a request", () => {
  it("connects the chosen owner's account, with a name only if there is one", () => {
    const fields = { app: "crm", owner: "me", alias: "  ", isUnattended: false } as const;
    expect(connectionOf(fields)).toEqual({ app: "crm", owner: "me" });
    expect(connectionOf({ ...fields, alias: " work ", isUnattended: true })).toEqual({
      app: "crm",
      owner: "me",
      alias: "work",
      unattended: true,
    });
    // What the API refuses for a shared account.
    expect(connectionOf({ ...fields, owner: "shared", isUnattended: true })).toEqual({ app: "crm", owner: "shared" });
  });

  it("reconnects the same connection, and keeps what its owner allowed", () => {
    expect(reconnectionOf(rowOf())).toEqual({ app: "crm", owner: "me" });
    expect(reconnectionOf(rowOf({ alias: "work", unattended: true }))).toEqual({
      app: "crm",
      owner: "me",
      alias: "work",
      unattended: true,
    });
    expect(reconnectionOf(rowOf({ owner: SHARED, alias: "team" }))).toEqual({
      app: "crm",
      owner: "shared",
      alias: "team",
    });
  });

  it("changes what was changed", () => {
    const row = rowOf({ alias: "work", is_default: false });
    const fields = fieldsOf(row);
    expect(changeOf(row, fields)).toBeNull();
    expect(changeOf(row, { ...fields, alias: " work " })).toBeNull();
    expect(changeOf(row, { ...fields, alias: "" })).toEqual({ alias: null });
    expect(changeOf(row, { ...fields, isDefault: true, isUnattended: true, delegates: true })).toEqual({
      is_default: true,
      unattended: true,
      delegate_approvals: true,
    });
  });
});

describe("a sign-in in another window", () => {
  const begun: Begun = { request: { app: "crm", owner: "me" }, before: AT };
  it.each([
    ["no row", [], false],
    ["the account as it was", [rowOf()], false],
    ["a sign-in under way", [rowOf({ status: "pending", updated_at: "later" })], false],
    ["the account, connected again", [rowOf({ updated_at: "later" })], true],
    ["another account of the app", [rowOf({ updated_at: "later", alias: "work" })], false],
    ["somebody else's account", [rowOf({ updated_at: "later", owner: { ...ANA, id: "per_b" } })], false],
    ["the shared account", [rowOf({ updated_at: "later", owner: SHARED })], false],
  ])("sees %s", (_what, rows, expected) => {
    expect(isConnected(rows, begun, "per_a")).toBe(expected);
  });
});

it("reads whose connections an address lists", () => {
  expect(readConnectionsSearch({ of: "all" })).toEqual({ of: "all" });
  expect(readConnectionsSearch({ of: "per_a" })).toEqual({});
});

it("calls an account as its app does, else by the app, with its owner", () => {
  const { app, provider, owner, label } = rowOf();
  const account = { connection: "con_1", app, provider, owner, label };
  expect(describeAccount(account)).toEqual({ label: "ana@acme.example", owner: "Ana" });
  expect(describeAccount({ ...account, label: null, owner: SHARED })).toEqual({ label: "crm", owner: null });
});

it("lets the owner of an account decide alone, unless they delegate", () => {
  const decides = { person_id: "per_a", name: "Ana", delegates: false };
  expect(canDecide({}, null)).toBe(true);
  expect(canDecide({ decides: null }, null)).toBe(true);
  expect([null, "per_b", "per_a"].map((person) => canDecide({ decides }, person))).toEqual([false, false, true]);
  expect(canDecide({ decides: { ...decides, delegates: true } }, "per_b")).toBe(true);
});

it.each([
  ["/connect/x", "https://otto.example/connect/x"],
  ["https://other.example/connect/x", "https://other.example/connect/x"],
  ["javascript:alert(1)", null],
  ["data:text/html,x", null],
])("goes to %j as %j", (address, expected) => {
  expect(toWebAddress(address, "https://otto.example/connections")).toBe(expected);
});
