import { readdir, readFile } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import { btree_gin } from "@electric-sql/pglite/contrib/btree_gin";
import { vector } from "@electric-sql/pglite-pgvector";
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { type FilledTenant, fillTenant, TABLES } from "./filled-tenant.ts";
import { act, configOf, endpointOf, makeTenant, report, secretOf, SKILL_HASH, START } from "./rows.ts";

const PAGE = { after: null, limit: 100 };

/** Functions that only triggers and other functions call. */
const PURGES =
  "tools mcp_servers schedules skills deliveries endpoints hooks slack connections workspace_apps triggers knowledge codebases";
const OF_CHUNKS = ["add_chunk_vectors", "delete_chunk_vectors", "copy_chunk_vector"];
const INNER_FUNCTIONS = [...PURGES.split(" ").map((kind) => `purge_${kind}`), ...OF_CHUNKS];

let server: TestDatabase;
let database: Database;
/** One tenant with a row in every table, and another with none beside its key. */
let a: FilledTenant;
let b: Awaited<ReturnType<typeof makeTenant>>;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
  a = await fillTenant(database, server);
  b = await makeTenant(database);
});
afterAll(() => server.close());

/** Runs one statement alone, as `otto_app`, with or without a tenant. */
async function asApp(statement: string, tenant: string | null): Promise<unknown[]> {
  neonConfig.fetchEndpoint = server.endpoint;
  const sql = neon(server.url, { disableWarningInBrowsers: true });
  if (tenant === null) return sql.query(statement);
  const [, rows] = await sql.transaction([
    sql.query("select set_config('app.tenant', $1, true)", [tenant]),
    sql.query(statement),
  ]);
  return rows as unknown[];
}

async function asOwner(statement: string): Promise<Record<string, unknown>[]> {
  neonConfig.fetchEndpoint = server.endpoint;
  return neon(server.ownerUrl, { disableWarningInBrowsers: true }).query(statement);
}

