/** The rows of deliveries. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { DeliveryFilter } from "../../../core/ports/delivery-table.ts";
import type { Database } from "../../../core/ports/database.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, deliveryReport, makeTenant, newId, START } from "./rows.ts";
import { valueOf } from "../value-of.ts";

const ALL: DeliveryFilter = { task: null, channel: null, to: null, state: null, kind: null };
const PAGE = { after: null, limit: 100 };

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

const newTenant = async () => (await makeTenant(database)).tenant.id;
const listed = async (tenant: string, filter: Partial<DeliveryFilter> = {}) =>
  valueOf(await database.deliveries.page(tenant, { ...ALL, ...filter }, PAGE)).items.map(({ id }) => id);

describe("deliveries", () => {
  test("are returned as reported, and an older report changes nothing", async () => {
    const tenant = await newTenant();
    const first = deliveryReport({ to: "T1/#g\u0000l", task: "task_a", about: "qst_a", channel: "slack" });
    expect(valueOf(await database.deliveries.upsert(tenant, [first]))).toEqual({ isErased: false });
    const stored = { ...first, to: "T1/#g\ufffdl" };
    expect(valueOf(await database.deliveries.get(tenant, first.id))).toEqual(stored);
    const dead = {
      ...first,
      version: 5,
      state: "dead",
      attempts: 3,
      why: "no",
      dueAt: null,
      endedAt: START + 9,
    } as const;
    valueOf(await database.deliveries.upsert(tenant, [dead]));
    valueOf(await database.deliveries.upsert(tenant, [{ ...first, version: 4 }]));
    expect(valueOf(await database.deliveries.get(tenant, first.id))).toEqual({ ...dead, to: stored.to });
    expect(await database.deliveries.get(await newTenant(), first.id)).toMatchObject({ error: { code: "not_found" } });
  });

  test("are listed by what narrows them, the latest first, in pages; progress only by its kind", async () => {
    const tenant = await newTenant();
    const rows = [
      deliveryReport({ createdAt: START + 1, task: "task_a" }),
      deliveryReport({ createdAt: START + 2, channel: "slack", to: "T1/C1" }),
      deliveryReport({ createdAt: START + 3, state: "dead", kind: "alert" }),
      deliveryReport({ createdAt: START + 4, kind: "progress" }),
    ];
    valueOf(await database.deliveries.upsert(tenant, rows));
    const [first, second, third, progress] = rows.map(({ id }) => id);
    expect(await listed(tenant)).toEqual([third, second, first]);
    expect(await listed(tenant, { kind: "progress" })).toEqual([progress]);
    expect(await listed(tenant, { task: "task_a" })).toEqual([first]);
    expect(await listed(tenant, { channel: "slack" })).toEqual([second]);
    expect(await listed(tenant, { to: "T1/C1" })).toEqual([second]);
    expect(await listed(tenant, { state: "dead" })).toEqual([third]);
    const page = valueOf(await database.deliveries.page(tenant, ALL, { after: null, limit: 2 }));
    const rest = valueOf(await database.deliveries.page(tenant, ALL, { after: page.next, limit: 2 }));
    expect(rest.items.map(({ id }) => id)).toEqual([first]);
    valueOf(await database.deliveries.remove(tenant, [rows[0]?.id ?? "", rows[1]?.id ?? ""]));
    expect(await listed(tenant)).toEqual([third]);
  });

  test("that are overdue are named across tenants, the longest overdue first, and those that are over never", async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    const rows = [
      deliveryReport({ dueAt: 2000, outbox: `${one}/email` }),
      deliveryReport({ dueAt: 1000, outbox: `${other}/slack/T1` }),
      deliveryReport({ dueAt: 3000 }),
      deliveryReport({ dueAt: null, state: "sent" }),
    ] as const;
    valueOf(await database.deliveries.upsert(one, [rows[0], rows[2], rows[3]]));
    valueOf(await database.deliveries.upsert(other, [rows[1]]));
    const first = valueOf(await database.deliveries.overdue(3000, { after: null, limit: 1 }));
    expect(first.items).toEqual([{ id: rows[1].id, outbox: `${other}/slack/T1` }]);
    const second = valueOf(await database.deliveries.overdue(3000, { after: first.next, limit: 1 }));
    expect(second).toEqual({ items: [{ id: rows[0].id, outbox: `${one}/email` }], next: null });
  });

  test("of an erased tenant are not taken, name their outboxes, and go when it is purged", async () => {
    const tenant = await newTenant();
    const [stored, late] = [deliveryReport({ outbox: "a" }), deliveryReport({ outbox: "b" })];
    valueOf(await database.deliveries.upsert(tenant, [stored, deliveryReport({ outbox: "a" })]));
    expect(valueOf(await database.deliveries.outboxes(tenant, 10))).toEqual(["a"]);
    valueOf(await database.tenants.erase(tenant, act("tenant.erase", tenant)));
    expect(valueOf(await database.deliveries.upsert(tenant, [late]))).toEqual({ isErased: true });
    expect(valueOf(await database.deliveries.outboxes(tenant, 10))).toEqual(["a"]);
    valueOf(await database.deliveries.removeOutbox(tenant, "a"));
    expect(valueOf(await database.deliveries.outboxes(tenant, 10))).toEqual([]);
    valueOf(await database.tenants.purge(tenant));
    expect(valueOf(await database.deliveries.upsert(tenant, [late]))).toEqual({ isErased: true });
  });

  test("of a tenant that there never was are dropped, which is not the same as erased", async () => {
    const unknownTenant = newId("tenant");
    expect(valueOf(await database.deliveries.upsert(unknownTenant, [deliveryReport()]))).toEqual({ isErased: false });
    expect(await listed(unknownTenant)).toEqual([]);
  });
});
