/** The connections of a tenant: the table on Postgres and its fake behave alike. */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { MAX_ALIAS, MAX_OF_OWNER, MAX_SCOPES, MAX_TOKEN_BYTES } from "../../../core/connections/rules.ts";
import { toConnectionStatus } from "../../../core/connections/connection.ts";
import type { ConnectionTable } from "../../../core/ports/connection-table.ts";
import { valueOf } from "../value-of.ts";
import { type Acts, ended, gone, MINUTE_MS, missing, openActs, SHARED } from "./connection-acts.ts";
import { fakeBackend, postgresBackend } from "./connection-tables.ts";
import { act, newId } from "./rows.ts";

describe.each([fakeBackend(), postgresBackend()])("connections in $name", (backend) => {
  let on: Acts;

  afterAll(() => backend.close());
  beforeEach(async () => {
    on = await openActs(backend);
  });

  describe("a connection", () => {
    test("is made once for an owner, app and alias, and is not shown before somebody connects it", async () => {
      const first = await on.ensure(on.own());
      expect(first).toMatchObject({
        tenant: on.at.tenant,
        app: "crm",
        provider: "oauth",
        owner: { kind: "person", id: on.ana, name: "Ana" },
        alias: null,
        isDefault: false,
        status: "new",
        pendingUntil: null,
        consent: 0,
        revocation: null,
        outage: 0,
      });
      expect((await on.ensure(on.own())).id).toBe(first.id);
      expect((await on.ensure(on.own("work"))).id).not.toBe(first.id);
      expect((await on.ensure(SHARED)).owner).toEqual({ kind: "shared" });
      expect(valueOf(await on.table.list({ person: on.ana, limit: 10 }))).toEqual([]);
      expect(valueOf(await on.table.find(first.id)).id).toBe(first.id);
      expect(await on.table.find(newId("connection"))).toMatchObject(missing);
      expect(await on.table.ensure({ ...on.own(), person: newId("person") }, "oauth")).toMatchObject(missing);
    });

    test("is active with what a consent gave, and its consents are counted", async () => {
      const made = await on.connect(on.own(), { label: "Ana\n<a@b.example>", by: { person: on.ana, name: "Ana" } });
      expect(made).toMatchObject({
        status: "active",
        consent: 1,
        label: "Ana <a@b.example>",
        scopes: ["read"],
        settingsHash: "hash 1",
        connectedBy: on.ana,
        isDefault: true,
        unattended: false,
        why: null,
      });
      expect(made.expiresAt).toBeGreaterThan(on.at.now());
      const again = valueOf(await on.complete(made.id, { label: "Bob", scopes: null, unattended: true }));
      expect(again).toMatchObject({ id: made.id, consent: 2, label: "Bob", scopes: null, unattended: true });
      expect(await on.at.actions(made.id)).toEqual(["connection.connect", "connection.connect"]);
    });

    test("is listed for its owner, shared ones for everyone, all of them on request", async () => {
      const bob = await on.at.addPerson("Bob");
      const ids: string[] = [];
      for (const owned of [on.own(), { ...on.own(), app: "mail" }, { ...on.own(), person: bob }, SHARED]) {
        ids.push((await on.connect(owned)).id);
        await on.at.passTime(5);
      }
      const [ofAna, mail, ofBob, shared] = ids;
      const list = async (query: Partial<Parameters<ConnectionTable["list"]>[0]>) =>
        valueOf(await on.table.list({ person: on.ana, limit: 10, ...query })).map(({ id }) => id);
      expect(await list({})).toEqual([shared, mail, ofAna]);
      expect(await list({ app: "crm" })).toEqual([shared, ofAna]);
      expect(await list({ person: null })).toEqual([shared]);
      expect(await list({ shared: false })).toEqual([mail, ofAna]);
      expect(await list({ all: true, shared: false })).toEqual([ofBob, mail, ofAna]);
      expect(await list({ person: bob })).toEqual([shared, ofBob]);
      expect(await list({ all: true })).toEqual([shared, ofBob, mail, ofAna]);
      expect(await list({ all: true, limit: 2 })).toEqual([shared, ofBob]);
      expect(await list({ all: true, limit: 2, after: ofBob ?? "" })).toEqual([mail, ofAna]);
    });

    test("is bounded per owner, in its alias, scopes and tokens", async () => {
      await on.connect(on.own());
      const { id } = await on.ensure(SHARED);
      const many = Array.from({ length: MAX_SCOPES + 1 }, (_, index) => `scope ${index}`);
      expect(await on.complete(id, { scopes: many })).toMatchObject({ error: { code: "too_large", field: "scopes" } });
      const large = { kind: "key", value: "x".repeat(MAX_TOKEN_BYTES) } as const;
      expect(await on.complete(id, { tokens: large })).toMatchObject({ error: { code: "too_large" } });
      expect(await on.table.storeTokens(id, 0, large)).toMatchObject({ error: { code: "too_large" } });
      expect(valueOf(await on.table.find(id))).toMatchObject({ status: "new", consent: 0 });
      for (const alias of ["", "x".repeat(MAX_ALIAS + 1), "nul \0"])
        expect(await on.table.ensure(on.own(alias), "oauth")).toMatchObject({
          error: { code: "invalid_input", field: "alias" },
        });
      for (let index = 1; index < MAX_OF_OWNER; index += 1) await on.ensure(on.own(`alias ${index}`));
      expect(await on.table.ensure(on.own("one more"), "oauth")).toMatchObject({ error: { code: "quota_exceeded" } });
      expect((await on.ensure(on.own("alias 1"))).alias).toBe("alias 1");
      expect((await on.ensure({ ...SHARED, alias: "another owner's" })).status).toBe("new");
    });
  });

  describe("a link", () => {
    test("begins one consent, is pending for its time, and neither it nor an earlier one counts again", async () => {
      const { id } = await on.ensure(on.own());
      const createdAt = on.at.now();
      const begun = valueOf(await on.begin(on.own(), "n1", createdAt));
      expect(toConnectionStatus(begun, on.at.now())).toBe("pending");
      expect(valueOf(await on.table.list({ person: on.ana, limit: 10 })).map((one) => one.id)).toEqual([id]);
      expect(await on.begin(on.own(), "n1", createdAt)).toMatchObject(gone);
      expect(await on.begin(on.own(), "n0", createdAt - 1)).toMatchObject(gone);
      valueOf(await on.begin(on.own(), "n2", createdAt + 1));
      expect(await on.table.takeFlow(id, "n1")).toMatchObject(gone);
      await on.at.passTime(16 * MINUTE_MS);
      expect(valueOf(await on.table.list({ person: on.ana, limit: 10 }))).toEqual([]);
      expect(await on.begin({ ...on.own(), app: "unknown" }, "n3")).toMatchObject(missing);
    });

    test("finds its connection and whether it was used, and changes nothing", async () => {
      const createdAt = on.at.now();
      const find = async (nonce: string, at = createdAt) =>
        valueOf(await on.table.findLinked(on.own(), { createdAt: at, nonce }));
      expect(await find("n1")).toEqual({ connection: null, isUsed: false });
      const { id } = await on.ensure(on.own());
      expect(await find("n1")).toMatchObject({ connection: { id, status: "new" }, isUsed: false });
      valueOf(await on.begin(on.own(), "n1", createdAt));
      expect((await find("n1")).isUsed).toBe(true);
      expect((await find("n9", createdAt - 1)).isUsed).toBe(true);
      expect((await find("n0", createdAt + 1)).isUsed).toBe(false);
      expect(valueOf(await on.table.findLinked(on.own("other"), { createdAt, nonce: "n1" })).connection).toBeNull();
      expect(valueOf(await on.table.takeFlow(id, "n1")).nonce).toBe("n1");
    });

    test("has a flow that is taken once, by its nonce, until it expires", async () => {
      const { id } = await on.ensure(on.own());
      valueOf(await on.begin(on.own(), "n1"));
      expect(await on.table.takeFlow(id, "forged")).toMatchObject(gone);
      expect(valueOf(await on.table.takeFlow(id, "n1"))).toMatchObject({
        nonce: "n1",
        verifier: "v",
        unattended: true,
      });
      expect(await on.table.takeFlow(id, "n1")).toMatchObject(gone);
      expect(await on.table.takeFlow(newId("connection"), "n1")).toMatchObject(missing);
      valueOf(await on.begin(on.own(), "n2"));
      await on.at.passTime(16 * MINUTE_MS);
      expect(await on.table.takeFlow(id, "n2")).toMatchObject(gone);
      expect(valueOf(await on.table.find(id))).toMatchObject({ status: "new", pendingUntil: null });
    });

    test("of many callbacks at the same time has one that takes it", async () => {
      const { id } = await on.ensure(on.own());
      valueOf(await on.begin(on.own(), "n1"));
      const taken = await Promise.all(Array.from({ length: 10 }, () => on.table.takeFlow(id, "n1")));
      expect(taken.filter(({ ok }) => ok)).toHaveLength(1);
    });
  });

  describe("a state", () => {
    test("after a refused first consent is failed, after a refused reconnect what it was", async () => {
      const { id } = await on.ensure(on.own());
      valueOf(await on.begin(on.own(), "n1"));
      const failed = valueOf(await on.table.settle(id, "failed", "The server does not support PKCE."));
      expect(failed).toMatchObject({ status: "failed", why: "The server does not support PKCE.", pendingUntil: null });
      expect(await on.table.takeFlow(id, "n1")).toMatchObject(gone);
      valueOf(await on.complete(id));
      valueOf(await on.begin(on.own(), "n2"));
      expect(valueOf(await on.table.settle(id, "failed", "no"))).toMatchObject({
        status: "active",
        outage: 0,
        why: "no",
      });
      expect(valueOf(await on.table.tokens(id)).tokens).toMatchObject({ access: "access 1" });
      expect(await on.table.settle(newId("connection"), "failed", "no")).toMatchObject(missing);
    });

    test("is expired once for an outage, and its owner is notified once", async () => {
      const { id } = await on.connect(on.own());
      expect(valueOf(await on.table.settle(id, "expired", "refused"))).toMatchObject({ status: "expired", outage: 1 });
      expect(valueOf(await on.table.settle(id, "expired", "refused"))).toMatchObject({ status: "expired", outage: 1 });
      expect(await on.table.tokens(id)).toMatchObject(ended(id));
      valueOf(await on.table.markNotified(id, 0));
      expect(valueOf(await on.table.find(id)).notifiedAt).toBeNull();
      valueOf(await on.table.markNotified(id, 1));
      expect(valueOf(await on.table.find(id)).notifiedAt).not.toBeNull();
      expect(valueOf(await on.complete(id))).toMatchObject({
        status: "active",
        outage: 1,
        notifiedAt: null,
        why: null,
      });
      valueOf(await on.table.markNotified(id, 1));
      expect(valueOf(await on.table.settle(id, "expired", "refused"))).toMatchObject({ outage: 2, notifiedAt: null });
    });

    test("of tokens that were replaced meanwhile does not expire", async () => {
      const { id } = await on.connect(on.own());
      const { version } = valueOf(await on.table.tokens(id));
      valueOf(await on.complete(id));
      expect(valueOf(await on.table.settle(id, "expired", "refused", { version })).status).toBe("active");
      expect(valueOf(await on.table.settle(id, "expired", "refused", { version: version + 1 })).status).toBe("expired");
    });

    test("of a consent that was given again meanwhile does not expire", async () => {
      const { id } = await on.connect(on.own());
      valueOf(await on.complete(id));
      expect(valueOf(await on.table.settle(id, "expired", "refused", { consent: 1 })).status).toBe("active");
      expect(valueOf(await on.table.settle(id, "expired", "refused", { consent: 2 })).status).toBe("expired");
    });

    test("whose provider stores the tokens is restored under the same consent, unless it was revoked", async () => {
      const { id } = await on.ensure(SHARED);
      expect(valueOf(await on.table.restore(id))).toMatchObject({ status: "new", consent: 0 });
      valueOf(await on.complete(id, { tokens: null }));
      valueOf(await on.table.settle(id, "expired", "refused"));
      valueOf(await on.table.markNotified(id, 1));
      const restored = { status: "active", consent: 1, outage: 1, why: null, notifiedAt: null };
      expect(valueOf(await on.table.restore(id))).toMatchObject(restored);
      valueOf(await on.table.revoke(id, act("connection.revoke", id)));
      expect(valueOf(await on.table.restore(id))).toMatchObject({ status: "revoked" });
      expect(await on.table.restore(newId("connection"))).toMatchObject(missing);
    });

    test("whose tokens are stored here is not restored without them", async () => {
      const { id } = await on.connect(on.own());
      valueOf(await on.table.settle(id, "expired", "refused"));
      expect(valueOf(await on.table.restore(id)).status).toBe("expired");
    });

    test("shows when it was checked, and once an hour when it was used", async () => {
      const { id } = await on.connect(on.own());
      await on.table.touchUsed(id);
      const used = valueOf(await on.table.find(id));
      expect(used.lastUsedAt).not.toBeNull();
      await on.table.touchUsed(id);
      expect(valueOf(await on.table.find(id)).lastUsedAt).toBe(used.lastUsedAt);
      await on.at.passTime(61 * MINUTE_MS);
      const before = valueOf(await on.table.find(id));
      await on.table.touchUsed(id);
      valueOf(await on.table.markChecked(id));
      const after = valueOf(await on.table.find(id));
      expect(after.lastUsedAt).toBeGreaterThan(before.lastUsedAt ?? 0);
      expect(after.lastCheckedAt).toBeGreaterThan(before.lastCheckedAt ?? 0);
      await on.table.touchUsed(newId("connection"));
    });
  });

  describe("a change", () => {
    const change = (id: string, what: Parameters<ConnectionTable["change"]>[1]) =>
      on.table.change(id, what, act("connection.update", id));

    test("sets alias, default and flags, each alone", async () => {
      const { id } = await on.connect(on.own());
      const other = await on.connect(on.own("work"));
      expect(other.isDefault).toBe(false);
      expect(valueOf(await change(other.id, { isDefault: true }))).toMatchObject({ isDefault: true, alias: "work" });
      expect(valueOf(await on.table.find(id)).isDefault).toBe(false);
      expect(valueOf(await change(id, { unattended: true }))).toMatchObject({ unattended: true, delegates: false });
      expect(valueOf(await change(id, { delegates: true, alias: "home" }))).toMatchObject({
        unattended: true,
        delegates: true,
        alias: "home",
        isDefault: false,
      });
      expect(valueOf(await change(id, { alias: null })).alias).toBeNull();
      expect(await change(id, { alias: "work" })).toMatchObject({ error: { code: "conflict", field: "alias" } });
      expect(await change(id, { alias: "" })).toMatchObject({ error: { code: "invalid_input", field: "alias" } });
      expect(await change(newId("connection"), {})).toMatchObject(missing);
      const never = await on.ensure(on.own("never"));
      expect(await change(never.id, { isDefault: true })).toMatchObject({
        error: { code: "conflict", field: "is_default" },
      });
      expect(await on.at.actions(other.id)).toEqual(["connection.connect", "connection.update"]);
    });

    test("of the default at the same time leaves one default", async () => {
      const all = [
        await on.connect(on.own()),
        await on.connect(on.own("a")),
        await on.connect(on.own("b")),
        await on.connect(on.own("c")),
      ];
      await Promise.all(all.map(async ({ id }) => valueOf(await change(id, { isDefault: true }))));
      const listed = valueOf(await on.table.list({ person: on.ana, limit: 10 }));
      expect(listed.filter(({ isDefault }) => isDefault)).toHaveLength(1);
    });
  });
});
