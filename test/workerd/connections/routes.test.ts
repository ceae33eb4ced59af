/** The connections API: who sees, changes and ends which connection, and who gets a link. */
import { describe, expect, test, vi } from "vitest";
import { canSeeConnectUrl } from "../../../workers/connections/connect-token.ts";
import { callerOf, expectProblem, makeCaller } from "../http/entry.ts";
import { newBrowser } from "../mcp/consent-client.ts";
import { addApp, askLink, connect, type Member, openOffice, readOnly } from "./connect-client.ts";

const ids = (answer: { readonly json: { readonly data: readonly { readonly id: string }[] } }) =>
  answer.json.data.map(({ id }) => id);

async function readId(member: Member, query: string): Promise<string> {
  const [id = ""] = ids(await member.send("GET", `/v1/connections?${query}`));
  return id;
}

/** Two people, each with an own account, and a shared one. */
async function openFull() {
  const office = await openOffice();
  const [ana, ben] = [await office.add("Ana"), await office.add("Ben")];
  await connect(ana, "ana");
  await connect(ben, "ben");
  await connect(office.admin, "ben", { owner: "shared" });
  const [mine, theirs] = [await readId(ana, "owner=me"), await readId(ben, "owner=me")];
  return { office, ana, ben, mine, theirs, everyones: await readId(ana, "owner=shared") };
}

describe("the list", () => {
  test("shows one's own and the shared ones; all of them to an administrator", async () => {
    const { office, ana, mine, theirs, everyones } = await openFull();
    expect(ids(await ana.send("GET", "/v1/connections"))).toEqual([everyones, mine]);
    expect(ids(await ana.send("GET", "/v1/connections?owner=me"))).toEqual([mine]);
    expect(ids(await ana.send("GET", "/v1/connections?owner=shared&app=crm"))).toEqual([everyones]);
    expect(ids(await ana.send("GET", "/v1/connections?app=other"))).toEqual([]);
    expectProblem(await ana.send("GET", "/v1/connections?owner=all"), 403);
    const all = await office.admin.send("GET", "/v1/connections?owner=all");
    expect(ids(all)).toEqual([everyones, theirs, mine]);
    expect(all.text).not.toMatch(/token|access|refresh|verifier|sealed/);
    expect(ids(await office.admin.send("GET", "/v1/connections?owner=shared"))).toEqual([everyones]);
  });

  test("says what to do to a key without a person", async () => {
    const office = await openOffice();
    for (const [method, path, body] of [
      ["GET", "/v1/connections"],
      ["GET", "/v1/connections?owner=me"],
      ["POST", "/v1/connections", { app: "crm" }],
    ] as const) {
      const answer = await office.admin.send(method, path, body);
      expect([answer.status, answer.json.detail]).toEqual([
        422,
        "This key belongs to no person. Bind it under Settings, Keys.",
      ]);
    }
  });
});

test("a connection is shown to its owner, to an administrator, and to nobody else", async () => {
  const { office, ana, ben, mine, everyones } = await openFull();
  expect((await ana.send("GET", `/v1/connections/${mine}`)).json).toMatchObject({ id: mine, status: "active" });
  expect((await office.admin.send("GET", `/v1/connections/${mine}`)).json.owner).toEqual({
    kind: "person",
    id: ana.person,
    name: "Ana",
  });
  expect((await ben.send("GET", `/v1/connections/${everyones}`)).json.owner).toEqual({ kind: "shared" });
  const stranger = await makeCaller();
  for (const caller of [ben, stranger])
    for (const [method, body] of [["GET"], ["PATCH", { alias: "x" }], ["DELETE"]] as const)
      expectProblem(await caller.send(method, `/v1/connections/${mine}`, body), 404);
  for (const id of ["con_x", "con_01jd0000000000000000000000", "task_01jd0000000000000000000000"])
    expectProblem(await ana.send("GET", `/v1/connections/${id}`), 404);
  expect((await ana.send("GET", `/v1/connections/${mine}`)).json.status).toBe("active");
});

