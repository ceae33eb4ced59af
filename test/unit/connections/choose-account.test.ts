import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AccountOwner, formatAccount, type OwnerRule, PROVIDERS } from "../../../core/connections/account.ts";
import { type Choice, chooseAccount } from "../../../core/connections/choose-account.ts";
import { type Connection, toAccount } from "../../../core/connections/connection.ts";

const ANA = "per_ana";
const BOB = "per_bob";

const person = (id: string): AccountOwner => ({ kind: "person", id, name: id });
const SHARED: AccountOwner = { kind: "shared" };

function connection(id: string, owner: AccountOwner, change: Partial<Connection> = {}): Connection {
  const nothing = { connectedBy: null, alias: null, pendingUntil: null, label: null, expiresAt: null, why: null };
  const times = {
    notifiedAt: null,
    revocation: null,
    lastUsedAt: null,
    lastCheckedAt: null,
    createdAt: 1,
    updatedAt: 1,
  };
  const flags = {
    isDefault: true,
    status: "active" as const,
    unattended: true,
    delegates: false,
    consent: 1,
    outage: 0,
  };
  const named = { tenant: "ten_1", id, app: "crm", provider: "oauth" as const, owner };
  return { ...named, ...nothing, ...times, ...flags, scopes: null, settingsHash: "now", ...change };
}

function choice(connections: readonly Connection[], change: Partial<Choice> = {}, owner: OwnerRule = "either"): Choice {
  const app = { app: "crm", provider: "oauth" as const, owner, scopes: [] };
  return { app, caller: ANA, isUnattended: false, configured: null, settingsHash: "now", connections, ...change };
}

const needed = (reason: string, who: string | null = ANA) => ({
  kind: "needed",
  need: { app: "crm", reason, person: who },
});
const through = (id: string) => ({ kind: "account", account: { connection: id } });

const own = connection("con_own", person(ANA));
const shared = connection("con_shared", SHARED);
const ofBob = connection("con_bob", person(BOB));
const NONE = { kind: "none" };

describe("the account of a call", () => {
  test.each<[string, Choice, object]>([
    ["the caller's own, before the shared one", choice([shared, own]), through("con_own")],
    ["the shared one, where the caller has none", choice([shared]), through("con_shared")],
    ["the shared one, where nobody is the caller", choice([shared, own], { caller: null }), through("con_shared")],
    ["no other person's", choice([ofBob]), needed("missing")],
    ["none for nobody", choice([own], { caller: null }), NONE],
    ["the own one alone, by the rule", choice([shared], {}, "person"), needed("missing")],
    ["none for nobody, by the rule", choice([shared], { caller: null }, "person"), NONE],
    ["the shared one alone, by the rule", choice([own, shared], {}, "shared"), through("con_shared")],
    ["none without a shared one, by the rule", choice([own], {}, "shared"), NONE],
    ["of another app: none", choice([connection("con_x", person(ANA), { app: "mail" })]), needed("missing")],
    ["the configured shared one", choice([own, shared], { configured: "con_shared" }), through("con_shared")],
    [
      "the configured alias of the caller",
      choice([own, connection("con_two", person(ANA), { isDefault: false })], { configured: "con_two" }),
      through("con_two"),
    ],
    ["not a colleague's configured one", choice([own, ofBob], { configured: "con_bob" }), through("con_own")],
    [
      "not a configured one against the rule",
      choice([own, shared], { configured: "con_shared" }, "person"),
      through("con_own"),
    ],
    ["not a configured one that is unknown", choice([own], { configured: "con_gone" }), through("con_own")],
    [
      "the default of several",
      choice([connection("con_a", person(ANA), { isDefault: false }), own]),
      through("con_own"),
    ],
    [
      "the oldest without a default",
      choice([
        connection("con_a", person(ANA), { isDefault: false, createdAt: 9 }),
        connection("con_z", person(ANA), { isDefault: false, createdAt: 3 }),
      ]),
      through("con_z"),
    ],
  ])("is %s", (_, input, expected) => {
    expect(chooseAccount(input)).toMatchObject(expected);
  });

  test.each<[string, Partial<Connection>, Partial<Choice>, string]>([
    ["expired", { status: "expired" }, {}, "expired"],
    ["failed", { status: "failed" }, {}, "expired"],
    ["revoked", { status: "revoked" }, {}, "revoked"],
    ["connected under other settings", { settingsHash: "then" }, {}, "expired"],
    ["without the scopes", { scopes: ["read"] }, { app: { ...choice([]).app, scopes: ["read", "send"] } }, "scopes"],
    ["not allowed for unattended tasks", { unattended: false }, { isUnattended: true }, "unattended"],
  ])("is needed again when the own one is %s, also where a shared one works", (_, change, input, reason) => {
    expect(chooseAccount(choice([{ ...own, ...change }, shared], input))).toEqual(needed(reason));
    const sharedOne = { ...shared, ...change };
    const expected = reason === "unattended" ? through("con_shared") : needed(reason, null);
    expect(chooseAccount(choice([sharedOne], input))).toMatchObject(expected);
  });

  test.each<[string, Partial<Connection>, Partial<Choice>]>([
    ["was never connected", { status: "new", consent: 0 }, {}],
    ["failed before it was ever connected", { status: "failed", consent: 0 }, {}],
  ])("is the shared one while the own one %s", (_, change, input) => {
    expect(chooseAccount(choice([{ ...own, ...change }, shared], input))).toMatchObject(through("con_shared"));
  });

  test("is usable with unknown or more scopes, while a reconnect is pending, and in an attended task", () => {
    const app = { ...choice([]).app, scopes: ["read"] };
    for (const change of [
      { scopes: null },
      { scopes: ["send", "read"] },
      { pendingUntil: 9e15 },
      { unattended: false },
    ])
      expect(chooseAccount(choice([{ ...own, ...change }], { app }))).toMatchObject(through("con_own"));
  });

  test("is shown without what only decisions need", () => {
    const account = toAccount({ ...own, label: "ana@acme.example" });
    expect(account).toMatchObject({ consent: 1, delegates: false });
    expect(formatAccount(account)).toEqual({
      connection: "con_own",
      app: "crm",
      provider: "oauth",
      owner: person(ANA),
      label: "ana@acme.example",
    });
  });
});

