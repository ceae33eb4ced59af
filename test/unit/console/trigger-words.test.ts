/** Which accounts can have triggers, and what a reader may do with a trigger. */
import { describe, expect, it } from "vitest";
import type { Connection } from "../../../web/src/api/types.generated.ts";
import { findTriggerAccounts, getTriggerPermissions } from "../../../web/src/pages/apps/trigger-words.ts";

const OWN: Connection = {
  id: "con_own",
  app: "gmail",
  provider: "composio",
  owner: { kind: "person", id: "per_ana", name: "Ana" },
  alias: null,
  is_default: true,
  status: "expired",
  label: "ana@acme.example",
  scopes: null,
  unattended: false,
  delegate_approvals: false,
  why: null,
  revocation: null,
  last_used_at: null,
  last_checked_at: null,
  created_at: "2026-11-28T09:00:00Z",
  updated_at: "2026-11-28T09:00:00Z",
};
const SHARED: Connection = { ...OWN, id: "con_shared", owner: { kind: "shared" } };
const OTHER: Connection = { ...OWN, id: "con_other", owner: { kind: "person", id: "per_ben", name: "Ben" } };

const ANA = { person: "per_ana", isAdmin: false };
const ADMIN = { person: "per_zoe", isAdmin: true };
const NOBODY = { person: null, isAdmin: false };

const ALL = { change: true, resume: true };
const END_ONLY = { change: true, resume: false };
const NOTHING = { change: false, resume: false };

describe("what a reader may do with a trigger of an account that expired", () => {
  it.each([
    ["the owner: all", OWN, ANA, ALL],
    ["a reader without admin, of a shared account: nothing", SHARED, ANA, NOTHING],
    ["an administrator, of a shared account: all", SHARED, ADMIN, ALL],
    ["an administrator, of another person's: everything except resuming", OTHER, ADMIN, END_ONLY],
    ["an administrator, of one that is not visible: everything except resuming", undefined, ADMIN, END_ONLY],
    ["a reader without admin, of one that is not visible: nothing", undefined, ANA, NOTHING],
    ["a key without a person: nothing", OWN, NOBODY, NOTHING],
  ] as const)("%s", (_what, account, reader, may) => expect(getTriggerPermissions(account, reader)).toEqual(may));
});

it("new triggers are offered for active accounts of one's own, and for shared ones to an administrator", () => {
  const all = [OWN, SHARED, OTHER].map((one) => ({ ...one, status: "active" as const }));
  const find = (connections: readonly Connection[], reader: typeof ADMIN | typeof ANA) =>
    findTriggerAccounts(connections, reader).map(({ id }) => id);
  expect(find(all, ANA)).toEqual(["con_own"]);
  expect(find(all, ADMIN)).toEqual(["con_shared"]);
  expect(find([OWN, SHARED], { person: "per_ana", isAdmin: true })).toEqual([]);
});
