/**
 * The account that a sign-in makes at the provider of the catalogue: used once the sign-in is completed, and to be revoked
 * however else it ends.
 */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { FLOW_GRACE_MS, MAX_REVOKING } from "../../../core/connections/rules.ts";
import type { TokenSet } from "../../../core/connections/tokens.ts";
import { valueOf } from "../value-of.ts";
import { type Acts, gone, MINUTE_MS, missing, oauth, openActs, SHARED } from "./connection-acts.ts";
import { fakeBackend, postgresBackend } from "./connection-tables.ts";
import { act } from "./rows.ts";

const account = (providerId: string): TokenSet => ({ kind: "account", providerId });

describe.each([fakeBackend(), postgresBackend()])("accounts of sign-ins in $name", (backend) => {
  let on: Acts;
  let links = 0;

  afterAll(() => backend.close());
  beforeEach(async () => {
    on = await openActs(backend);
  });

  /** Begins a sign-in with a later link, and returns its connection. */
  async function begin(providerId?: string, owned = on.own()): Promise<string> {
    await on.ensure(owned);
    return valueOf(await on.begin(owned, `nonce of ${providerId}`, on.at.now() + (links += 1), providerId)).id;
  }
  const take = async (id: string, providerId: string) => await on.table.takeFlow(id, `nonce of ${providerId}`);
  const complete = async (id: string, providerId: string) => await on.complete(id, { tokens: account(providerId) });
  const read = async (id: string) => valueOf(await on.table.find(id));

  test("of a sign-in that another one replaced is revoked at once, and the new one works", async () => {
    const id = await begin("ca_1");
    expect(await on.drain(id)).toEqual([]);
    await begin("ca_2");
    expect(await on.drain(id)).toEqual([account("ca_1")]);
    expect(await take(id, "ca_1")).toMatchObject(gone);
    expect(await on.begin(on.own(), "n0", on.at.now() - MINUTE_MS, "ca_0")).toMatchObject(gone);
    valueOf(await take(id, "ca_2"));
    expect(valueOf(await complete(id, "ca_2"))).toMatchObject({ status: "active", revocation: null });
    expect(await on.drain(id)).toEqual([]);
  });

  test("of a sign-in without an account that replaced it is revoked too", async () => {
    const id = await begin("ca_1");
    await begin();
    expect(await on.drain(id)).toEqual([account("ca_1")]);
  });

  test("of a sign-in from which nobody returns is revoked when it expires", async () => {
    const id = await begin("ca_1");
    await on.at.passTime(14 * MINUTE_MS);
    expect(await on.drain(id)).toEqual([]);
    await on.at.passTime(2 * MINUTE_MS);
    expect(await on.drain(id)).toEqual([account("ca_1")]);
    expect(await take(id, "ca_1")).toMatchObject(gone);
    expect(await read(id)).toMatchObject({ status: "new", revocation: null });
  });

  test("of a sign-in that expired is revoked after a late return, and when somebody begins another one", async () => {
    const [late, mail] = [await begin("ca_1"), await begin("ca_2", { ...on.own(), app: "mail" })];
    await on.at.passTime(16 * MINUTE_MS);
    expect(await take(late, "ca_1")).toMatchObject(gone);
    expect((await read(late)).revocation).toMatchObject({ tries: 0 });
    expect((await read(mail)).revocation).toBeNull();
    await begin("ca_3", SHARED);
    expect((await read(mail)).revocation).toMatchObject({ tries: 0 });
    for (const [id, providerId] of [[late, "ca_1"] as const, [mail, "ca_2"] as const])
      expect(await on.drain(id)).toEqual([account(providerId)]);
  });

  test("of a sign-in that the provider refused is revoked", async () => {
    const id = await begin("ca_1");
    expect(valueOf(await on.table.settle(id, "failed", "refused"))).toMatchObject({ status: "failed" });
    expect(await on.drain(id)).toEqual([account("ca_1")]);
    await begin("ca_2");
    valueOf(await take(id, "ca_2"));
    valueOf(await on.table.settle(id, "failed", "refused"));
    expect(await on.drain(id)).toEqual([account("ca_2")]);
  });

  test("of a taken sign-in is revoked when nobody stores it, and that of a later one is not", async () => {
    const id = await begin("ca_1");
    valueOf(await take(id, "ca_1"));
    for (let round = 0; round < 2; round += 1) valueOf(await on.table.enqueueRevocation(id, "ca_1"));
    expect(await on.drain(id)).toEqual([account("ca_1")]);
    await begin("ca_2");
    valueOf(await on.table.enqueueRevocation(id, "ca_1"));
    expect(await on.drain(id)).toEqual([]);
    valueOf(await take(id, "ca_2"));
    expect(valueOf(await complete(id, "ca_2")).status).toBe("active");
    expect(await on.table.enqueueRevocation("con_unknown", "ca_1")).toMatchObject(missing);
  });

  describe("of a connection that is disconnected during the sign-in", () => {
    test("is revoked, in each state of the connection, which is removed after that", async () => {
      const active = await on.connect(on.own());
      const ended = await on.connect(on.own("two"));
      await on.revoke(ended.id);
      expect(await on.drain(ended.id)).toMatchObject([{ kind: "oauth" }]);
      for (const [owned, before] of [
        [on.own(), [oauth("access 1")]],
        [on.own("two"), []],
        [on.own("new"), []],
      ] as const) {
        const id = await begin("ca_1", owned);
        expect(await on.revoke(id)).toMatchObject({ status: "revoked", pendingUntil: null, revocation: { tries: 0 } });
        expect(await on.remove(id)).toMatchObject({ error: { code: "conflict" } });
        expect(await on.drain(id)).toMatchObject([...before.map(({ kind }) => ({ kind })), account("ca_1")]);
        expect(await take(id, "ca_1")).toMatchObject(gone);
        expect(valueOf(await on.remove(id)).id).toBe(id);
      }
      expect(await on.at.actions(active.id)).toEqual(["connection.connect", "connection.delete", "connection.revoke"]);
    });

    test("is not lost when somebody removes the connection, or when its tokens end alone", async () => {
      const { id } = await on.connect(on.own());
      await on.revoke(id);
      await on.drain(id);
      await begin("ca_1");
      expect(await on.remove(id)).toMatchObject({ error: { code: "conflict" } });
      valueOf(await take(id, "ca_1"));
      expect(valueOf(await complete(id, "ca_1")).status).toBe("active");
      await begin("ca_2");
      const { version } = valueOf(await on.table.tokens(id));
      valueOf(await on.table.revoke(id, act("connection.revoke", id), { version }));
      expect(await on.drain(id)).toEqual([account("ca_1"), account("ca_2")]);
    });

    test("is revoked with all connections of an app", async () => {
      const [fresh, never] = [await begin("ca_1"), await on.ensure(on.own("never"))];
      expect(valueOf(await on.table.revokeAll({ app: "crm" }, act("connection.revoke", "crm")))).toBe(1);
      expect(await on.table.find(never.id)).toMatchObject(missing);
      expect(await on.drain(fresh)).toEqual([account("ca_1")]);
    });
  });

  test("of a person who is deleted is revoked, and then the row goes", async () => {
    const [first, taken, never] = [
      await begin("ca_1"),
      await begin("ca_2", on.own("two")),
      await on.ensure(on.own("never")),
    ];
    valueOf(await take(taken, "ca_2"));
    await on.at.removePerson(on.ana);
    expect(await take(first, "ca_1")).toMatchObject(gone);
    expect((await complete(taken, "ca_2")).ok).toBe(false);
    expect(await on.table.find(never.id)).toMatchObject(missing);
    for (const [id, providerId] of [[first, "ca_1"] as const, [taken, "ca_2"] as const]) {
      expect(await on.drain(id)).toEqual([account(providerId)]);
      expect(await on.table.find(id)).toMatchObject(missing);
    }
  });

  describe("of a browser that returned", () => {
    test("is revoked after some minutes if it was never stored", async () => {
      const id = await begin("ca_1");
      await on.at.passTime(14 * MINUTE_MS);
      valueOf(await take(id, "ca_1"));
      await on.at.passTime(FLOW_GRACE_MS - MINUTE_MS);
      expect(await on.drain(id)).toEqual([]);
      await on.at.passTime(2 * MINUTE_MS);
      expect(await on.drain(id)).toEqual([account("ca_1")]);
    });

    test("is not revoked once it was stored, until the connection ends", async () => {
      const id = await begin("ca_1");
      valueOf(await take(id, "ca_1"));
      expect(valueOf(await complete(id, "ca_1"))).toMatchObject({ status: "active", consent: 1, revocation: null });
      valueOf(await on.table.enqueueRevocation(id, "ca_1"));
      valueOf(await on.table.settle(id, "expired", "for a moment"));
      await on.at.passTime(60 * MINUTE_MS);
      expect(await on.drain(id)).toEqual([]);
      await begin("ca_2");
      valueOf(await take(id, "ca_2"));
      valueOf(await complete(id, "ca_2"));
      expect(await on.drain(id)).toEqual([]);
      expect(valueOf(await on.table.tokens(id)).tokens).toEqual(account("ca_2"));
      await on.revoke(id);
      expect(await on.drain(id)).toEqual([account("ca_2")]);
    });

    test("is either stored or revoked when both happen at the same time, in each order", async () => {
      const ends: string[] = [];
      for (const order of ["complete", "sweep", "together", "together"]) {
        const owned = on.own(`${order} ${ends.length}`);
        const id = await begin("ca_1", owned);
        valueOf(await take(id, "ca_1"));
        await on.at.passTime(FLOW_GRACE_MS + MINUTE_MS);
        if (order === "sweep") expect(valueOf(await on.table.takeRevocation(id))?.tokens).toEqual(account("ca_1"));
        const [completed, swept] = await Promise.all([
          complete(id, "ca_1"),
          order === "together" ? on.table.takeRevocation(id) : null,
        ]);
        const revoked = order === "sweep" ? 1 : [swept === null ? null : valueOf(swept)].filter(Boolean).length;
        expect([completed.ok, revoked], order).toEqual(revoked === 1 ? [false, 1] : [true, 0]);
        if (!completed.ok) expect(completed).toMatchObject(gone);
        expect((await read(id)).status).toBe(completed.ok ? "active" : "new");
        ends.push(order);
      }
    });

    test("is stored by the sign-in that made it alone", async () => {
      const id = await begin("ca_1");
      valueOf(await take(id, "ca_1"));
      expect(await complete(id, "ca_2")).toMatchObject(gone);
      await begin("ca_2");
      expect(await complete(id, "ca_1")).toMatchObject(gone);
      expect(await read(id)).toMatchObject({ status: "new", consent: 0 });
      expect(await on.drain(id)).toEqual([account("ca_1")]);
    });
  });

  test("of a sign-in that was open when another credential was stored is revoked", async () => {
    const id = await begin("ca_1");
    valueOf(await on.complete(id, { tokens: { kind: "key", value: "k" } }));
    expect(await on.drain(id)).toEqual([account("ca_1")]);
    expect(valueOf(await on.table.tokens(id)).tokens).toMatchObject({ kind: "key" });
  });

  test("wait up to a bound, the latest ones", async () => {
    let id = "";
    for (let made = 0; made < MAX_REVOKING + 3; made += 1) id = await begin(`ca_${made}`);
    const revoked = await on.drain(id);
    expect(revoked).toEqual(Array.from({ length: MAX_REVOKING }, (_, at) => account(`ca_${at + 2}`)));
  });
});