const owners = fc.constantFrom(person(ANA), person(BOB), person("per_cara"), SHARED);
const connections = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom("con_1", "con_2", "con_3", "con_4", "con_5", "con_6"),
    owner: owners,
    app: fc.constantFrom("crm", "mail"),
    provider: fc.constantFrom(...PROVIDERS),
    status: fc.constantFrom("new", "active", "expired", "revoked", "failed"),
    consent: fc.nat(2),
    isDefault: fc.boolean(),
    unattended: fc.boolean(),
    scopes: fc.option(fc.subarray(["read", "send"])),
    settingsHash: fc.constantFrom("now", "then", null),
    createdAt: fc.nat(3),
  }),
  { selector: ({ id }) => id, maxLength: 6 },
);
const choices = fc.record({
  app: fc.record({
    app: fc.constant("crm"),
    provider: fc.constant("oauth" as const),
    owner: fc.constantFrom<OwnerRule>("person", "shared", "either"),
    scopes: fc.subarray(["read", "send"]),
  }),
  caller: fc.constantFrom(ANA, BOB, null),
  isUnattended: fc.boolean(),
  configured: fc.constantFrom(null, "con_1", "con_2", "con_3", "con_4", "con_5", "con_6", "con_7"),
  settingsHash: fc.constant("now"),
  connections: connections.map((all) => all.map(({ id, owner, ...change }) => connection(id, owner, change))),
});

describe("any connections, and any that an agent names", () => {
  const isDead = ({ status, consent }: Connection) => status !== "active" && status !== "new" && consent > 0;

  test("no person's account is used or asked for but the caller's", () => {
    fc.assert(
      fc.property(choices, (input) => {
        const chosen = chooseAccount(input);
        const { caller } = input;
        if (chosen.kind === "needed" && chosen.need.person !== null) expect(chosen.need.person).toBe(caller);
        if (chosen.kind !== "account") return;
        const { owner } = chosen.account;
        if (owner.kind === "person") expect(owner.id).toBe(caller);
        expect(owner.kind).not.toBe(
          input.app.owner === "person" ? "shared" : input.app.owner === "shared" ? "person" : "",
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test("only an active account of the app, with this consent's settings, is used", () => {
    fc.assert(
      fc.property(choices, (input) => {
        const chosen = chooseAccount(input);
        if (chosen.kind !== "account") return;
        const found = input.connections.find(({ id }) => id === chosen.account.connection);
        expect(found).toMatchObject({ status: "active", app: "crm", settingsHash: "now" });
        if (found?.owner.kind === "person" && input.isUnattended) expect(found.unattended).toBe(true);
        for (const scope of input.app.scopes) expect(found?.scopes ?? [scope]).toContain(scope);
      }),
      { numRuns: 2_000 },
    );
  });

  test("an own account that is dead never gives way to the shared one", () => {
    fc.assert(
      fc.property(choices, (input) => {
        const { caller, app } = input;
        const ofCaller = input.connections.filter(
          (one) => one.app === "crm" && one.owner.kind === "person" && one.owner.id === caller,
        );
        const hasOnlyDead =
          ofCaller.some(isDead) && ofCaller.every((one) => one.status !== "active" || one.consent === 0);
        const isConfigured = input.connections.some(
          ({ id, owner }) => id === input.configured && owner.kind === "shared",
        );
        if (!hasOnlyDead || isConfigured || app.owner === "shared") return;
        expect(chooseAccount(input)).toMatchObject({ kind: "needed", need: { person: caller } });
      }),
      { numRuns: 2_000 },
    );
  });

  test("connections of others change nothing", () => {
    fc.assert(
      fc.property(choices, (input) => {
        const visible = input.connections.filter(
          ({ owner }) => owner.kind === "shared" || (input.caller !== null && owner.id === input.caller),
        );
        expect(chooseAccount({ ...input, connections: visible })).toEqual(chooseAccount(input));
      }),
    );
  });
});
