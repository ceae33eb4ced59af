/** Changes of agents that make no version, and agents that are archived. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { PageRequest } from "../../../core/base/page-cursor.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, configOf, makeTenant, newId, START } from "./rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

const firstPage: PageRequest = { after: null, limit: 100 };

describe("agents", () => {
  test("get no version by a change that changes nothing", async () => {
    const { tenant } = await makeTenant(database);
    const id = newId("agent");
    const config = configOf("same");
    const made = valueOf(await database.agents.create(tenant.id, { id, config }, act("agent.create", id)));
    for (const ifVersion of [null, 1]) {
      const update = { id, config, ifVersion };
      expect(valueOf(await database.agents.update(tenant.id, update, act("agent.update", id, START + 1)))).toEqual(
        made,
      );
    }
    expect(
      await database.agents.update(tenant.id, { id, config, ifVersion: 2 }, act("agent.update", id)),
    ).toMatchObject({
      ok: false,
      error: { code: "conflict", field: "If-Match" },
    });
    const acts = valueOf(await database.audit.page(tenant.id, firstPage)).items;
    expect(acts.map(({ action }) => action)).toEqual(["agent.create"]);
    // Only the latest version counts: going back to an earlier one is a change.
    const other = { id, config: { ...config, instructions: "Other." }, ifVersion: null };
    expect(valueOf(await database.agents.update(tenant.id, other, act("agent.update", id))).version).toBe(2);
    const back = { id, config, ifVersion: null };
    expect(valueOf(await database.agents.update(tenant.id, back, act("agent.update", id))).version).toBe(3);
  });

  test("that are archived leave the list, release their name, and do not change", async () => {
    const { tenant } = await makeTenant(database);
    const other = await makeTenant(database);
    const config = configOf("leaving");
    const [id, next] = [newId("agent"), newId("agent")];
    valueOf(await database.agents.create(tenant.id, { id, config }, act("agent.create", id)));
    const gone = { ok: false, error: { code: "not_found" } };
    expect(await database.agents.archive(other.tenant.id, id, act("agent.archive", id))).toMatchObject(gone);
    const archived = valueOf(await database.agents.archive(tenant.id, id, act("agent.archive", id, START + 1)));
    expect(archived).toMatchObject({ id, version: 1, archivedAt: START + 1 });
    expect(await database.agents.archive(tenant.id, id, act("agent.archive", id))).toMatchObject(gone);
    expect(await database.agents.get(tenant.id, "leaving")).toMatchObject(gone);
    expect(valueOf(await database.agents.get(tenant.id, id))).toEqual(archived);
    expect(valueOf(await database.agents.names(tenant.id, [id]))).toEqual(new Map());
    expect(valueOf(await database.agents.versions(tenant.id, id, firstPage)).items).toHaveLength(1);
    expect(valueOf(await database.agents.page(tenant.id, firstPage)).items).toEqual([]);
    const update = { id, config: { ...config, instructions: "Other." }, ifVersion: null };
    expect(await database.agents.update(tenant.id, update, act("agent.update", id))).toMatchObject(gone);
    valueOf(await database.agents.create(tenant.id, { id: next, config }, act("agent.create", next)));
    expect(valueOf(await database.agents.names(tenant.id, [id, next]))).toEqual(new Map([[next, "leaving"]]));
    const stranger = (await makeTenant(database)).tenant.id;
    expect(valueOf(await database.agents.names(stranger, [next]))).toEqual(new Map());
    expect(valueOf(await database.agents.get(tenant.id, "leaving")).id).toBe(next);
    const acts = valueOf(await database.audit.page(tenant.id, firstPage)).items.map(({ action }) => action);
    expect(acts.filter((action) => action === "agent.archive")).toHaveLength(1);
  });
});
