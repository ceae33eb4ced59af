/** The apps of a schedule, in the state in which a run would find them. */
import { expect, test } from "vitest";
import type { AccountOwner, OwnerRule, ToolApp } from "../../../core/connections/account.ts";
import type { Connection } from "../../../core/connections/connection.ts";
import { type AppFacts, listAppStates } from "../../../core/schedules/app-states.ts";
import { createConnection } from "../../fakes/connection.ts";

const ANA = "per_ana";
const OF_ANA: AccountOwner = { kind: "person", id: ANA, name: "Ana" };
const SHARED: AccountOwner = { kind: "shared" };

function connection(id: string, owner: AccountOwner, more: Partial<Connection> = {}): Connection {
  return createConnection({ id, owner, isDefault: true, settingsHash: "now", createdAt: 1, ...more });
}

const tool = (owner: OwnerRule = "either", scopes: readonly string[] = [], app = "crm"): ToolApp => {
  return { app, provider: "oauth", owner, scopes };
};

function statesOf(
  connections: readonly Connection[],
  tools = [tool()],
  caller: string | null = ANA,
  config: AppFacts["config"] = {},
) {
  return listAppStates(tools, { config, caller, settings: new Map([["crm", "now"]]), connections });
}

const own = (more: Partial<Connection> = {}) => connection("con_own", OF_ANA, more);
const shared = connection("con_shared", SHARED, { unattended: false });

test.each<[string, ReturnType<typeof statesOf>, object]>([
  [
    "an own one",
    statesOf([own(), shared]),
    { status: "active", connection: "con_own", owner: "person", unattended: true },
  ],
  [
    "not allowed while away",
    statesOf([own({ unattended: false }), shared]),
    { status: "unattended", connection: "con_own", unattended: false },
  ],
  ["shared", statesOf([shared]), { status: "active", connection: "con_shared", owner: "shared", unattended: true }],
  [
    "expired",
    statesOf([own({ status: "expired", why: "The provider refused." })]),
    { status: "expired", why: "The provider refused." },
  ],
  ["revoked", statesOf([own({ status: "revoked" })]), { status: "revoked" }],
  ["of other settings", statesOf([own({ settingsHash: "before" })]), { status: "expired" }],
  ["missing", statesOf([]), { status: "missing", connection: null, owner: "person", unattended: false }],
  ["missing for nobody", statesOf([own()], [tool()], null), { status: "missing", connection: null, owner: "shared" }],
  [
    "another person's",
    statesOf([connection("con_ben", { kind: "person", id: "per_ben", name: "Ben" })]),
    { status: "missing", connection: null },
  ],
])("%s", (_, [state], wanted) => {
  expect(state).toMatchObject({ app: "crm", ...wanted });
});

test("each app once, by name, with the scopes of all its tools", () => {
  const tools = [tool("either", ["read"]), tool("either", [], "calendar"), tool("either", ["write"])];
  expect(statesOf([own({ scopes: ["read"] })], tools)).toMatchObject([
    { app: "calendar", status: "missing" },
    { app: "crm", status: "scopes", connection: "con_own" },
  ]);
});

test("the agent's own words choose a connection, and whose account counts", () => {
  const connections = [own(), shared];
  const named = { app_config: { crm: { connection: "con_shared" } } };
  expect(statesOf(connections, [tool()], ANA, named)).toMatchObject([{ connection: "con_shared" }]);
  const ruled = { app_config: { crm: { owner: "shared" as const } } };
  expect(statesOf(connections, [tool()], ANA, ruled)).toMatchObject([{ connection: "con_shared", owner: "shared" }]);
});
