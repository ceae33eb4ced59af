/** Apps and their actions in words. */
import { describe, expect, test } from "vitest";
import type { ConnectedApp } from "../../../web/src/api/types.generated.ts";
import {
  describeChangedTexts,
  describeChange,
  describeChanges,
  findConnectableOwners,
  getFirstLetter,
  matchApps,
  needsReconnect,
  listParameters,
  splitChanges,
  formatSchemes,
  formatSize,
  findStateWording,
} from "../../../web/src/pages/apps/app-words.ts";
import { readAppSearch, readAppsSearch } from "../../../web/src/pages/apps/apps-search.ts";

const GMAIL: ConnectedApp = {
  id: "gmail",
  app_name: "gmail",
  display_name: "Gmail",
  description: "Mail by Google.",
  logo_url: null,
  categories: ["communication"],
  auth_schemes: ["OAUTH2"],
  action_count: 3,
  trigger_count: 1,
  provider: "composio",
  directory: null,
  is_added: false,
  is_connected: true,
  connect_states: { me: "active", shared: null },
  triggers: [],
  status: "active",
  connected_at: "2026-11-27T09:30:00.000Z",
  connection_id: "con_1",
  is_listed: true,
};

describe("the state of an app", () => {
  test.each([
    ["active", null, "Connected"],
    ["active", "expired", "Connected"],
    ["expired", "active", "Connected, shared"],
    [null, "active", "Connected, shared"],
    ["expired", null, "Expired"],
    ["revoked", "failed", "Not connected"],
    ["pending", null, "Waiting for the sign-in"],
  ] as const)("of an own %s and a shared %s one is %s", (me, shared, word) => {
    expect(findStateWording({ is_added: false, connect_states: { me, shared } })?.word).toBe(word);
  });

  test.each([
    [null, "Added"],
    ["revoked", "Added"],
    ["active", "Connected"],
    ["expired", "Expired"],
  ] as const)("in the workspace, with the connection %s, is %s", (me, word) => {
    expect(findStateWording({ is_added: true, connect_states: { me, shared: null } })?.word).toBe(word);
  });

  test("is not said without a connection, and asks for a reconnect only if calls fail", () => {
    expect(findStateWording({ is_added: false, connect_states: { me: null, shared: null } })).toBeNull();
    expect(needsReconnect({ connect_states: { me: "expired", shared: null } })).toBe(true);
    expect(needsReconnect({ connect_states: { me: "expired", shared: "active" } })).toBe(false);
    expect(needsReconnect({ connect_states: { me: "revoked", shared: null } })).toBe(false);
  });
});

test("an account is offered to each owner who has none, as far as the reader may connect it", () => {
  const own = { owner: { kind: "person" as const, id: "per_1", name: "Ana" } };
  const shared = { owner: { kind: "shared" as const } };
  const admin = { person: "per_1", isAdmin: true };
  expect(findConnectableOwners([], admin)).toEqual(["me", "shared"]);
  expect(findConnectableOwners([own], admin)).toEqual(["shared"]);
  expect(findConnectableOwners([shared], admin)).toEqual(["me"]);
  expect(findConnectableOwners([{ owner: { ...own.owner, id: "per_2" } }], { ...admin, isAdmin: false })).toEqual([
    "me",
  ]);
  expect(findConnectableOwners([], { person: null, isAdmin: false })).toEqual([]);
});

test("changes of actions say what changed, the effect and the risk by their words", () => {
  const change = {
    name: "GMAIL_SEND_EMAIL",
    display_name: "Send email",
    before: { effect: "none" as const, security: "cautious" as const, description: null },
    after: { effect: "probe" as const, security: "dangerous" as const, description: null },
  };
  expect(describeChange({ ...change, parts: ["input", "effect", "security"] })).toBe(
    "other parameters; effect from “Changes nothing” to “Changes, can be looked up”; risk from “Cautious” to “Dangerous”",
  );
  expect(describeChange({ ...change, parts: ["description"] })).toBe("another description");
  const [text, both] = [
    { ...change, parts: ["description" as const] },
    { ...change, parts: ["input" as const, "description" as const] },
  ];
  expect(splitChanges([text, both])).toEqual([[text], [both]]);
  expect([describeChangedTexts(1), describeChangedTexts(7)]).toEqual([
    "1 description changed, and nothing else",
    "7 descriptions changed, and nothing else",
  ]);
  expect(describeChange({ ...change, before: null, parts: ["security"] })).toBe("risk “Dangerous”");
  expect(describeChanges({ changed: [{ ...change, parts: [] }], removed: ["A", "B"] })).toBe(
    "1 enabled action changed, 2 enabled actions no longer offered",
  );
});

test("an app's size, scheme and letter are said", () => {
  expect(formatSize({ action_count: 1, trigger_count: 0, directory: null })).toBe("1 action");
  expect(formatSize({ action_count: 1823, trigger_count: 2, directory: null })).toBe("1,823 actions, 2 triggers");
  expect(formatSchemes({ auth_schemes: [] })).toBe("No account needed");
  expect(formatSchemes({ auth_schemes: ["OAUTH2", "OTHER"] })).toBe("OAuth 2, OTHER");
  expect([
    getFirstLetter("gmail"),
    getFirstLetter(" Ångström"),
    getFirstLetter("👩‍💻 dev"),
    getFirstLetter(""),
  ]).toEqual(["G", "Å", "👩‍💻", "?"]);
});

test("one's own apps are found by words and category; disconnected ones are left out", () => {
  const apps = [GMAIL, { ...GMAIL, app_name: "crm", display_name: "CRM", status: "revoked" as const }];
  const find = (search: object) => matchApps(apps, search).map((one) => one.app_name);
  expect(find({})).toEqual(["gmail"]);
  expect(find({ search: "GOOGLE mail" })).toEqual(["gmail"]);
  expect(find({ search: "crm" })).toEqual([]);
  expect(find({ category: "communication" })).toEqual(["gmail"]);
  expect(find({ category: "files" })).toEqual([]);
  const added = { ...GMAIL, app_name: "crm", status: "revoked" as const, is_added: true };
  expect(matchApps([added], {})).toEqual([added]);
});

test("required parameters come first; a schema without properties has none", () => {
  const parameters = { type: "object", properties: { cc: {}, to: {}, body: {} }, required: ["to"] };
  expect(listParameters({ parameters })).toEqual([
    { name: "to", isRequired: true },
    { name: "cc", isRequired: false },
    { name: "body", isRequired: false },
  ]);
  for (const odd of [{}, { properties: null }, { properties: "x" }])
    expect(listParameters({ parameters: odd })).toEqual([]);
});

test("an address keeps what the pages know", () => {
  expect(readAppsSearch({ search: "mail", category: "x", page: 2 })).toEqual({ search: "mail", category: "x" });
  expect(readAppsSearch({ search: " ", category: "" })).toEqual({});
  expect(readAppSearch({ search: "send", view: "triggers" })).toEqual({ search: "send", view: "triggers" });
  expect(readAppSearch({ view: "choose" })).toEqual({ view: "choose" });
  expect(readAppSearch({ search: 3, view: "other" })).toEqual({});
});
