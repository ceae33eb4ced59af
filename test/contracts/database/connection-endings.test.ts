/** How connections end: by a person, by an administrator, and with the person who owns them. */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { getRevocationDelay, GIVEN_UP_TRIES, MAX_REVOCATION_TRIES } from "../../../core/connections/rules.ts";
import { valueOf } from "../value-of.ts";
import { type Acts, ended, gone, missing, oauth, openActs, SHARED } from "./connection-acts.ts";
import { fakeBackend, postgresBackend } from "./connection-tables.ts";
import { act } from "./rows.ts";

describe.each([fakeBackend(), postgresBackend()])("the end of connections in $name", (backend) => {
  let on: Acts;

  afterAll(() => backend.close());
  beforeEach(async () => {
    on = await openActs(backend);
  });

  describe("a disconnected one", () => {
    test("has no tokens any more, which wait to be revoked, and is connected again under the same id", async () => {
      const { id } = await on.connect(on.own());
      valueOf(await on.begin(on.own(), "n1"));
      expect(await on.revoke(id)).toMatchObject({ status: "revoked", outage: 1, revocation: { tries: 0 } });
      await on.revoke(id);
      expect(await on.at.actions(id)).toEqual(["connection.connect", "connection.revoke"]);
      expect(await on.table.tokens(id)).toMatchObject(ended(id));
      expect(await on.table.takeFlow(id, "n1")).toMatchObject(gone);
      const due = valueOf(await on.table.takeRevocation(id));
      expect(due).toMatchObject({ app: "crm", provider: "oauth", attempt: 1, tokens: { access: "access 1" } });
      expect(valueOf(await on.complete(id, { tokens: oauth("access 2") }))).toMatchObject({
        id,
        status: "active",
        consent: 2,
      });
      // The tokens of the consent that was ended are revoked all the same.
      valueOf(await on.table.endRevocation(id, due ?? { receipt: "" }));
      expect(valueOf(await on.table.find(id)).revocation).toBeNull();
      expect(valueOf(await on.table.tokens(id)).tokens).toMatchObject({ access: "access 2" });
    });

    test("is revoked by one caller per attempt, at the stated times, until it is given up", async () => {
      const { id } = await on.connect(on.own());
      await on.revoke(id);
      const both = await Promise.all([on.table.takeRevocation(id), on.table.takeRevocation(id)]);
      expect(both.map(valueOf).filter((due) => due !== null)).toHaveLength(1);
      for (let attempt = 2; attempt <= MAX_REVOCATION_TRIES; attempt += 1) {
        await on.at.passTime(getRevocationDelay(attempt - 1) - 5_000);
        expect(valueOf(await on.table.takeRevocation(id))).toBeNull();
        await on.at.passTime(5_001);
        expect(valueOf(await on.table.takeRevocation(id))).toMatchObject({ attempt });
      }
      expect(await on.remove(id)).toMatchObject({ error: { code: "conflict" } });
      await on.at.passTime(getRevocationDelay(MAX_REVOCATION_TRIES) + 1);
      expect(valueOf(await on.table.takeRevocation(id))).toBeNull();
      expect(valueOf(await on.table.find(id)).revocation).toMatchObject({ tries: GIVEN_UP_TRIES });
      expect(valueOf(await on.remove(id)).id).toBe(id);
      expect(await on.table.find(id)).toMatchObject(missing);
    });

    test("twice, with other tokens, has both to revoke", async () => {
      const { id } = await on.connect(on.own());
      await on.revoke(id);
      valueOf(await on.complete(id, { tokens: oauth("access 2") }));
      await on.revoke(id);
      expect(await on.drain(id)).toMatchObject([{ access: "access 1" }, { access: "access 2" }]);
      expect(valueOf(await on.table.find(id))).toMatchObject({ status: "revoked", revocation: null });
    });

    test("with two token sets gives up one of them, and revokes the other in attempts of its own", async () => {
      const { id } = await on.connect(on.own());
      await on.revoke(id);
      valueOf(await on.complete(id, { tokens: oauth("access 2") }));
      await on.revoke(id);
      for (let attempt = 1; attempt <= MAX_REVOCATION_TRIES; attempt += 1) {
        expect(valueOf(await on.table.takeRevocation(id))).toMatchObject({ attempt, tokens: { access: "access 1" } });
        await on.at.passTime(getRevocationDelay(attempt) + 1);
      }
      expect(valueOf(await on.table.takeRevocation(id))).toBeNull();
      expect(valueOf(await on.table.find(id)).revocation).toMatchObject({ tries: 0 });
      const due = valueOf(await on.table.takeRevocation(id));
      expect(due).toMatchObject({ attempt: 1, tokens: { access: "access 2" } });
      valueOf(await on.table.endRevocation(id, due ?? { receipt: "" }));
      // The first one was never confirmed, and the row says so.
      expect(valueOf(await on.table.find(id)).revocation).toMatchObject({ tries: GIVEN_UP_TRIES });
      expect(valueOf(await on.table.takeRevocation(id))).toBeNull();
      // Another consent begins again.
      valueOf(await on.complete(id, { tokens: oauth("access 3") }));
      expect(valueOf(await on.table.find(id)).revocation).toBeNull();
      await on.revoke(id);
      expect(await on.drain(id)).toMatchObject([{ access: "access 3" }]);
      expect(valueOf(await on.table.find(id)).revocation).toBeNull();
    });

    test("is ended for the tokens or the consent that were meant alone", async () => {
      const { id } = await on.connect(on.own());
      const { version } = valueOf(await on.table.tokens(id));
      valueOf(await on.complete(id, { tokens: oauth("access 2") }));
      const log = act("connection.revoke", id);
      for (const of of [{ version }, { consent: 1 }])
        expect(valueOf(await on.table.revoke(id, log, of)).status).toBe("active");
      expect(valueOf(await on.table.revoke(id, log, { version: version + 1 })).status).toBe("revoked");
      expect(await on.at.actions(id)).toEqual(["connection.connect", "connection.connect", "connection.revoke"]);
    });

    test("is removed once its revocation has ended, and not before it is disconnected", async () => {
      const { id } = await on.connect(on.own());
      expect(await on.remove(id)).toMatchObject({ error: { code: "conflict" } });
      await on.revoke(id);
      expect(await on.remove(id)).toMatchObject({ error: { code: "conflict" } });
      valueOf(await on.table.endRevocation(id, valueOf(await on.table.takeRevocation(id)) ?? { receipt: "" }));
      expect(valueOf(await on.remove(id)).status).toBe("revoked");
      expect(await on.remove(id)).toMatchObject(missing);
      expect(await on.at.actions(id)).toEqual(["connection.connect", "connection.delete", "connection.revoke"]);
    });

    test("gives its place as the default to the oldest active one", async () => {
      const first = await on.connect(on.own());
      expect(await on.revoke(first.id)).toMatchObject({ isDefault: true });
      await on.at.passTime(5);
      const second = await on.connect(on.own("b"));
      expect(second.isDefault).toBe(true);
      expect(valueOf(await on.table.find(first.id)).isDefault).toBe(false);
      await on.at.passTime(5);
      const third = await on.connect(on.own("c"));
      valueOf(await on.table.settle(second.id, "expired", "refused"));
      expect(valueOf(await on.table.find(second.id)).isDefault).toBe(true);
      await on.revoke(second.id);
      expect(valueOf(await on.table.find(third.id)).isDefault).toBe(true);
      expect((await on.connect({ ...SHARED, alias: "x" })).isDefault).toBe(true);
    });

    test("of an app or of a person ends with the others, in one act", async () => {
      const bob = await on.at.addPerson("Bob");
      const [mine, mail] = [await on.connect(on.own()), await on.connect({ ...on.own(), app: "mail" })];
      const [his, shared] = [await on.connect({ ...on.own(), person: bob }), await on.connect(SHARED)];
      await on.ensure({ ...on.own("never"), person: bob });
      const log = (target: string) => act("connection.revoke", target);
      expect(valueOf(await on.table.revokeAll({ app: "crm", person: on.ana }, log(on.ana)))).toBe(1);
      expect(valueOf(await on.table.find(mail.id)).status).toBe("active");
      expect(valueOf(await on.table.revokeAll({ app: "crm" }, log("crm")))).toBe(2);
      for (const { id } of [mine, his, shared]) expect(valueOf(await on.table.find(id)).status).toBe("revoked");
      expect(valueOf(await on.table.revokeAll({}, log("all")))).toBe(1);
      expect(valueOf(await on.table.revokeAll({}, log("none")))).toBe(0);
      expect(await on.at.actions("crm")).toEqual(["connection.revoke"]);
      expect(await on.at.actions("none")).toEqual([]);
      expect(valueOf(await on.table.list({ person: null, all: true, limit: 10 }))).toHaveLength(4);
    });
  });

  describe("a deleted person", () => {
    test("has no connection any more; tokens wait to be revoked, and then the row goes", async () => {
      const bob = await on.at.addPerson("Bob");
      const { id } = await on.connect(on.own("Ana's own words"), { by: { person: on.ana, name: "Ana" } });
      const never = await on.ensure({ ...on.own(), app: "mail" });
      const shared = await on.connect(SHARED, { by: { person: bob, name: "Bob" } });
      await on.at.removePerson(on.ana);
      expect(await on.table.find(never.id)).toMatchObject(missing);
      expect(await on.table.tokens(id)).toMatchObject(ended(id));
      expect(valueOf(await on.table.find(id))).toMatchObject({
        status: "revoked",
        label: null,
        alias: id,
        connectedBy: null,
        owner: { id: on.ana },
      });
      expect(await on.complete(id)).toMatchObject(missing);
      expect(await on.table.ensure(on.own(), "oauth")).toMatchObject(missing);
      const due = valueOf(await on.table.takeRevocation(id));
      expect(due?.tokens).toMatchObject({ access: "access 1" });
      valueOf(await on.table.endRevocation(id, due ?? { receipt: "" }));
      expect(await on.table.find(id)).toMatchObject(missing);
      expect(valueOf(await on.table.find(shared.id)).status).toBe("active");
    });

    test("has no row left either when the revocation is given up", async () => {
      const { id } = await on.connect(on.own());
      await on.at.removePerson(on.ana);
      for (let attempt = 1; attempt <= MAX_REVOCATION_TRIES + 1; attempt += 1) {
        valueOf(await on.table.takeRevocation(id));
        await on.at.passTime(getRevocationDelay(attempt) + 1);
      }
      expect(await on.table.find(id)).toMatchObject(missing);
    });
  });
});
