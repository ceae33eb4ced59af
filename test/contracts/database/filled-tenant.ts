/** A tenant with a row in every table of tenants, for the tests of row-level security. */
import { openPgvector } from "../../../adapters/vectors/pgvector.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { RowSeal } from "../../../core/ports/sealed-values.ts";
import type { TestDatabase } from "../../../scripts/database/test-database.ts";
import { valueOf } from "../value-of.ts";
import {
  databaseOf,
  act,
  configOf,
  deliveryReport,
  documentRow,
  endpointOf,
  factsOfPieces,
  hashedMemory,
  hookRow,
  makeTenant,
  mcpServer,
  newId,
  personOf,
  publishSkill,
  report,
  scheduleRow,
  secretOf,
  slackInstall,
  sourceOf,
  START,
  textPiece,
  triggerRow,
} from "./rows.ts";

export const TABLES = [
  "tenants",
  "keys",
  "agents",
  "agent_versions",
  "tasks",
  "audit",
  "secrets",
  "tool_sources",
  "tool_names",
  "custom_tools",
  "erased_usage",
  "task_texts",
  "usage_days",
  "projects",
  "memories",
  "memory_tags",
  "vectors",
  "mcp_servers",
  "schedules",
  "people",
  "person_addresses",
  "person_names",
  "deliveries",
  "skills",
  "skill_versions",
  "endpoints",
  "hooks",
  "slack_installs",
  "slack_authorizations",
  "entity_connections",
  "app_clients",
  "provider_keys",
  "databases",
  "workspace_tool_config",
  "agent_app_assignments",
  "agent_tool_permissions",
  "app_triggers",
  "trigger_subscriptions",
  "knowledge_documents",
  "knowledge_versions",
  "knowledge_pieces",
  "codebases",
  "code_files",
  "code_symbols",
  "code_chunks",
  "code_chunk_vectors",
] as const;

export const TOKENS = { kind: "key", value: "k" } as const;
/** Seals nothing: these tests look at rows alone. */
export const SEAL: RowSeal = {
  seal: (_, value) => Promise.resolve(JSON.stringify(value)),
  open: (_, sealed) => Promise.resolve(JSON.parse(sealed)),
};

export type FilledTenant = Awaited<ReturnType<typeof fillTenant>>;

export async function fillTenant(database: Database, server: Pick<TestDatabase, "url" | "endpoint">) {
  const made = await makeTenant(database);
  const tenant = made.tenant.id;
  const agent = { id: newId("agent"), config: configOf("spy") };
  valueOf(await database.agents.create(tenant, agent, act("agent.create", agent.id)));
  const secret = secretOf("KEY");
  valueOf(await database.secrets.create(tenant, secret, act("secret.create", secret.id)));
  const [task, erased] = [report({ project: "secret" }), report({ project: "secret" })];
  valueOf(await database.tasks.upsert(tenant, [task, erased]));
  valueOf(await database.tasks.remove(tenant, [erased.task]));
  valueOf(await database.toolSources.publish(tenant, sourceOf("custom"), act("tool.create", "spy")));
  await publishSkill(database, tenant, "spy-skill");
  const memory = hashedMemory({ project: "secret", tags: ["secret"] });
  valueOf(await database.memories.save(tenant, [memory], act("memory.create", memory.id)));
  const values = Float32Array.of(1, 0);
  await openPgvector(server.url, server.endpoint).upsert(tenant, "m", [
    { id: memory.id, project: null, collection: "memory", kind: "note", values },
  ]);
  const schedule = scheduleRow(tenant);
  valueOf(await database.schedules.create(tenant, schedule, act("schedule.create", schedule.state.id)));
  valueOf(await database.mcpServers.put(tenant, mcpServer("spy"), act("mcp_server.set", "spy")));
  const person = personOf("Spy Smith");
  valueOf(await database.people.create(tenant, person, act("person.create", person.id)));
  valueOf(await database.deliveries.upsert(tenant, [deliveryReport({ task: task.task })]));
  const endpoint = endpointOf();
  valueOf(await database.endpoints.create(tenant, endpoint, act("webhook.create", endpoint.id)));
  const hook = hookRow("spy");
  valueOf(await database.hooks.create(tenant, hook, act("hook.create", hook.id)));
  const slack = slackInstall("T0SPY");
  valueOf(await database.slackInstalls.put(tenant, slack, act("slack.install", slack.id)));
  const began = { mark: "spy", key: "key_spy", redirect: "https://otto.example/slack/oauth", expiresAt: 4e12 };
  valueOf(await database.slackInstalls.begin(tenant, began));
  const key = { id: newId("providerKey"), value: "ak_spy" };
  valueOf(await database.providerKeys(tenant, SEAL).put(key, act("provider_key.set", "composio")));
  const queried = databaseOf("spy");
  valueOf(await database.tenantDatabases(tenant, SEAL).create(queried, act("database.create", queried.id)));
  const connection = await connectSpy(database, tenant, person.id);
  await addSpyApp(database, tenant, agent.id);
  await addSpyTrigger(database, tenant, connection);
  const known = await addSpyDocument(database, tenant);
  const codebase = await addSpyCode(database, tenant);
  const ids = {
    ...known,
    codebase,
    agent: agent.id,
    task: task.task,
    memory: memory.id,
    endpoint: endpoint.id,
    person: person.id,
  };
  return { ...made, ...ids, connection, schedule };
}