describe("the Worker's role", () => {
  test.each(TABLES)("sees nothing of %s when no tenant is named, although there are rows", async (table) => {
    expect((await asOwner(`select * from ${table}`)).length).toBeGreaterThan(0);
    expect(await asApp(`select * from ${table}`, null)).toEqual([]);
    expect(await asApp(`select * from ${table}`, "")).toEqual([]);
  });

  test.each(TABLES)("sees only the rows of the tenant that is named in %s", async (table) => {
    const column = table === "tenants" ? "id" : "tenant";
    const own = await asApp(`select ${column} as owner from ${table}`, a.tenant.id);
    const others = own.filter((row) => (row as { owner: string }).owner !== a.tenant.id);
    expect(own.length).toBeGreaterThan(0);
    expect(others).toEqual([]);
    expect(await asApp(`select * from ${table} where ${column} = '${a.tenant.id}'`, b.tenant.id)).toEqual([]);
  });

  test.each([
    ["keys", `update keys set revoked_at = now() where tenant = '%'`],
    ["agents", `update agents set version = 99 where tenant = '%'`],
    ["tasks", `update tasks set status = 'failed' where tenant = '%'`],
    ["tasks", `delete from tasks where tenant = '%'`],
    ["secrets", `update secrets set hosts = '{evil.example}' where tenant = '%'`],
    ["secrets", `delete from secrets where tenant = '%'`],
    ["tool_sources", `update tool_sources set hash = 'x' where tenant = '%'`],
    ["erased_usage", `update erased_usage set tokens = 0 where tenant = '%'`],
    ["tool_names", `delete from tool_names where tenant = '%'`],
    ["schedules", `update schedules set state = '{}' where tenant = '%'`],
    ["schedules", `delete from schedules where tenant = '%'`],
    ["mcp_servers", `update mcp_servers set sealed = 'x' where tenant = '%'`],
    ["mcp_servers", `delete from mcp_servers where tenant = '%'`],
    ["deliveries", `update deliveries set state = 'sent' where tenant = '%'`],
    ["deliveries", `delete from deliveries where tenant = '%'`],
    ["hooks", `update hooks set sealed = 'x' where tenant = '%'`],
    ["hooks", `delete from hooks where tenant = '%'`],
    ["skills", `update skills set version = 99 where tenant = '%'`],
    ["skill_versions", `delete from skill_versions where tenant = '%'`],
    ["slack_installs", `update slack_installs set sealed = 'x' where tenant = '%'`],
    ["slack_installs", `delete from slack_installs where tenant = '%'`],
    ["slack_authorizations", `delete from slack_authorizations where tenant = '%'`],
    ["tenants", `update tenants set erased_at = now() where id = '%'`],
    ["memories", `update memories set content = 'x' where tenant = '%'`],
    ["memories", `delete from memories where tenant = '%'`],
    ["memory_tags", `delete from memory_tags where tenant = '%'`],
    ["vectors", `delete from vectors where tenant = '%'`],
    ["projects", `delete from projects where tenant = '%'`],
    ["endpoints", `update endpoints set sealed = 'x' where tenant = '%'`],
    ["endpoints", `delete from endpoints where tenant = '%'`],
    ["entity_connections", `update entity_connections set sealed = 'x' where tenant = '%'`],
    ["entity_connections", `delete from entity_connections where tenant = '%'`],
    ["app_clients", `update app_clients set sealed = 'x' where tenant = '%'`],
    ["app_clients", `delete from app_clients where tenant = '%'`],
    ["provider_keys", `update provider_keys set sealed = 'x' where tenant = '%'`],
    ["provider_keys", `delete from provider_keys where tenant = '%'`],
    ["databases", `update databases set sealed = 'x', agents = null where tenant = '%'`],
    ["databases", `delete from databases where tenant = '%'`],
    ["workspace_tool_config", `update workspace_tool_config set configuration = '{}' where tenant = '%'`],
    ["workspace_tool_config", `delete from workspace_tool_config where tenant = '%'`],
    ["agent_app_assignments", `delete from agent_app_assignments where tenant = '%'`],
    ["agent_tool_permissions", `delete from agent_tool_permissions where tenant = '%'`],
    ["app_triggers", `update app_triggers set provider_id = 'x' where tenant = '%'`],
    ["app_triggers", `delete from app_triggers where tenant = '%'`],
    ["trigger_subscriptions", `update trigger_subscriptions set sealed = 'x' where tenant = '%'`],
    ["knowledge_documents", `update knowledge_documents set title = 'x' where tenant = '%'`],
    ["knowledge_documents", `delete from knowledge_documents where tenant = '%'`],
    ["knowledge_versions", `update knowledge_versions set warnings = '{}' where tenant = '%'`],
    ["knowledge_versions", `delete from knowledge_versions where tenant = '%'`],
    ["knowledge_pieces", `update knowledge_pieces set text = 'x' where tenant = '%'`],
    ["knowledge_pieces", `delete from knowledge_pieces where tenant = '%'`],
    ["codebases", `update codebases set agents = null, people = '{x}' where tenant = '%'`],
    ["codebases", `delete from codebases where tenant = '%'`],
    ["code_files", `update code_files set live = false where tenant = '%'`],
    ["code_files", `delete from code_files where tenant = '%'`],
    ["code_symbols", `delete from code_symbols where tenant = '%'`],
    ["code_chunks", `delete from code_chunks where tenant = '%'`],
    ["code_chunk_vectors", `update code_chunk_vectors set embedded_by = 'x' where tenant = '%'`],
    ["trigger_endings", `delete from trigger_endings where provider_id <> '%'`],
    ["ended_triggers", `delete from ended_triggers where id <> '%'`],
  ])("changes nothing in %s of another tenant by: %s", async (table, statement) => {
    const before = await asOwner(`select * from ${table}`);
    await asApp(statement.replace("%", a.tenant.id), b.tenant.id);
    expect(await asOwner(`select * from ${table}`)).toEqual(before);
  });

  test("cannot give a row to another tenant, nor move one there", async () => {
    const insert = `insert into audit values ('${a.tenant.id}', 'aud_x', now(), 'x', 'x', 'x', 'x')`;
    await expect(asApp(insert, b.tenant.id)).rejects.toThrow(/row-level security/);
    const move = `update keys set tenant = '${a.tenant.id}' where tenant = '${b.tenant.id}'`;
    await expect(asApp(move, b.tenant.id)).rejects.toThrow(/row-level security/);
  });

  test.each([
    "delete from audit",
    "update audit set actor = 'x'",
    "delete from keys",
    "update agent_versions set config = ''",
    "update custom_tools set definition = ''",
    "delete from tool_sources",
    "delete from erased_usage",
    ...INNER_FUNCTIONS.map((name) => `select otto_${name}()`),
    "update code_chunks set text = 'x'",
    "update code_chunk_vectors set chunk = 'x'",
    "delete from code_chunk_vectors",
    "insert into code_chunk_vectors values ('ten_x', 'cch_x', 'cdb_x', null)",
    "update code_symbols set name = 'x'",
    "select otto_end_trigger()",
    "insert into trigger_endings values ('ti_other', now())",
    "select otto_note_ended_trigger()",
    "insert into ended_triggers values ('ten_x', 'trg_x', now())",
    "delete from trigger_subscriptions",
    "update agent_app_assignments set level = 'full'",
    "update agent_tool_permissions set is_active = true",
    "select otto_revoke_connections_of_person()",
    "select header from sealing_keys",
    "update slack_authorizations set key = 'x'",
    "update skill_versions set hash = 'x'",
    "truncate tasks",
    "alter table tasks disable row level security",
    "create table mine (x int)",
    "set role otto_directory",
    "drop policy tenant_rows on tasks",
  ])("is refused: %s", async (statement) => {
    await expect(asApp(statement, a.tenant.id)).rejects.toThrow(
      /permission denied|must be owner|is not for this connection/,
    );
  });

  test("finds code of the named tenant only, and none without one", async () => {
    const call = `select * from otto_find_code('{${a.codebase}}', '''n:spy'':*', '''w:spy''', null, 10)`;
    expect((await asApp(call, a.tenant.id)).length).toBe(2);
    for (const other of [b.tenant.id, "", null]) expect(await asApp(call, other)).toEqual([]);
  });

  test("has row-level security enabled and forced on every table with a tenant", async () => {
    const rows = await asOwner(`
      select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as guarded
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and exists (select from pg_attribute where attrelid = c.oid and attname = 'tenant') or c.relname = 'tenants'`);
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining([...TABLES]));
    expect(rows.filter(({ guarded }) => guarded !== true)).toEqual([]);
  });

  test("may call no function that looks across tenants but those that it was given", async () => {
    const rows = await asOwner(`
      select p.proname as name, p.proconfig as config, r.rolname as owner, r.rolsuper or r.rolbypassrls as passes
      from pg_proc p join pg_roles r on r.oid = p.proowner
      where p.prosecdef and has_function_privilege('otto_app', p.oid, 'execute')
        -- Only the embedded Postgres has it; test/startup/database-bridge.test.ts covers what it refuses.
        and p.proname <> 'set_config' order by 1`);
    const connections = ["otto_connection_waits", "otto_connections_of_entity", "otto_connections_to_check"];
    const names = [
      "otto_apps_to_follow",
      "otto_codebases_due",
      ...connections,
      "otto_deleted_codebases",
      "otto_erased_tenants",
      "otto_find_code",
      "otto_find_pieces",
      "otto_find_texts",
      "otto_first_provider_key",
      "otto_forget_sealing_key",
      "otto_memories_to_embed",
      "otto_open_documents",
    ];
    const sweep = [
      "otto_overdue_deliveries",
      "otto_overdue_schedules",
      "otto_overdue_tasks",
      "otto_pieces_to_embed",
      "otto_purge_tenant",
    ];
    const keys = ["otto_reindexes", "otto_revocations_due", "otto_sealing_keys", "otto_set_first_sealing_key"];
    const last = [
      "otto_slack_tenant",
      "otto_tenants",
      "otto_trigger_owner",
      "otto_triggers_pending",
      "otto_unclean_documents",
    ];
    expect(rows.map(({ name }) => name)).toEqual([...names, ...sweep, ...keys, ...last]);
    for (const row of rows)
      expect(row).toMatchObject({
        owner: "otto_directory",
        passes: false,
        config: ["search_path=pg_catalog, pg_temp"],
      });
  });
});