describe("a link", () => {
  test("is given to a key's own person, and for everyone to an administrator", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana");
    const made = await ana.send("POST", "/v1/connections", { app: "crm" });
    expect(made.status, made.text).toBe(201);
    expect(made.json.connect_url).toMatch(/^http:\/\/otto\.test\/connect\/[\w-]{100,}$/);
    const left = Date.parse(made.json.expires_at) - Date.now();
    expect(left).toBeGreaterThan(14 * 60_000);
    expect(left).toBeLessThanOrEqual(15 * 60_000);
    expectProblem(await ana.send("POST", "/v1/connections", { app: "crm", owner: "shared" }), 403);
    expectProblem(await ana.send("POST", "/v1/connections", { app: "none" }), 404);
    const reader = await office.add("Reader", ["tasks:read"]);
    expectProblem(await reader.send("POST", "/v1/connections", { app: "crm" }), 403);
    expect((await ana.send("GET", "/v1/connections")).json.data).toEqual([]);
  });

  test("is refused where the app has another owner, with the field", async () => {
    const office = await openOffice({ per: "person" });
    await addApp(office.tenant, "shop", { per: "shared" });
    const ana = await office.add("Ana");
    expectProblem(await office.admin.send("POST", "/v1/connections", { app: "crm", owner: "shared" }), 422, "owner");
    expectProblem(await ana.send("POST", "/v1/connections", { app: "shop" }), 422, "owner");
  });

  test.each([
    [{}, "app"],
    [{ app: "" }, "app"],
    [{ app: "crm", owner: "all" }, "owner"],
    [{ app: "crm", owner: "per_1" }, "owner"],
    [{ app: "crm", alias: "" }, "alias"],
    [{ app: "crm", alias: "   " }, "alias"],
    [{ app: "crm", alias: "x".repeat(61) }, "alias"],
    [{ app: "crm", unattended: "yes" }, "unattended"],
    [{ app: "crm", acts_for: "per_1" }, "acts_for"],
  ])("of %j is refused with the field", async (body, field) => {
    const office = await openOffice();
    expectProblem(await (await office.add("Ana")).send("POST", "/v1/connections", body), 422, field);
  });

  test("of a wait is seen by its person, a key that acts for people, and of a shared one by administrators", () => {
    const see = canSeeConnectUrl;
    expect(see({ person: "per_a", scopes: ["tasks:read"] }, { person_id: "per_a" })).toBe(true);
    expect(see({ person: null, scopes: ["people:act"] }, { person_id: "per_a" })).toBe(true);
    expect(see({ person: "per_b", scopes: ["tasks:read", "admin"] }, { person_id: "per_a" })).toBe(false);
    expect(see({ person: null, scopes: ["admin"] }, { person_id: null })).toBe(true);
    expect(see({ person: "per_b", scopes: ["people:act"] }, { person_id: null })).toBe(false);
    expect(see({ person: null, scopes: [] }, { person_id: "per_a" })).toBe(false);
  });
});

