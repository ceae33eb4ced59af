import { afterAll, beforeAll } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { fakeKnowledge } from "../../fakes/knowledge.ts";
import { makeTenant, newId } from "../database/rows.ts";
import { knowledgeTableContract } from "./table-suite.ts";

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

knowledgeTableContract("the fake in memory", async () => ({
  knowledge: fakeKnowledge(),
  tenant: async () => newId("tenant"),
}));
knowledgeTableContract("Postgres", async () => ({
  knowledge: database.knowledge,
  tenant: async () => (await makeTenant(database)).tenant.id,
}));
