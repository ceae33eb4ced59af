import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import { openPeople } from "../../../adapters/database/find-people.ts";
import type { Database } from "../../../core/ports/database.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { fakePeople, makePerson } from "../../fakes/people.ts";
import { act, makeTenant, newId, personOf } from "../database/rows.ts";
import { peopleSuite } from "./suite.ts";

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

peopleSuite("memory", async (people) => {
  const made = people.map(({ name, ...rest }) => makePerson(newId("person"), name, rest));
  return { people: fakePeople(...made), ids: Object.fromEntries(made.map(({ id, name }) => [name, id])) };
});

peopleSuite("the database", async (people) => {
  const { tenant } = await makeTenant(database);
  const ids: Record<string, string> = {};
  for (const { name, ...rest } of people) {
    const person = personOf(name, rest);
    await database.people.create(tenant.id, person, act("person.create", person.id));
    ids[name] = person.id;
  }
  return { people: openPeople(database.people, tenant.id), ids };
});

test("no person is found while the database is unavailable, even by a literal name", async () => {
  const away = openDatabase(server.url, "http://127.0.0.1:9/sql");
  const found = await openPeople(away.people, newId("tenant")).find("Ana");
  openDatabase(server.url, server.endpoint);
  expect(found).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
});

test("of a thousand, an error lists fifty and counts the others", async () => {
  const thousand = Array.from({ length: 1000 }, (_, index) =>
    makePerson(newId("person"), `Person ${String(index).padStart(3, "0")}`),
  );
  const found = await fakePeople(...thousand).find("Ana");
  if (found.ok) throw new Error("somebody was found");
  expect(found.error.message).toContain("Person 000, Person 001");
  expect(found.error.message).toMatch(/Person 049 and 950 more\.$/);
  const many = await fakePeople(...thousand).find("person");
  expect(many).toMatchObject({ ok: false, error: { code: "invalid_input" } });
  expect(many.ok ? "" : many.error.message.length).toBeLessThan(500);
});