describe("a change", () => {
  test("is its owner's, and of a shared one an administrator's", async () => {
    const { office, ana, mine, everyones } = await openFull();
    const changed = await ana.send("PATCH", `/v1/connections/${mine}`, {
      alias: "work",
      unattended: true,
      delegate_approvals: true,
    });
    expect(changed.json).toMatchObject({ alias: "work", unattended: true, delegate_approvals: true });
    expect((await ana.send("PATCH", `/v1/connections/${mine}`, { alias: null })).json.alias).toBeNull();
    const refused = await office.admin.send("PATCH", `/v1/connections/${mine}`, { unattended: false });
    expectProblem(refused, 403);
    expect(refused.json.detail).toBe("Only Ana changes this connection.");
    expectProblem(await ana.send("PATCH", `/v1/connections/${everyones}`, { alias: "x" }), 403);
    expect((await office.admin.send("PATCH", `/v1/connections/${everyones}`, { alias: "team" })).json.alias).toBe(
      "team",
    );
    for (const field of ["unattended", "delegate_approvals"])
      expectProblem(await office.admin.send("PATCH", `/v1/connections/${everyones}`, { [field]: true }), 422, field);
    const audit = await office.admin.send("GET", `/v1/audit?action=connection.update&target=${mine}`);
    expect(audit.json.data).toHaveLength(2);
  });

  test("of the default is one transaction, and an alias is unique per owner and app", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana");
    await connect(ana, "ana");
    const first = (await readOnly(ana)).id;
    await connect(ana, "ben", { alias: "work" });
    const [second = ""] = ids(await ana.send("GET", "/v1/connections"));
    const listDefaults = async () =>
      (await ana.send("GET", "/v1/connections")).json.data
        .filter(({ is_default }: { is_default: boolean }) => is_default)
        .map(({ id }: { id: string }) => id);
    expect(await listDefaults()).toEqual([first]);
    await ana.send("PATCH", `/v1/connections/${second}`, { is_default: true });
    expect(await listDefaults()).toEqual([second]);
    expectProblem(await ana.send("PATCH", `/v1/connections/${first}`, { alias: "work" }), 409, "alias");
    await ana.send("DELETE", `/v1/connections/${second}`);
    expect(await listDefaults()).toEqual([first]);
  });

  test.each([
    [{}, "body"],
    [{ alias: "" }, "alias"],
    [{ alias: "x".repeat(61) }, "alias"],
    [{ is_default: false }, "is_default"],
    [{ unattended: null }, "unattended"],
    [{ status: "active" }, "status"],
  ])("of %j is refused with the field", async (body, field) => {
    const office = await openOffice({ kind: "bearer", at: null });
    const ana = await office.add("Ana");
    await connectByKey(ana);
    expectProblem(await ana.send("PATCH", `/v1/connections/${(await readOnly(ana)).id}`, body), 422, field);
  });
});

async function connectByKey(member: Member): Promise<void> {
  const stored = await newBrowser().submit(`${await askLink(member)}/go`, { "field.token": "key" });
  expect(stored.status, stored.text).toBe(200);
}

describe("disconnecting", () => {
  test("is for the owner and administrators, and removes what is ended and confirmed", async () => {
    const { office, ana, mine, everyones } = await openFull();
    expectProblem(await ana.send("DELETE", `/v1/connections/${everyones}`), 403);
    const revoked = await office.admin.send("DELETE", `/v1/connections/${mine}`);
    expect([revoked.status, revoked.json.status, revoked.json.id]).toEqual([200, "revoked", mine]);
    expect(revoked.json.revocation).toMatchObject({ state: "open" });
    await vi.waitFor(
      async () => expect((await ana.send("GET", `/v1/connections/${mine}`)).json.revocation).toBeNull(),
      { timeout: 20_000, interval: 50 },
    );
    const removed = await ana.send("DELETE", `/v1/connections/${mine}`);
    expect([removed.status, removed.json.status]).toEqual([200, "revoked"]);
    expectProblem(await ana.send("GET", `/v1/connections/${mine}`), 404);
    const { data } = (await office.admin.send("GET", `/v1/audit?target=${mine}`)).json;
    expect(data.map(({ action }: { action: string }) => action)).toEqual([
      "connection.delete",
      "connection.revoke",
      "connection.connect",
    ]);
  });

  test("keeps the id for a reconnect", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana");
    await connect(ana, "ana");
    const { id } = await readOnly(ana);
    await ana.send("DELETE", `/v1/connections/${id}`);
    await connect(ana, "ana");
    expect(await readOnly(ana)).toMatchObject({ id, status: "active" });
  });
});

test("a key that is bound to projects has no connections", async () => {
  const office = await openOffice();
  const ana = await office.add("Ana");
  const key = { name: "bound", scopes: ["tasks:read", "tasks:write"], projects: ["sales"], person: ana.person };
  const made = await office.admin.send("POST", "/v1/keys", key);
  const bound = callerOf(office.tenant, made.json.key);
  expectProblem(await bound.send("GET", "/v1/connections"), 403);
  expectProblem(await bound.send("POST", "/v1/connections", { app: "crm" }), 403);
});
