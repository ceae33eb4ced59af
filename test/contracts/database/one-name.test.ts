/** One name, one app: the database refuses an app with the name of an import or an MCP server, and the reverse. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { AppConfiguration } from "../../../core/apps/workspace/workspace.ts";
import type { Result } from "../../../core/base/errors.ts";
import type { Database } from "../../../core/ports/database.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { valueOf } from "../value-of.ts";
import { act, makeTenant, mcpServer, START } from "./rows.ts";

const NOTHING: AppConfiguration = { enabledActions: [], overrides: {}, approved: {} };

let server: TestDatabase;
let database: Database;
let tenant: string;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());
beforeEach(async () => {
  tenant = (await makeTenant(database)).tenant.id;
});

const addApp = async (name: string, of = tenant): Promise<Result<unknown>> =>
  await database.workspaceApps.put(of, { app: name, before: null, after: NOTHING }, act("app.add", name));

async function publish(source: string, ifVersion: number, hash: string | null): Promise<Result<unknown>> {
  const content = { hash, tools: hash === null ? 0 : 1, bytes: 1, names: [], origin: null };
  const change = { name: source, ifVersion, ...content, definitions: [], skill: null, at: START };
  return await database.toolSources.publish(tenant, change, null);
}

const OTHERS: Readonly<Record<string, (name: string) => Promise<Result<unknown>>>> = {
  "an import": async (name) => await publish(`openapi:${name}`, 0, "h"),
  "an MCP server": async (name) => await database.mcpServers.put(tenant, mcpServer(name), act("mcp_server.set", name)),
};

test.each(Object.keys(OTHERS))("of an app and %s with one name, the second is refused", async (kind) => {
  const addOther = OTHERS[kind];
  if (addOther === undefined) throw new Error("no such kind");
  valueOf(await addApp("gmail"));
  expect(await addOther("gmail")).toMatchObject({ error: { code: "conflict", cause: { kind: "constraint" } } });
  valueOf(await addOther("crm"));
  expect(await addApp("crm")).toMatchObject({ error: { code: "conflict", cause: { kind: "constraint" } } });
  expect(await addOther("gmail")).toMatchObject({ error: { message: expect.stringContaining("Choose another name") } });
  expect(await addApp("crm")).toMatchObject({ error: { message: expect.stringContaining("Remove it first") } });
  const other = (await makeTenant(database)).tenant.id;
  valueOf(await addApp("crm", other));
});

test.each(Object.keys(OTHERS))("of an app and %s at the same moment, one is stored", async (kind) => {
  for (let round = 0; round < 5; round += 1) {
    const name = `app${round}`;
    const both = await Promise.all([addApp(name), OTHERS[kind]?.(name)]);
    expect(both.filter((one) => one?.ok === true)).toHaveLength(1);
  }
});

test("a name is free again once its app or its import is gone, and changes of what is stored are not refused", async () => {
  valueOf(await addApp("gmail"));
  valueOf(await database.workspaceApps.remove(tenant, "gmail", act("app.remove", "gmail")));
  valueOf(await publish("openapi:gmail", 0, "h1"));
  valueOf(await publish("openapi:gmail", 1, "h2"));
  expect(await addApp("gmail")).toMatchObject({ error: { code: "conflict" } });
  valueOf(await publish("openapi:gmail", 2, null));
  valueOf(await addApp("gmail"));
  expect(await publish("openapi:gmail", 3, "h3")).toMatchObject({ error: { code: "conflict" } });
  // The tools of the app itself, and of other kinds.
  for (const source of ["app:gmail", "mcp:gmail", "gmail"]) valueOf(await publish(source, 0, "h"));
});
