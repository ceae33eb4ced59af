/**
 * The one door to what the platform gives: everything else is handed `env` whole and asks here for what it needs, typed by
 * core. The bindings are read here, the variables in `settings.ts`.
 */
import type { SlackNotesPort } from "../../core/channels/slack/notes.ts";
import type { DocumentsPort } from "../../core/ports/documents.ts";
import type { Result } from "../../core/base/errors.ts";
import type { MemoryPort } from "../../core/ports/memory.ts";
import type { MemoryStore } from "../../core/ports/memory-store.ts";
import type { SandboxRpc, TaskRpc, TenantRpc } from "../../core/tenant/rpc.ts";
import type { SweepRpc } from "../../core/sweep/rpc.ts";
import { CostShare } from "../../core/tenant/cost-share.ts";
import type { OwnResult, StepsRpc } from "../../core/steps/rpc.ts";
import type { ScriptsPort } from "../../core/ports/scripts.ts";
import type { ToolSourcesPort } from "../../core/tool/source.ts";
import type { EmbedderPort, VectorsPort } from "../../core/ports/vectors.ts";
import type { BlobPort, FilesPort, ModelPort, PatternsPort, SearchPort, WebPort } from "../../core/ports/tool-ports.ts";
import type { PeoplePort } from "../../core/ports/people.ts";
import type { SecretUser } from "../../core/secrets/secret-use.ts";
import type { SshPort } from "../../core/ports/ssh.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { type BlobEraser, openBlobs } from "../files/blobs.ts";
import { Drain } from "../files/drain.ts";
import { openWeb } from "../egress/web.ts";
import { type Env, required, set } from "./bindings.ts";
import { hashingEmbedder } from "../embeddings/hashing.ts";
import { openAiEmbedder } from "../embeddings/openai.ts";
import { sandboxName, sandboxNameOf, type SandboxPlace, sandboxPrefix, tenantOfSandbox } from "../files/blob-keys.ts";
import { openFiles } from "../files/files.ts";
import { sleep } from "../../core/base/deadline.ts";
import {
  clockFromEnv,
  databaseFromEnv,
  pgvectorFromEnv,
  resealFromEnv,
  sealingFromEnv,
  secretsFromEnv,
} from "./from-env-stores.ts";
import {
  type DatabaseHealth,
  databaseHealth,
  freeDiskBytes,
  reindexHealth,
  type SidecarReport,
  sidecarHealth,
} from "../database/health.ts";
import { openMemory } from "../memory/store.ts";
import { memoryOfTask } from "../memory/task-memory.ts";
import { endProcesses } from "../mcp/end-processes.ts";
import { type McpServers, openMcp } from "../mcp/mcp.ts";
import { type McpRegistry, openRegistry } from "../mcp/registry.ts";
import type { Consent } from "../mcp/server.ts";
import { demoModel } from "../model/demo/demo.ts";
import { openAiModel } from "../model/openai.ts";
import { linearPatterns } from "../re2/patterns.ts";
import { openPeople } from "../database/find-people.ts";
import type { ResultsPort } from "../../core/ports/results.ts";
import { openResults } from "../files/results.ts";
import { stubOf, type Watchable } from "./object-stub.ts";
import { slackSettings } from "./channel-settings.ts";
import { type InstalledSlack, openInstalled, openNotes, sealToken, type SlackTokens } from "../slack/installed.ts";
import { openSearch } from "../search/search.ts";
import {
  egressAllow,
  embeddingModel,
  modelApi,
  scriptIsolation,
  searchSettings,
  type Settings,
  settingsFromEnv,
} from "./settings.ts";
import { openToolSources } from "../files/tool-sources.ts";
import { openDocuments } from "../sidecar/documents.ts";
import { type ContainerHandle, openContainer, type SidecarContainer } from "../sidecar/container.ts";
import { openScripts } from "../sidecar/scripts.ts";
import { type Sidecar, sidecarAt, sidecarInContainer, type SidecarStub } from "../sidecar/sidecar.ts";
import { keepShipped, openSkills, type SkillStore } from "../skills/skills.ts";
import { openSsh } from "../ssh/ssh.ts";
import { openVectorize } from "../vectors/vectorize.ts";

export type { Consent } from "../mcp/server.ts";
export { ISOLATION } from "../database/health.ts";
export * from "./from-env-channels.ts";
export * from "./from-env-console.ts";
export * from "./from-env-stores.ts";
export type { Env } from "./bindings.ts";
export { isLocalFromEnv, type Settings, settingProblems, settingsFromEnv } from "./settings.ts";