/** An app of the catalogue with one action, which the agent may only read. */
async function addSpyApp(database: Database, tenant: string, agent: string): Promise<void> {
  const after = { enabledActions: ["SPY_LOOK"], overrides: {}, approved: { SPY_LOOK: "h" } };
  valueOf(
    await database.workspaceApps.put(tenant, { app: "spy_mail", before: null, after }, act("app.add", "spy_mail")),
  );
  const assignments = [{ app: "spy_mail", isActive: true, level: "read_only" as const, actions: [] }];
  const settings = { assignments, permissions: new Map([["SPY_LOOK", false]]) };
  valueOf(await database.workspaceApps.setAgent(tenant, agent, settings, act("agent.set_apps", agent)));
}

/** A document with one piece, which searches read. */
async function addSpyDocument(database: Database, tenant: string) {
  const { knowledge } = database;
  const document = documentRow({ project: "secret" });
  valueOf(await knowledge.create(tenant, document, act("document.create", document.id)));
  const place = { document: document.id, version: 1 };
  const piece = textPiece(0);
  valueOf(await knowledge.savePieces(tenant, place, [piece]));
  valueOf(await knowledge.endReading(tenant, place, factsOfPieces([piece]), START));
  const [first] = valueOf(await knowledge.listUnembedded(tenant, place, "m", 1));
  valueOf(await knowledge.markEmbedded(tenant, "m", [first?.id ?? ""]));
  valueOf(await knowledge.show(tenant, place, START));
  return { document: document.id, piece: first?.id ?? "" };
}

/** An indexed codebase with one symbol. */
async function addSpyCode(database: Database, tenant: string): Promise<string> {
  const id = newId("codebase");
  const users = { agents: ["spy"], projects: null, people: null };
  const source = { git: "https://code.example.com/spy.git" };
  const given = { id, name: "spy", source, ...users, every: "1h", dueAt: START };
  valueOf(await database.codebases.create(tenant, given, act("codebase.create", id)));
  const { build } = valueOf(await database.codebases.begin(tenant, id, START));
  const at = { start_line: 1, end_line: 1 };
  const symbol = { name: "spy", kind: "function" as const, signature: "spy()", doc: "", ...at, calls: [] };
  const file = { path: "spy.ts", hash: "a".repeat(64), language: "typescript", size: 5, lines: 1 };
  const chunks = [{ ...at, text: "spy()", words: ["spy"] }];
  valueOf(await database.codebases.add(tenant, id, build, [{ ...file, symbols: [symbol], chunks }]));
  const skipped = { binary: 0, too_large: 0, ignored: 0, denied: 0, secret: 0, link: 0 };
  valueOf(
    await database.codebases.publish(tenant, id, build, { commit: null, deleted: [], skipped, mark: "m", at: START }),
  );
  return id;
}

/** A trigger of the connection, and the secret of its events. */
async function addSpyTrigger(database: Database, tenant: string, connection: string): Promise<void> {
  const trigger = { ...triggerRow(connection), actsFor: null };
  valueOf(await database.triggers.create(tenant, trigger, act("trigger.create", trigger.id)));
  const subscription = { providerId: "ws_spy", url: "https://otto.example", sealed: "spy", oldUntil: 0 };
  valueOf(await database.subscriptions.store(tenant, subscription, START));
}

/** An app and a person's active connection of it. */
async function connectSpy(database: Database, tenant: string, person: string): Promise<string> {
  const app = { app: "spy", provider: "oauth" as const, settings: { title: "Spy" }, settingsHash: "h", secrets: null };
  valueOf(await database.appClients(tenant, SEAL).put(app));
  const connections = database.connections(tenant, SEAL);
  const { id } = valueOf(await connections.ensure({ app: "spy", person, alias: null }, "oauth"));
  const consent = { tokens: TOKENS, label: "spy", scopes: null, unattended: true, settingsHash: "h" };
  const by = { person, name: "Spy" };
  valueOf(await connections.complete(id, { ...consent, by }, act("connection.connect", id)));
  return id;
}
