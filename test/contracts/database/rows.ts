/** Rows for the database's contract tests, with ids that no other test has. */
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import type { DeliveryReport } from "../../../core/channels/outbox/delivery.ts";
import type { AuditEntry } from "../../../core/ports/audit.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { NewApiKey, Tenant } from "../../../core/ports/tenant-table.ts";
import type { SourceChange } from "../../../core/ports/tool-source-table.ts";
import type { DocumentFacts, NewDocument } from "../../../core/knowledge/document.ts";
import type { Piece } from "../../../core/knowledge/piece.ts";
import type { HashedMemory } from "../../../core/ports/memory-tables.ts";
import { type IdKind, makeId } from "../../../core/base/ids.ts";
import { SCOPES } from "../../../core/tenant/keys.ts";
import type { TaskReport } from "../../../core/task/rpc.ts";
import type { PersonFields } from "../../../core/people/person.ts";
import { type Skill, toSkillSlug } from "../../../core/skills/skill.ts";
import { createSchedule } from "../../../core/schedules/change.ts";
import { scheduleConfigSchema } from "../../../core/schedules/schedule.ts";
import type { ScheduleReport } from "../../../core/ports/schedule-table.ts";
import type { SkillChange } from "../../../core/ports/skill-table.ts";
import type { NewDatabase } from "../../../core/ports/tenant-database-table.ts";
import type { TaskStatus } from "../../../core/task/status.ts";
import { TENANT } from "../../../core/provenance/label.ts";

export const START = 1_800_000_000_000;

export function newId(kind: IdKind, at: number = START): string {
  return makeId(kind, at, crypto.getRandomValues(new Uint8Array(10)));
}

export function newTenant(at: number = START): Tenant {
  return { id: newId("tenant", at), name: "Acme", createdAt: at };
}

export function newKey(tenant: string, at: number = START): NewApiKey {
  const key = { id: newId("key", at), tenant, name: "a key", scopes: SCOPES, createdAt: at, createdBy: "operator" };
  return {
    key: { ...key, projects: null, agents: null, person: null, expiresAt: null, revokedAt: null },
    hash: Array.from({ length: 64 }, () => Math.floor(Math.random() * 16).toString(16)).join(""),
  };
}

export function act(action: AuditEntry["action"], target: string, at: number = START): AuditEntry {
  return { id: newId("audit", at), at, actor: "operator", action, target, requestId: newId("request", at) };
}

/** A secret whose sealed value is the word "sealed". */
export function secretOf(name: string, at: number = START) {
  return { id: newId("secret", at), name, hosts: ["api.example.com"], agents: null, methods: null, sealed: "c2VhbGVk" };
}

/** A database that nobody may use yet. */
export function databaseOf(name: string, change: Partial<NewDatabase> = {}, at: number = START): NewDatabase {
  const settings = { tls: "require", max_rows: 1_000, timeout_s: 15, accept_writing_role: false } as const;
  const dsn = "postgres://reader:word@db.example.com:5432/sales";
  const users = { agents: [], projects: null, people: null };
  return { id: newId("database", at), name, kind: "postgres", settings, dsn, ...users, ...change };
}