/** The one sidecar's object. What limits it is what it has under way, 256 requests. */
const THE_SIDECAR = "sidecar";

/** A task's object: its methods, and the watcher's WebSocket (`GET https://task/watch`). */
export type TaskStub = TaskRpc & Watchable;

/** A task's object, by tenant and id. */
export function tasksFromEnv(env: Env): (tenant: string, task: string) => TaskStub {
  return (tenant, task) => stubOf<TaskStub>(env.TASKS, `${tenant}/${task}`);
}

/** A tenant's object, by the tenant's id; `GET https://tenant/watch` is the WebSocket of a watcher of its tasks. */
export function tenantsFromEnv(env: Env): (tenant: string) => TenantRpc & Watchable {
  return (tenant) => stubOf<TenantRpc & Watchable>(env.TENANTS, tenant);
}

/** A sandbox's object, by whose it is. */
export function sandboxesFromEnv(env: Env): (place: SandboxPlace) => SandboxRpc {
  return (place) => stubOf<SandboxRpc>(env.SANDBOXES, sandboxName(place));
}

/**
 * Lets the sandbox whose object has this name hold bytes of its tenant's quota. Its name is always known: an object that is
 * woken by no alarm is called by it.
 */
export async function holdStorageFromEnv(env: Env, name: string | undefined, bytes: number): Promise<Result<void>> {
  if (name === undefined) throw new Error("a sandbox's object is asked by its name");
  return await tenantsFromEnv(env)(tenantOfSandbox(name)).holdStorage(name, bytes);
}

/** The cost of each tenant of this process. */
const processCost = new CostShare();

export function costFromEnv(_env: Env): CostShare {
  return processCost;
}

/** The step runner. */
export function stepsFromEnv(env: Env): StepsRpc {
  return env.STEPS as unknown as StepsRpc;
}

/** The invocations of this Worker that take parts of the sweep. */
export function sweepsFromEnv(env: Env): SweepRpc {
  return env.SWEEPS as unknown as SweepRpc;
}

/** Vectorize where it is bound, else pgvector in the database. */
function vectorsFromEnv(env: Env): VectorsPort {
  return env.VECTORS === undefined ? pgvectorFromEnv(env) : openVectorize(env.VECTORS);
}

/** A model of the server that OPENAI_BASE_URL names, or feature hashing. */
function embedderFromEnv(env: Env): EmbedderPort {
  const model = embeddingModel(env);
  if (model === null) return hashingEmbedder();
  return openAiEmbedder({ apiKey: set(env.OPENAI_API_KEY), baseUrl: set(env.OPENAI_BASE_URL), model });
}

/** The memories of all tenants. */
export function memoryFromEnv(env: Env): MemoryStore {
  return openMemory({
    database: databaseFromEnv(env),
    vectors: vectorsFromEnv(env),
    embedder: embedderFromEnv(env),
  });
}

/** What a task remembers. */
export function taskMemoryFromEnv(env: Env, facts: TaskFacts): MemoryPort {
  return memoryOfTask(memoryFromEnv(env), facts);
}

/** The files that a task works on. */
export function filesFromEnv(
  env: Env,
  { tenant, rootId, project }: Pick<TaskFacts, "tenant" | "rootId" | "project">,
): FilesPort {
  return openFiles({ sandboxOf: sandboxesFromEnv(env), bucket: env.FILES, tenant, rootId, project });
}

/** The bucket by key, for results that are too large for a row, and for erasing. */
export function blobsFromEnv(env: Env): BlobPort & BlobEraser {
  return openBlobs(env.FILES);
}

/** How long no model phase may begin, in milliseconds; 0: one may. Only a deployed system drains. */
export async function drainLeftFromEnv(env: Env): Promise<number> {
  if (settingsFromEnv(env).mode !== "production") return 0;
  const drain = drains.get(env) ?? new Drain(env.FILES, clockFromEnv(env));
  drains.set(env, drain);
  return await drain.leftMs();
}

/** Those of this isolate. */
const drains = new WeakMap<Env, Drain>();

/** The sources of the tenants' own tools. */
export function toolSourcesFromEnv(env: Env): ToolSourcesPort {
  return openToolSources({
    table: databaseFromEnv(env).toolSources,
    blobs: blobsFromEnv(env),
    tenantOf: tenantsFromEnv(env),
    clock: clockFromEnv(env),
  });
}

/** Whom a task can ask. */
export function peopleFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">): PeoplePort {
  return openPeople(databaseFromEnv(env).people, tenant);
}

