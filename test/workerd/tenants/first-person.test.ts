/** The first person of a tenant, whom its first key belongs to. */
import { expect, test } from "vitest";
import { operatorKey, type Page, sendJson } from "../tenant/client.ts";

interface NewTenant {
  readonly tenant: { readonly id: string };
  readonly person: { readonly id: string; readonly name: string };
  readonly key: string;
}

async function create(body: object, headers: Readonly<Record<string, string>> = {}) {
  return await sendJson<NewTenant>({ method: "POST", path: "/v1/tenants", key: operatorKey(), body, headers });
}

test.each([
  [{ name: "Acme" }, "Owner"],
  [{ name: "Acme", person: { name: " Ana Lima " } }, "Ana Lima"],
])("%j gets %s, for whom the first key acts", async (body, name) => {
  const { status, body: made } = await create(body);
  expect([status, made.person.name]).toEqual([201, name]);
  const { key, person } = made;
  const found = await sendJson<object>({ path: `/v1/people/${person.id}`, key });
  expect(found.body).toMatchObject({ id: person.id, name, addresses: [], may_answer: true, may_approve: true });
  const keys = await sendJson<Page<{ person: object }>>({ path: "/v1/keys", key });
  expect(keys.body.data.map((each) => each.person)).toEqual([person]);
  const task = { method: "POST", path: "/v1/tasks", key, body: { input: "x", hold: true } };
  expect((await sendJson<{ acts_for: object }>(task)).body.acts_for).toEqual({ person_id: person.id, name });
});

test("a repeat creates nothing more", async () => {
  const headers = { "idempotency-key": crypto.randomUUID() };
  const [first, second] = [await create({ name: "Acme" }, headers), await create({ name: "Acme" }, headers)];
  expect(second.body).toEqual(first.body);
  const people = await sendJson<Page<object>>({ path: "/v1/people", key: first.body.key });
  expect(people.body.data).toHaveLength(1);
});

test.each([[{}], [{ name: "" }], [{ name: "a\nb" }], [{ name: "Ana", may_approve: false }]])(
  "the person %j is refused",
  async (person) => {
    expect((await create({ name: "Acme", person })).status).toBe(422);
  },
);

test("another admin key of the operator belongs to nobody", async () => {
  const { body: made } = await create({ name: "Acme" });
  const path = `/v1/tenants/${made.tenant.id}/keys`;
  const added = await sendJson<{ person: null }>({ method: "POST", path, key: operatorKey(), body: {} });
  expect([added.status, added.body.person]).toEqual([201, null]);
});