/** A person with an address of each kind, which nobody else has. */
export function personOf(
  name: string,
  change: Partial<PersonFields> = {},
  at: number = START,
): PersonFields & { id: string } {
  const id = newId("person", at);
  const [, unique = ""] = id.split("_");
  return {
    id,
    name,
    aliases: [],
    addresses: [
      { kind: "slack", team: "T1", user: `U${unique.toUpperCase()}` },
      { kind: "email", address: `${unique}@acme.example` },
    ],
    preferred: null,
    timeZone: "Europe/Lisbon",
    workingHours: { days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" },
    mayAnswer: true,
    mayApprove: false,
    ...change,
  };
}

/** A workspace of Slack whose sealed token is the word "sealed". */
export function slackInstall(team: string, at: number = START) {
  const bot = { teamName: "Acme", app: "A1", botUser: "UBOT", scopes: ["chat:write"], installedBy: "key_1" };
  return { id: newId("slackInstall", at), team, ...bot, sealed: "c2VhbGVk" };
}

export function configOf(name: string) {
  return { ...DEFAULT_AGENT.config, name };
}

/** A source with one tool of the tenant's own, whose definition is new. */
export function sourceOf(name: string, change: Partial<SourceChange> = {}): SourceChange {
  const definitions = [{ name: "spy", definition: "{}" }];
  const source = {
    name,
    hash: "a".repeat(64),
    tools: 1,
    bytes: 100,
    names: ["spy"],
    origin: null,
    ifVersion: 0,
    definitions,
    skill: null,
    at: START,
  };
  return { ...source, ...change };
}

/** Of the package that `skillChange` is of, unless it says otherwise. */
export const SKILL_HASH = "5".repeat(64);

/** A version of a skill as its source is published with it. */
export function skillChange(name: string, hash: string = SKILL_HASH): Extract<SkillChange, { kind: "put" }> {
  const skill: Skill = {
    name,
    slug: toSkillSlug(name),
    description: "Spies.",
    hash,
    allowedTools: ["read_*"],
    scripts: [],
    category: null,
    version: "1.0",
    author: null,
    tags: [],
    license: null,
    compatibility: null,
    metadata: {},
  };
  const report = { warnings: [], scan: { findings: [], isCut: false } };
  return { kind: "put", skill, report, files: 1, bytes: 10, by: "key_x" };
}

/** Publishes the source of skills with one in it, as its next version. */
export async function publishSkill(database: Database, tenant: string, name: string): Promise<void> {
  const change = sourceOf("skills", { names: [toSkillSlug(name)], definitions: [], skill: skillChange(name) });
  const published = await database.toolSources.publish(tenant, change, act("skill.upload", name));
  if (!published.ok) throw new Error(published.error.message);
}

/** How an MCP server is reached. What stands for what is sealed is no ciphertext: the table does not look at it. */
/** An hourly schedule as its object reports it first. */
export function scheduleRow(tenant: string): ScheduleReport {
  const config = scheduleConfigSchema.parse({
    name: "hourly \u{1f41f}",
    when: { kind: "interval", every_seconds: 3600 },
    task: { input: "Work." },
  });
  const made = createSchedule({ tenant, id: newId("schedule"), config }, START);
  if (!made.ok) throw new Error(made.error.message);
  return { state: made.value, report: 1, wakeAt: made.value.next?.at ?? null };
}

export function mcpServer(name: string, isOther = false) {
  const settings = {
    url: `https://${name}.example/mcp`,
    headerNames: [],
    oauth: null,
    trusted: false,
    timeoutMs: 60_000,
  };
  return { name, settings, sealed: `sealed ${name}`, isOther };
}

/** A generic hook. What stands for its sealed secret is no ciphertext: the table does not look at it. */
export function hookRow(name: string) {
  const config = { name, type: "generic" as const, enabled: true };
  return { id: newId("hook"), config, sealed: `sealed ${name}` };
}

export function triggerRow(connection: string, settings: Readonly<Record<string, unknown>> = {}) {
  const config = { app: "spy", trigger: "SPY_NEW_THING", config: { ...settings }, connection };
  return { id: newId("trigger"), config, owner: null };
}

export interface ReportOptions {
  readonly task?: string;
  readonly version?: number;
  readonly status?: TaskStatus;
  readonly hidden?: boolean;
  readonly project?: string | null;
  readonly input?: string;
  readonly at?: number;
  readonly wakeAt?: number | null;
  readonly key?: string | null;
  readonly tokens?: number;
}

export function report(options: ReportOptions = {}): TaskReport {
  const { at = START, task = newId("task", at), version = 1, status = "running", hidden = false } = options;
  const { project = null, input = "Say hello", wakeAt = null, key = null, tokens = 0 } = options;
  const usage = { steps: 0, tool_calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0, estimated: false };
  const view = {
    id: task,
    status,
    reason: null,
    agent: { id: DEFAULT_AGENT.id, version: 1 },
    project,
    parent_id: null,
    input,
    output: null,
    error: null,
    pending: [],
    usage,
    budget: null,
    skills: [],
    metadata: {},
    created_at: new Date(at).toISOString(),
    started_at: null,
    ended_at: null,
  };
  return { task, version, view, hidden, wakeAt, key, used: { tokens, costMicros: tokens * 2 } };
}

/** Makes a tenant with its first key. */
export async function makeTenant(database: Database, at: number = START): Promise<{ tenant: Tenant; key: NewApiKey }> {
  const tenant = newTenant(at);
  const key = newKey(tenant.id, at);
  const made = await database.tenants.create(tenant, key, act("tenant.create", tenant.id, at));
  if (!made.ok) throw new Error(`the tenant was not made: ${JSON.stringify(made.error)}`);
  return { tenant, key };
}

/** A memory whose content, unless it is given, no other has. */
export function hashedMemory(change: Partial<HashedMemory> = {}): HashedMemory {
  const id = newId("memory", change.createdAt ?? START);
  const content = change.content ?? `remember ${id}`;
  return {
    id,
    project: null,
    kind: "note",
    label: TENANT,
    content,
    contentHash: content,
    tags: [],
    sourceTask: null,
    author: "agent_default",
    createdAt: START,
    ...change,
  };
}

/** A delivery that waits for its first attempt. */
export function deliveryReport(change: Partial<DeliveryReport> = {}): DeliveryReport {
  return {
    id: newId("delivery"),
    outbox: "ten_x/email",
    version: 1,
    channel: "email",
    to: "ann@example.com",
    kind: "result",
    task: null,
    about: null,
    state: "waiting",
    attempts: 0,
    why: null,
    dueAt: START,
    createdAt: START,
    endedAt: null,
    ...change,
  };
}

/** An endpoint that wants everything. What stands for its sealed secret is no ciphertext: the table does not look at it. */
export function endpointOf(at: number = START) {
  const setting = { url: "https://receiver.example/otto", events: ["*" as const], description: "", enabled: true };
  return { id: newId("endpoint", at), ...setting, sealed: "c2VhbGVk" };
}

/** An uploaded document of the whole tenant. */
export function documentRow(change: Partial<NewDocument> = {}): NewDocument {
  const id = newId("document", START);
  return {
    id,
    project: null,
    filename: "manual.md",
    title: null,
    tags: ["manual"],
    label: TENANT,
    author: "key_x",
    source: { kind: "upload" },
    files: newId("request"),
    hash: "a".repeat(64),
    size: 100,
    ...change,
  };
}

/** A piece of text whose place in its document is `ordinal`. */
export function textPiece(ordinal: number, text = `Paragraph ${ordinal}.`): Piece {
  const place = { heading: ["Manual", "Part"], page: null, start: ordinal * 20, end: ordinal * 20 + text.length };
  return { kind: "text", ordinal, ...place, text, data: {} };
}

/** The facts of a document with these pieces. */
export function factsOfPieces(pieces: readonly Piece[]): DocumentFacts {
  const counts: Partial<Record<Piece["kind"], number>> = {};
  for (const { kind } of pieces) counts[kind] = (counts[kind] ?? 0) + 1;
  return { format: "markdown", units: null, pieces: counts, warnings: [], title: "The manual" };
}