/** The packages of skills that one tenant may read. */
export function skillsFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">): SkillStore {
  return openSkills(blobsFromEnv(env), tenant);
}

/** Keeps the skills that this release ships, for the tasks that go on under a later one. */
export async function keepShippedFromEnv(env: Env): Promise<Result<void>> {
  return await keepShipped(blobsFromEnv(env));
}

/** The results of the calls of a task's tree. `own`: those of this task that its object sent; null: the object is asked. */
export function resultsFromEnv(
  env: Env,
  { id, tenant, rootId }: Pick<TaskFacts, "id" | "tenant" | "rootId">,
  own: readonly OwnResult[] | null,
): ResultsPort {
  const taskOf = (task: string) => tasksFromEnv(env)(tenant, task);
  const sent = own === null ? null : { task: id, results: own };
  return openResults({ blobs: blobsFromEnv(env), taskOf, tenant, rootId, own: sent });
}

/** Forgets the sandbox of a task tree: its index, then every blob and every large result that it has. Can be done again. */
export async function eraseFilesFromEnv(
  env: Env,
  { tenant, rootId }: Pick<TaskFacts, "tenant" | "rootId">,
): Promise<void> {
  await eraseSandbox(env, { kind: "tree", tenant, rootId });
}

/** Forgets the shared folder of a project. Can be done again. */
export async function eraseProjectFilesFromEnv(env: Env, tenant: string, project: string): Promise<void> {
  await eraseSandbox(env, { kind: "project", tenant, project });
}

async function eraseSandbox(env: Env, place: SandboxPlace): Promise<void> {
  await sandboxesFromEnv(env)(place).erase();
  const blobs = blobsFromEnv(env);
  for (let gone = false; !gone; ) gone = await blobs.erase(sandboxPrefix(place));
}

/**
 * Forgets a bounded part of a tenant's files: the indexes of sandboxes, then their blobs, which say which sandboxes there
 * are. True: nothing is left. Can be done again.
 */
export async function eraseTenantFilesFromEnv(env: Env, tenant: string): Promise<boolean> {
  return await blobsFromEnv(env).erase(`${tenant}/`, async (keys) => {
    const names = new Set(keys.map(sandboxNameOf).filter((name) => name !== null));
    await Promise.all(Array.from(names, (name) => stubOf<SandboxRpc>(env.SANDBOXES, name).erase()));
  });
}

/**
 * The web for one tenant's requests, with secrets filled in for `user`. Without a sidecar every request fails with
 * `not_available`.
 */
export function webFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">, user: SecretUser): WebPort {
  const [sidecar, allow] = [sidecarFromEnv(env), egressAllow(env)];
  return openWeb({ sidecar, allow, tenant, secrets: secretsFromEnv(env, tenant, user) });
}

/** The search engine; without one, searches answer `not_available` and what to set. */
export function searchFromEnv(env: Env): SearchPort {
  return openSearch(searchSettings(env));
}

/** The programs of one tenant, in the sidecar's cage. Without a sidecar, they answer `not_available`. */
export function scriptsFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">): ScriptsPort {
  return openScripts({ sidecar: sidecarFromEnv(env), tenant });
}

/** What reads a tenant's documents. Without a sidecar it answers `not_available`. */
export function documentsFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">): DocumentsPort {
  return openDocuments(sidecarFromEnv(env), tenant);
}

/** SSH for one tenant's commands, with the secrets of `user`. */
export function sshFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">, user: SecretUser): SshPort {
  const [sidecar, allow] = [sidecarFromEnv(env), egressAllow(env)];
  return openSsh({ sidecar, allow, tenant, secrets: secretsFromEnv(env, tenant, user) });
}

/** The MCP servers of one tenant, with the secrets of `user`. `consent` is set when a person can authorize Otto now. */
export function mcpFromEnv(
  env: Env,
  { tenant }: Pick<TaskFacts, "tenant">,
  user: SecretUser,
  consent: Consent | null = null,
): McpServers {
  const registry = mcpRegistryFromEnv(env, tenant);
  const find = (server: string) => registry.find(server);
  const noteListChanged = (server: string) =>
    databaseFromEnv(env).mcpServers.noteListChanged(tenant, server, clockFromEnv(env).now());
  const processes = { sidecar: sidecarFromEnv(env), secrets: secretsFromEnv(env, tenant, user) };
  return openMcp({ web: webFromEnv(env, { tenant }, user), processes, tenant, find, consent, noteListChanged });
}

