/** The stage of the account: whose it is, and when its owner has to approve the call. */
import { describe, expect, test } from "vitest";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import type { AccountOwner, ToolApp } from "../../../core/connections/account.ts";
import { type Actors, addActor, startActors } from "../../../core/connections/actors.ts";
import { type AccountContext, rememberChoices, ruleAccount, toApproval } from "../../../core/gateway/account.ts";
import { type FakeAccounts, fakeConnections } from "../../fakes/connections.ts";

const ANA: AccountOwner = { kind: "person", id: "per_ana", name: "Ana" };
const SHARED: AccountOwner = { kind: "shared" };
const CRM: ToolApp = { app: "crm", provider: "oauth", owner: "either", scopes: [] };
const BY_ANA = startActors("per_ana", "per_ana");
const OTHERS: readonly (readonly [string, Actors])[] = [
  ["another person", addActor(BY_ANA, { person: "per_bo", name: "Bo" })],
  ["an unknown author", addActor(BY_ANA, null)],
  ["only another person", startActors("per_ana", "per_bo")],
];

function given(port: FakeAccounts, actors: Actors, change: Partial<AccountContext> = {}): AccountContext {
  return { config: DEFAULT_AGENT.config, actors, isUnattended: false, connections: port, ...change };
}

function withAna(change = {}): FakeAccounts {
  const port = fakeConnections();
  port.set("con_ana", ANA, change);
  return port;
}

describe("the account of a call", () => {
  test("is the caller's own, without an approval while the owner alone steered the task", async () => {
    const ruling = await ruleAccount(CRM, given(withAna(), BY_ANA));
    expect(ruling).toMatchObject({ kind: "account", account: { connection: "con_ana" }, askOwner: null });
  });

  test.each(OTHERS)("needs its owner's approval once %s steered the task", async (_, actors) => {
    const ruling = await ruleAccount(CRM, given(withAna(), actors));
    expect(ruling).toMatchObject({
      kind: "account",
      askOwner: "Ana's account would be used, and others have written to this task.",
    });
  });

  test("needs no owner's approval if it is shared", async () => {
    const port = fakeConnections();
    port.set("con_all", SHARED);
    for (const [, actors] of OTHERS)
      expect(await ruleAccount(CRM, given(port, actors))).toMatchObject({ kind: "account", askOwner: null });
  });

  test("is refused at once where nobody could connect one", async () => {
    expect(await ruleAccount(CRM, given(fakeConnections(), startActors(null, null)))).toEqual({
      kind: "refused",
      failure: {
        code: "permission_denied",
        message: "No assigned external apps are connected for this workspace",
      },
    });
  });

  test("is needed of a caller without one", async () => {
    expect(await ruleAccount(CRM, given(fakeConnections(), BY_ANA))).toEqual({
      kind: "needed",
      need: { app: "crm", reason: "missing", person: "per_ana" },
    });
  });

  test("cannot be checked while the connections cannot be read", async () => {
    const port = withAna();
    port.isAway = true;
    expect(await ruleAccount(CRM, given(port, BY_ANA))).toMatchObject({
      kind: "refused",
      failure: { happened: "no", message: "Otto cannot check the account now. Try again later." },
    });
  });

  test("is refused with the port's own words where a later try cannot help", async () => {
    const failure = { code: "not_available", message: "The app crm was removed." } as const;
    const choose = async () => ({ ok: false, error: failure }) as const;
    expect(await ruleAccount(CRM, given(fakeConnections(), BY_ANA, { connections: { choose } }))).toEqual({
      kind: "refused",
      failure: { ...failure, happened: "no" },
    });
  });

  test("follows the agent's settings, which never open another person's account", async () => {
    const port = withAna();
    port.set("con_all", SHARED);
    port.set("con_bo", { kind: "person", id: "per_bo", name: "Bo" });
    const choose = async (settings: object) => {
      const ruling = await ruleAccount(CRM, given(port, BY_ANA, { config: { app_config: { crm: settings } } }));
      return ruling.kind === "account" ? ruling.account.connection : ruling.kind;
    };
    expect(await choose({})).toBe("con_ana");
    expect(await choose({ connection: "con_all" })).toBe("con_all");
    expect(await choose({ owner: "shared" })).toBe("con_all");
    expect(await choose({ connection: "con_bo" })).toBe("con_ana");
  });

  test("of a task that no person started has to be allowed for those", async () => {
    const isUnattended = true;
    expect(await ruleAccount(CRM, given(withAna(), BY_ANA, { isUnattended }))).toMatchObject({
      need: { reason: "unattended", person: "per_ana" },
    });
    expect(await ruleAccount(CRM, given(withAna({ unattended: true }), BY_ANA, { isUnattended }))).toMatchObject({
      kind: "account",
    });
  });
});

describe("the connections of one step", () => {
  test("are read once for each app and its scopes", async () => {
    const port = withAna();
    const context = given(port, BY_ANA, { connections: rememberChoices(port) });
    await Promise.all(Array.from({ length: 64 }, async () => await ruleAccount(CRM, context)));
    await ruleAccount({ ...CRM, scopes: ["write"] }, context);
    expect(port.reads).toEqual(["choose crm", "choose crm"]);
  });
});

describe("the approval of a call through an account", () => {
  const account = (owner: AccountOwner, delegates: boolean) => ({
    connection: "con_1",
    app: "crm",
    provider: "oauth" as const,
    owner,
    label: null,
    consent: 1,
    delegates,
  });
  const owner = (mayDelegate: boolean) => ({ person: "per_ana", name: "Ana", mayDelegate });

  test("is its owner's, and others' only if the owner delegates and nobody else steered the task", () => {
    const ask = (of: AccountOwner, delegates: boolean, askOwner: string | null, askFirst: string | null) =>
      toApproval({ account: account(of, delegates), askOwner }, askFirst, 5);
    expect(ask(ANA, true, null, null)).toBeNull();
    expect(ask(ANA, false, null, "Policy asks.")).toEqual({
      reason: "Policy asks.",
      expiresInMs: 5,
      owner: owner(false),
    });
    expect(ask(ANA, true, null, "Policy asks.")).toMatchObject({ owner: owner(true) });
    expect(ask(ANA, true, "Others wrote.", "Policy asks.")).toMatchObject({
      reason: "Others wrote. Policy asks.",
      owner: owner(false),
    });
    expect(ask(SHARED, true, null, "Policy asks.")).toEqual({ reason: "Policy asks.", expiresInMs: 5 });
  });
});
