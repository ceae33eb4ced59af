import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { SourceChange } from "../../../core/ports/tool-source-table.ts";
import type { UsagePart } from "../../../core/ports/usage-table.ts";
import type { PageRequest } from "../../../core/base/page-cursor.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, makeTenant, newId, report, sourceOf, START } from "./rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

const firstPage: PageRequest = { after: null, limit: 100 };

describe("the sources of a tenant's tools", () => {
  test("hold the latest of each definition, and every version", async () => {
    const { tenant } = await makeTenant(database);
    const publish = (ifVersion: number, definition: string | null, change: Partial<SourceChange> = {}) => {
      const definitions = [{ name: "spy", definition }];
      return database.toolSources.publish(tenant.id, sourceOf("custom", { ifVersion, definitions, ...change }), null);
    };
    valueOf(await publish(0, "one"));
    valueOf(await publish(1, "two"));
    expect(valueOf(await database.toolSources.definitions(tenant.id))).toMatchObject([
      { name: "spy", version: 2, definition: "two", createdAt: START },
    ]);
    valueOf(await publish(2, null, { hash: null, tools: 0, names: [] }));
    expect(valueOf(await database.toolSources.definitions(tenant.id))).toEqual([]);
    const versions = valueOf(await database.toolSources.versions(tenant.id, "spy", firstPage)).items;
    expect(versions.map(({ version, definition }) => [version, definition])).toEqual([
      [3, null],
      [2, "two"],
      [1, "one"],
    ]);
    expect(valueOf(await database.toolSources.all(tenant.id))).toMatchObject([{ version: 3, hash: null, tools: 0 }]);
  });

  test("change completely or not at all: with their names, their definitions and the act", async () => {
    const { tenant } = await makeTenant(database);
    const made = act("tool.create", "spy");
    valueOf(await database.toolSources.publish(tenant.id, sourceOf("custom"), made));
    expect(await database.toolSources.publish(tenant.id, sourceOf("custom"), act("tool.create", "spy"))).toMatchObject({
      error: { code: "conflict", field: "ifVersion" },
    });
    expect(valueOf(await database.toolSources.versions(tenant.id, "spy", firstPage)).items).toHaveLength(1);
    const late = await database.toolSources.publish(
      tenant.id,
      sourceOf("custom", { names: ["other"], hash: "b".repeat(64) }),
      act("tool.update", "spy"),
    );
    expect(late).toMatchObject({ ok: false, error: { code: "conflict", field: "ifVersion" } });
    const second = sourceOf("mcp:x", { names: ["free", "spy"], definitions: [{ name: "free", definition: "{}" }] });
    expect(await database.toolSources.publish(tenant.id, second, act("tool.create", "free"))).toMatchObject({
      ok: false,
      error: { code: "conflict", field: "name", details: { names: ["spy"] } },
    });
    expect(valueOf(await database.toolSources.all(tenant.id))).toMatchObject([{ name: "custom", version: 1 }]);
    expect(valueOf(await database.toolSources.definitions(tenant.id))).toMatchObject([{ name: "spy", version: 1 }]);
    expect(valueOf(await database.audit.page(tenant.id, firstPage)).items).toEqual([made]);
    const free = { names: ["free"], definitions: [] };
    expect((await database.toolSources.publish(tenant.id, sourceOf("mcp:x", free), null)).ok).toBe(true);
  });
});

describe("use", () => {
  const DAY = 86_400_000;
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);

  test("is summed by the requested parts, including erased tasks", async () => {
    const { tenant } = await makeTenant(database);
    const [mine, call, later, gone] = [
      report({ key: "key_a", project: "sales", tokens: 10 }),
      report({ key: "key_a", tokens: 5, hidden: true }),
      report({ key: "key_b", project: "sales", tokens: 100, at: START + DAY }),
      report({ key: "key_a", project: "sales", tokens: 1000 }),
    ];
    valueOf(await database.tasks.upsert(tenant.id, [mine, call, later, gone]));
    valueOf(await database.tasks.remove(tenant.id, [gone.task, newId("task")]));
    valueOf(await database.tasks.remove(tenant.id, [gone.task]));
    const read = async (by: readonly UsagePart[], from = START, to = START + DAY) =>
      valueOf(await database.usage.read(tenant.id, { from: day(from), to: day(to), by, limit: 10 })).map(
        ({ parts, tasks, tokens, costMicros }) => [parts, tasks, tokens, costMicros],
      );
    expect(await read(["day"])).toEqual([
      [{ day: day(START) }, 2, 1015, 2030],
      [{ day: day(START + DAY) }, 1, 100, 200],
    ]);
    expect(await read(["key", "project"], START, START)).toEqual([
      [{ key: "key_a", project: null }, 0, 5, 10],
      [{ key: "key_a", project: "sales" }, 2, 1010, 2020],
    ]);
    expect(await read([])).toEqual([[{}, 3, 1115, 2230]]);
    expect(await read(["agent"], START + 2 * DAY, START + 3 * DAY)).toEqual([]);
  });

  test("of a task rounds a fraction of a micro-dollar up", async () => {
    const { tenant } = await makeTenant(database);
    const cheap = { ...report({ tokens: 15 }), used: { tokens: 15, costMicros: 12.5 } };
    valueOf(await database.tasks.upsert(tenant.id, [cheap]));
    const request = { from: day(START), to: day(START), by: [], limit: 10 };
    expect(valueOf(await database.usage.read(tenant.id, request))).toMatchObject([{ tokens: 15, costMicros: 13 }]);
  });

  test("of a task is what it last reported, once", async () => {
    const { tenant } = await makeTenant(database);
    const first = report({ tokens: 10 });
    valueOf(await database.tasks.upsert(tenant.id, [first]));
    valueOf(await database.tasks.upsert(tenant.id, [report({ task: first.task, version: 2, tokens: 30 })]));
    valueOf(await database.tasks.upsert(tenant.id, [first]));
    const request = { from: day(START), to: day(START), by: [], limit: 10 };
    expect(valueOf(await database.usage.read(tenant.id, request))).toMatchObject([{ tasks: 1, tokens: 30 }]);
  });
});