/** Ends the processes of a tenant's MCP server, or of all of them (`server` null). Never throws. */
export async function endMcpProcessesFromEnv(env: Env, tenant: string, server: string | null): Promise<void> {
  await endProcesses(sidecarFromEnv(env), tenant, server);
}

/** What is stored of a tenant's MCP servers and may be read by nobody. */
export function mcpRegistryFromEnv(env: Env, tenant: string): McpRegistry {
  return openRegistry(
    databaseFromEnv(env).mcpServers,
    { sealing: sealingFromEnv(env), reseal: resealFromEnv(env) },
    tenant,
  );
}

/** The sidecar at SIDECAR_URL, else the one in its container; null: there is no secret to share with one. */
function sidecarFromEnv(env: Env): Sidecar | null {
  const url = set(env.SIDECAR_URL);
  if (url !== null) return sidecarAt(url, required(env.SIDECAR_SECRET, "SIDECAR_SECRET"));
  const secret = set(env.SIDECAR_SECRET);
  return secret === null ? null : sidecarInContainer(stubOf<SidecarStub>(env.SIDECARS, THE_SIDECAR), secret);
}

/** The container of a sidecar's object. */
export function containerFromEnv(env: Env, handle: ContainerHandle | undefined): SidecarContainer {
  return openContainer(
    handle,
    { secret: set(env.SIDECAR_SECRET) ?? "", isolation: scriptIsolation(env) ?? "" },
    async (ms) => await sleep(globalThis, ms),
  );
}

/** The model: any server that speaks OpenAI's API, or the demo model when none is set. */
export function modelFromEnv(env: Env): ModelPort {
  const [apiKey, baseUrl] = [set(env.OPENAI_API_KEY), set(env.OPENAI_BASE_URL)];
  if (apiKey === null && baseUrl === null) return demoModel();
  return openAiModel({ apiKey, baseUrl, api: modelApi(env) });
}

/** A workspace of Slack as the tenant's bot there sees it; `not_found`: the tenant has none. */
export async function slackFromEnv(
  env: Env,
  visit: Parameters<typeof openInstalled>[1],
): Promise<Result<InstalledSlack>> {
  return await openInstalled(slackTokens(env), visit);
}

/** What a tenant's tools say in its workspaces. */
export function slackNotesFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">): SlackNotesPort {
  return openNotes(() => slackTokens(env), tenant);
}

function slackTokens(env: Env): SlackTokens {
  const { slackInstalls: table } = databaseFromEnv(env);
  return { table, sealing: sealingFromEnv(env), reseal: resealFromEnv(env), apiUrl: slackSettings(env).apiUrl };
}

/** The token of a bot as the database keeps it. */
export async function sealSlackTokenFromEnv(
  env: Env,
  tenant: string,
  bot: { readonly team: string; readonly token: string },
): Promise<string> {
  return await sealToken(sealingFromEnv(env), tenant, bot);
}

/** The engine of the regular expressions that tenants and models write. */
export function patternsFromEnv(_env: Env): PatternsPort {
  return linearPatterns;
}

/** What `/health` tells. Settings that cannot be right throw as `settingsFromEnv` does. */
export async function healthFromEnv(env: Env): Promise<{
  mode: Settings["mode"];
  model: string;
  embeddings: string;
  vectors: "pgvector" | "vectorize";
  database: DatabaseHealth;
  sidecar: SidecarReport["sidecar"];
  isolation: SidecarReport["isolation"];
  freeDiskBytes: number | null;
  reindex: Awaited<ReturnType<typeof reindexHealth>>;
}> {
  const { mode, model } = settingsFromEnv(env);
  const vectors = env.VECTORS === undefined ? "pgvector" : "vectorize";
  const [database, { sidecar, isolation }, free, reindex] = await Promise.all([
    databaseHealth(databaseFromEnv(env)),
    sidecarHealth(sidecarFromEnv(env)),
    freeDiskFromEnv(env),
    reindexHealth(databaseFromEnv(env), clockFromEnv(env).now()),
  ]);
  const parts = { database, sidecar, isolation, freeDiskBytes: free, reindex };
  return { mode, model, embeddings: embedderFromEnv(env).model, vectors, ...parts };
}

/** Bytes that the disk of a local system's state has free; null: not known, or no local system. */
export async function freeDiskFromEnv(env: Env): Promise<number | null> {
  return await freeDiskBytes(set(env.OTTO_DATABASE_ENDPOINT));
}

/** Which upload of the Worker answers; null where it was not uploaded. */
export function deploymentFromEnv(env: Env): string | null {
  return set(env.DEPLOYMENT?.id);
}