test("an owner of the tables who is no superuser is bound by them too", async () => {
  const db = await PGlite.create({ dataDir: "memory://", extensions: { vector, btree_gin } });
  try {
    // Neon lets an owner make these extensions; here it takes a superuser.
    await db.exec("create extension vector; create extension btree_gin; create role deployer createrole");
    await db.exec("alter schema public owner to deployer; set session authorization deployer");
    await db.exec("create role otto_app nologin; create table otto_migrations (name text, applied_at timestamptz)");
    const folder = new URL("../../../migrations/", import.meta.url);
    const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
    for (const file of files) await db.exec(await readFile(new URL(file, folder), "utf8"));
    await db.exec("grant otto_app to deployer; set role otto_app");
    await db.exec(
      `begin; select set_config('app.tenant', 'ten_a', true); insert into tenants values ('ten_a', 'A', now()); commit`,
    );
    expect((await db.query("select id from otto_tenants(null, null, 10)")).rows).toEqual([{ id: "ten_a" }]);
    await db.exec("reset role");
    expect((await db.query("select id from tenants")).rows).toEqual([]);
  } finally {
    await db.close();
  }
});

describe("one tenant with another's ids", () => {
  test("reads no row of another tenant", async () => {
    const missing = { ok: false, error: { code: "not_found" } };
    expect(await database.agents.get(b.tenant.id, a.agent)).toMatchObject(missing);
    expect(await database.agents.get(b.tenant.id, "spy")).toMatchObject(missing);
    expect(await database.agents.versions(b.tenant.id, a.agent, PAGE)).toMatchObject(missing);
    expect(await database.keys.findByHash(b.tenant.id, a.key.hash)).toMatchObject(missing);
    expect(await database.secrets.get(b.tenant.id, "KEY")).toMatchObject(missing);
    expect(await database.secrets.sealed(b.tenant.id)).toEqual({ ok: true, value: [] });
    expect(await database.secrets.page(b.tenant.id, PAGE)).toEqual({ ok: true, value: { items: [], next: null } });
    expect(await database.toolSources.all(b.tenant.id)).toEqual({ ok: true, value: [] });
    expect(await database.toolSources.definitions(b.tenant.id)).toEqual({ ok: true, value: [] });
    expect(await database.toolSources.versions(b.tenant.id, "spy", PAGE)).toMatchObject(missing);
    const days = { from: "2000-01-01", to: "2100-01-01", by: ["project"] as const, limit: 10 };
    expect(await database.usage.read(b.tenant.id, days)).toEqual({ ok: true, value: [] });
    expect(await database.projects.get(b.tenant.id, "secret")).toMatchObject(missing);
    expect(await database.projects.list(b.tenant.id, null, 10)).toEqual({ ok: true, value: [] });
    expect(await database.memories.read(b.tenant.id, null, [a.memory])).toEqual({ ok: true, value: [] });
    for (const scope of [null, [null], ["secret"]]) {
      const page = await database.memories.page(b.tenant.id, { scope, kind: null, tag: null, withOutside: true }, PAGE);
      expect(page).toEqual({ ok: true, value: { items: [], next: null } });
    }
    expect(await database.knowledge.get(b.tenant.id, null, a.document)).toMatchObject(missing);
    expect(await database.knowledge.readPieces(b.tenant.id, null, [a.piece])).toEqual({ ok: true, value: [] });
    const around = { id: a.piece, before: 5, after: 5 };
    expect(await database.knowledge.neighbours(b.tenant.id, null, around)).toMatchObject(missing);
    expect(await database.schedules.page(b.tenant.id, PAGE)).toEqual({ ok: true, value: { items: [], next: null } });
    expect(await database.schedules.listIds(b.tenant.id, 10)).toEqual({ ok: true, value: [] });
    expect(await database.mcpServers.all(b.tenant.id)).toEqual({ ok: true, value: [] });
    expect(await database.mcpServers.get(b.tenant.id, "spy")).toMatchObject(missing);
    expect(await database.mcpServers.access(b.tenant.id, "spy")).toMatchObject(missing);
    expect(await database.endpoints.all(b.tenant.id)).toEqual({ ok: true, value: [] });
    expect(await database.endpoints.get(b.tenant.id, a.endpoint)).toMatchObject(missing);
    expect(await database.skills.get(b.tenant.id, "spy-skill")).toMatchObject(missing);
    expect(await database.skills.page(b.tenant.id, PAGE)).toEqual({ ok: true, value: { items: [], next: null } });
    expect(await database.skills.versions(b.tenant.id, "spy-skill", PAGE)).toMatchObject(missing);
    expect(await database.skills.version(b.tenant.id, "spy-skill", 1)).toMatchObject(missing);
    expect(await database.skills.version(b.tenant.id, "spy-skill", SKILL_HASH)).toMatchObject(missing);
    for (const project of ["secret", null]) {
      const page = await database.tasks.page(b.tenant.id, { status: null, project }, PAGE);
      expect(page).toEqual({ ok: true, value: { items: [], next: null } });
    }
  });

  test("changes and removes no row of another tenant", async () => {
    const missing = { ok: false, error: { code: "not_found" } };
    const update = { id: a.agent, config: configOf("stolen"), ifVersion: null };
    expect(await database.agents.update(b.tenant.id, update, act("agent.update", a.agent))).toMatchObject(missing);
    expect(await database.keys.revoke(b.tenant.id, a.key.key.id, act("key.revoke", a.key.key.id))).toMatchObject(
      missing,
    );
    const stolen = { ...secretOf("KEY"), sealed: "c3RvbGVu" };
    expect(await database.secrets.update(b.tenant.id, stolen, act("secret.update", stolen.id))).toMatchObject(missing);
    expect(await database.secrets.remove(b.tenant.id, "KEY", act("secret.delete", stolen.id))).toMatchObject(missing);
    expect(await database.secrets.sealed(a.tenant.id)).toMatchObject({ ok: true, value: [{ sealed: "c2VhbGVk" }] });
    const { id: hook, sealed: _, ...setting } = { ...endpointOf(), id: a.endpoint };
    const change = { id: hook, setting: { ...setting, url: "https://evil.example/" }, ifVersion: null };
    expect(await database.endpoints.update(b.tenant.id, change, act("webhook.update", hook))).toMatchObject(missing);
    const stolenSecret = { id: hook, sealed: "stolen", oldUntil: START };
    expect(await database.endpoints.rotate(b.tenant.id, stolenSecret, act("webhook.rotate", hook))).toMatchObject(
      missing,
    );
    const why = { id: hook, version: 1, why: "spite" };
    expect(await database.endpoints.disable(b.tenant.id, why, act("webhook.disable", hook))).toMatchObject({
      ok: true,
    });
    expect(await database.endpoints.remove(b.tenant.id, hook, act("webhook.delete", hook))).toMatchObject(missing);
    const stored = [{ id: hook, version: 1, url: "https://receiver.example/otto", enabled: true, sealed: "c2VhbGVk" }];
    expect(await database.endpoints.all(a.tenant.id)).toMatchObject({ ok: true, value: stored });
    const stolenDocument = act("document.delete", a.document);
    expect(await database.knowledge.delete(b.tenant.id, null, a.document, stolenDocument)).toMatchObject(missing);
    const removed = await database.knowledge.removePieces(b.tenant.id, [a.piece]);
    expect(removed).toMatchObject({ ok: true });
    expect(await database.knowledge.readPieces(a.tenant.id, null, [a.piece])).toMatchObject({
      value: [{ id: a.piece }],
    });
    const { state } = a.schedule;
    expect(await database.schedules.remove(b.tenant.id, state.id, act("schedule.delete", state.id))).toMatchObject(
      missing,
    );
    await database.schedules.report(b.tenant.id, { ...a.schedule, state: { ...state, paused: true }, report: 9 });
    expect(await database.schedules.page(a.tenant.id, PAGE)).toMatchObject({ value: { items: [{ paused: false }] } });
    expect(await database.mcpServers.remove(b.tenant.id, "spy", act("mcp_server.delete", "spy"))).toMatchObject(
      missing,
    );
    expect(await database.mcpServers.approve(b.tenant.id, "spy", "h", null)).toMatchObject(missing);
    expect(await database.mcpServers.saveAuth(b.tenant.id, "spy", "stolen")).toMatchObject({ ok: true });
    expect(await database.mcpServers.access(a.tenant.id, "spy")).toMatchObject({ ok: true, value: { auth: null } });
    expect(await database.tasks.remove(b.tenant.id, [a.task])).toMatchObject({ ok: true });
    expect(
      await database.tasks.upsert(b.tenant.id, [report({ task: a.task, version: 99, status: "failed" })]),
    ).toMatchObject({ ok: true });
    expect(await database.agents.get(a.tenant.id, a.agent)).toMatchObject({
      ok: true,
      value: { version: 1, config: { name: "spy" } },
    });
    expect(await database.keys.findByHash(a.tenant.id, a.key.hash)).toMatchObject({ ok: true });
    const own = await database.tasks.page(a.tenant.id, { status: null, project: null }, PAGE);
    expect(own).toMatchObject({ ok: true, value: { items: [{ id: a.task, status: "running" }] } });
  });
});

describe("a connection whose role row-level security does not bind", () => {
  test("is refused before it reads a row, and the log says why", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const owner = openDatabase(server.ownerUrl, server.endpoint);
    expect(await owner.tenants.get(a.tenant.id)).toMatchObject({ ok: false, error: { code: "internal" } });
    expect(await owner.tasks.overdue(Date.now(), PAGE)).toMatchObject({ ok: false, error: { code: "internal" } });
    expect(log).toHaveBeenCalledWith(
      expect.stringContaining("refused"),
      expect.objectContaining({ passes: true, owns: true }),
    );
  });

  test("is refused when a table is not guarded any more", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    await asOwner("alter table tasks no force row level security");
    expect(await openDatabase(server.url, server.endpoint).tenants.get(a.tenant.id)).toMatchObject({
      ok: false,
      error: { code: "internal" },
    });
    await asOwner("alter table tasks force row level security");
    expect(await openDatabase(server.url, server.endpoint).tenants.get(a.tenant.id)).toMatchObject({ ok: true });
  });

  test("is refused when the role may become one that reads across tenants", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    await asOwner("grant otto_directory to otto_app");
    expect(await openDatabase(server.url, server.endpoint).tenants.get(a.tenant.id)).toMatchObject({
      ok: false,
      error: { code: "internal" },
    });
    await asOwner("revoke otto_directory from otto_app");
    expect(await openDatabase(server.url, server.endpoint).tenants.get(a.tenant.id)).toMatchObject({ ok: true });
  });
});
