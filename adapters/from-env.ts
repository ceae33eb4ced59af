/**
 * The only reader of bindings and variables. Everything else is handed `env` whole and asks here for what it needs, typed
 * by core. A setting that cannot be right throws a RangeError that names it; `settingProblems` finds all of them.
 */
import type { Database } from "../core/database.ts";
import type { SandboxRpc, StepsRpc, TaskRpc, TenantRpc } from "../core/objects.ts";
import type { BlobPort, Clock, FilesPort, ModelPort, ResultsPort, WebPort } from "../core/ports.ts";
import { SECRET_NAMES, SECRETS, type SecretName, secretProblem } from "../core/secrets.ts";
import type { TaskFacts } from "../core/task-state.ts";
import { type BlobEraser, openBlobs } from "./blobs.ts";
import { openDatabase } from "./database/database.ts";
import { parseEgressAllow } from "./egress/address.ts";
import { openWeb } from "./egress/web.ts";
import { sandboxName, sandboxNameOf, type SandboxPlace, sandboxPrefix } from "./files/blob-keys.ts";
import { openFiles } from "./files/files.ts";
import { type DatabaseHealth, databaseHealth, type SidecarHealth, sidecarHealth } from "./health.ts";
import { demoModel } from "./model/demo/demo.ts";
import { openAiModel } from "./model/openai.ts";
import { openResults } from "./results.ts";
import { openSealing, type Sealing } from "./sealing.ts";
import { type ContainerHandle, openContainer, type SidecarContainer } from "./sidecar/container.ts";
import { type Sidecar, sidecarAt, sidecarInContainer, type SidecarStub } from "./sidecar/sidecar.ts";

/** The bindings of wrangler.toml and the variables of README.md. An empty variable counts as not set. */
export interface Env extends Readonly<Partial<Record<SecretName, string>>> {
  readonly TASKS: DurableObjectNamespace;
  readonly TENANTS: DurableObjectNamespace;
  readonly SANDBOXES: DurableObjectNamespace;
  readonly SIDECARS: DurableObjectNamespace;
  readonly FILES: R2Bucket;
  readonly STEPS: Fetcher;
  readonly DEPLOYMENT?: WorkerVersionMetadata;
  readonly OTTO_MODE?: string;
  readonly OTTO_DATABASE_ENDPOINT?: string;
  readonly SIDECAR_URL?: string;
  readonly OPENAI_BASE_URL?: string;
  readonly OTTO_MODEL?: string;
  readonly OTTO_MODEL_API?: string;
  readonly OTTO_EGRESS_ALLOW?: string;
  readonly OTTO_REQUESTS_PER_MINUTE?: string;
  readonly OTTO_MAX_RUNNING_TASKS?: string;
  readonly OTTO_SHARED_RUNNING_TASKS?: string;
  readonly MEDIUM_RESULT_THRESHOLD?: string;
  readonly LARGE_RESULT_THRESHOLD?: string;
  readonly MAX_PARALLEL_TOOL_CALLS?: string;
}

const MODES = ["local", "test", "production"] as const;
/** The model that is asked when a server is set and no model is. */
const DEFAULT_MODEL = "gpt-5-mini";
const DEMO_MODEL = "demo";
/** The one sidecar's object. What limits it is what it has under way, 256 requests. */
const THE_SIDECAR = "sidecar";

/** Figures and switches. Thresholds are in characters. */
export interface Settings {
  readonly mode: (typeof MODES)[number];
  /** The model of an agent that names none. */
  readonly model: string;
  /** True when no model server is set and the demo model speaks. */
  readonly isDemo: boolean;
  readonly requestsPerMinute: number;
  /** Tasks of one tenant that run at once. */
  readonly maxRunningTasks: number;
  /** Tasks that run at once of all tenants of one process together, once more than one of them is active. */
  readonly sharedRunningTasks: number;
  readonly mediumResultThreshold: number;
  readonly largeResultThreshold: number;
  readonly maxParallelToolCalls: number;
  /** SHA-256 in hex of the key that may make tenants; null: there is none. */
  readonly operatorKeyHash: string | null;
}

/** Reads the settings. Without OTTO_MODE it is production, which refuses what is for development and tests only. */
export function settingsFromEnv(env: Env): Settings {
  const known = settings.get(env);
  if (known !== undefined) return known;
  const read = readSettings(env);
  settings.set(env, read);
  return read;
}

/** Those of this isolate: they do not change while it lives. */
const settings = new WeakMap<Env, Settings>();

function readSettings(env: Env): Settings {
  const mode = MODES.find((known) => known === (set(env.OTTO_MODE) ?? "production"));
  if (mode === undefined) throw new RangeError(`OTTO_MODE has to be one of ${MODES.join(", ")}`);
  if (mode === "production") refuseSwitches(env);
  const isDemo = set(env.OPENAI_API_KEY) === null && set(env.OPENAI_BASE_URL) === null;
  return {
    mode,
    model: isDemo ? DEMO_MODEL : (set(env.OTTO_MODEL) ?? DEFAULT_MODEL),
    isDemo,
    requestsPerMinute: figure(env.OTTO_REQUESTS_PER_MINUTE, "OTTO_REQUESTS_PER_MINUTE", 6000, 1_000_000),
    maxRunningTasks: figure(env.OTTO_MAX_RUNNING_TASKS, "OTTO_MAX_RUNNING_TASKS", 256, 10_000),
    sharedRunningTasks: figure(env.OTTO_SHARED_RUNNING_TASKS, "OTTO_SHARED_RUNNING_TASKS", 64, 10_000),
    mediumResultThreshold: figure(env.MEDIUM_RESULT_THRESHOLD, "MEDIUM_RESULT_THRESHOLD", 4000, 1_000_000),
    largeResultThreshold: figure(env.LARGE_RESULT_THRESHOLD, "LARGE_RESULT_THRESHOLD", 12_000, 1_000_000),
    maxParallelToolCalls: figure(env.MAX_PARALLEL_TOOL_CALLS, "MAX_PARALLEL_TOOL_CALLS", 5, 50),
    operatorKeyHash: operatorKeyHash(env),
  };
}

/** A task's object: its methods, and `fetch` for the watcher's WebSocket (`GET https://task/watch`). */
export interface TaskStub extends TaskRpc {
  fetch(url: string, init?: RequestInit): Promise<Response>;
}

/** A task's object, by tenant and id. */
export function tasksFromEnv(env: Env): (tenant: string, task: string) => TaskStub {
  return (tenant, task) => stubOf<TaskStub>(env.TASKS, `${tenant}/${task}`);
}

/** A tenant's object, by the tenant's id. */
export function tenantsFromEnv(env: Env): (tenant: string) => TenantRpc {
  return (tenant) => stubOf<TenantRpc>(env.TENANTS, tenant);
}

/** A sandbox's object, by whose it is. */
export function sandboxesFromEnv(env: Env): (place: SandboxPlace) => SandboxRpc {
  return (place) => stubOf<SandboxRpc>(env.SANDBOXES, sandboxName(place));
}

/** The step runner. */
export function stepsFromEnv(env: Env): StepsRpc {
  return env.STEPS as unknown as StepsRpc;
}

/** What is kept for the life of the isolate: the answer to whether the database's role is bound by row-level security. */
const databases = new Map<string, Database>();

export function databaseFromEnv(env: Env): Database {
  const url = required(env.DATABASE_URL, "DATABASE_URL");
  const endpoint = set(env.OTTO_DATABASE_ENDPOINT);
  const name = `${endpoint} ${url}`;
  const known = databases.get(name);
  if (known !== undefined) return known;
  checkEndpoint(env);
  const opened = openDatabase(url, endpoint);
  databases.set(name, opened);
  return opened;
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

/** The results of the calls of a task's tree. */
export function resultsFromEnv(env: Env, { tenant, rootId }: Pick<TaskFacts, "tenant" | "rootId">): ResultsPort {
  const taskOf = (task: string) => tasksFromEnv(env)(tenant, task);
  return openResults({ blobs: blobsFromEnv(env), taskOf, tenant, rootId });
}

/** Forgets the sandbox of a task tree: its index, then every blob and every large result that it has. Can be done again. */
export async function eraseFilesFromEnv(
  env: Env,
  { tenant, rootId }: Pick<TaskFacts, "tenant" | "rootId">,
): Promise<void> {
  const place: SandboxPlace = { kind: "tree", tenant, rootId };
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
    const names = new Set(keys.map(sandboxNameOf));
    await Promise.all(Array.from(names, (name) => stubOf<SandboxRpc>(env.SANDBOXES, name).erase()));
  });
}

/** The way out to the web, for the requests of one tenant. Without a sidecar, they answer `not_available`. */
export function webFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">): WebPort {
  return openWeb({ sidecar: sidecarFromEnv(env), allow: egressAllow(env), tenant });
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
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  return openContainer(handle, set(env.SIDECAR_SECRET) ?? "", pause);
}

/** The model: any server that speaks OpenAI's API, or the demo model when none is set. */
export function modelFromEnv(env: Env): ModelPort {
  const [apiKey, baseUrl] = [set(env.OPENAI_API_KEY), set(env.OPENAI_BASE_URL)];
  if (apiKey === null && baseUrl === null) return demoModel();
  return openAiModel({ apiKey, baseUrl, api: modelApi(env) });
}

/** Seals what is stored and may hold a secret. */
export function sealingFromEnv(env: Env): Sealing {
  return openSealing(required(env.OTTO_SECRET_KEY, "OTTO_SECRET_KEY"));
}

export function clockFromEnv(_env: Env): Clock {
  return { now: () => Date.now() };
}

/** What `/health` tells. Settings that cannot be right throw as `settingsFromEnv` does. */
export async function healthFromEnv(
  env: Env,
): Promise<{ mode: Settings["mode"]; model: string; database: DatabaseHealth; sidecar: SidecarHealth }> {
  const { mode, model } = settingsFromEnv(env);
  const [database, sidecar] = await Promise.all([
    databaseHealth(databaseFromEnv(env)),
    sidecarHealth(sidecarFromEnv(env)),
  ]);
  return { mode, model, database, sidecar };
}

/** Which upload of the Worker answers; null where it was not uploaded. */
export function deploymentFromEnv(env: Env): string | null {
  return set(env.DEPLOYMENT?.id);
}

/**
 * Every setting that cannot be right, a sentence each that names it and never holds its value, and every required
 * secret that is missing. Empty: the Worker can work.
 */
export function settingProblems(env: Env): readonly string[] {
  const isNeeded = (name: SecretName) =>
    SECRETS[name].required || (name === "SIDECAR_SECRET" && set(env.SIDECAR_URL) !== null);
  const missing = SECRET_NAMES.filter((name) => isNeeded(name) && set(env[name]) === null);
  const checks: readonly (() => unknown)[] = [
    ...SECRET_NAMES.map((name) => () => checkSecret(env, name)),
    () => settingsFromEnv(env),
    () => checkEndpoint(env),
    () => checkAddress(env.SIDECAR_URL, "SIDECAR_URL"),
    () => checkAddress(env.OPENAI_BASE_URL, "OPENAI_BASE_URL"),
    () => egressAllow(env),
    () => modelApi(env),
  ];
  const wrong = checks.flatMap((check) => messageOf(check));
  return [...missing.map((name) => `${name} is not set: ${SECRETS[name].purpose}`), ...new Set(wrong)];
}

/** Stubs are typed by what the object promises in core: the object's class is above this layer. */
function stubOf<T>(namespace: DurableObjectNamespace, name: string): T {
  return namespace.get(namespace.idFromName(name)) as unknown as T;
}

function checkSecret(env: Env, name: SecretName): void {
  const value = set(env[name]);
  const problem = value === null ? null : secretProblem(name, value);
  if (problem !== null) throw new RangeError(problem);
}

function checkEndpoint(env: Env): void {
  const endpoint = set(env.OTTO_DATABASE_ENDPOINT);
  if (endpoint !== null && settingsFromEnv(env).mode === "production" && !isLoopback(endpoint))
    throw new RangeError("OTTO_DATABASE_ENDPOINT has to be on this machine: what goes there is not encrypted");
}

/** `fetch` refuses a URL with a user or a password in it. */
function checkAddress(text: string | undefined, name: string): void {
  const address = set(text);
  if (address === null) return;
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new RangeError(`${name} has to be the address of a server, https://host or http://host:port`);
}

function operatorKeyHash(env: Env): string | null {
  checkSecret(env, "OTTO_OPERATOR_KEY_HASH");
  return set(env.OTTO_OPERATOR_KEY_HASH)?.toLowerCase() ?? null;
}

function messageOf(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (thrown) {
    if (thrown instanceof RangeError) return [thrown.message];
    throw thrown;
  }
}

function refuseSwitches(env: Env): void {
  if (set(env.OTTO_EGRESS_ALLOW) !== null)
    throw new RangeError("OTTO_EGRESS_ALLOW is for development and refused in production");
}

function egressAllow(env: Env): ReturnType<typeof parseEgressAllow> {
  settingsFromEnv(env);
  return parseEgressAllow(set(env.OTTO_EGRESS_ALLOW) ?? "");
}

function modelApi(env: Env): "chat" | "responses" {
  const api = set(env.OTTO_MODEL_API) ?? "chat";
  if (api !== "chat" && api !== "responses") throw new RangeError("OTTO_MODEL_API has to be chat or responses");
  return api;
}

function figure(text: string | undefined, name: string, ifNotSet: number, max: number): number {
  const written = set(text);
  const value = written === null ? ifNotSet : Number(written);
  if (!Number.isInteger(value) || value < 1 || value > max)
    throw new RangeError(`${name} has to be a whole number from 1 to ${max}`);
  return value;
}

function required(text: string | undefined, name: string): string {
  const value = set(text);
  if (value === null) throw new RangeError(`${name} is not set`);
  return value;
}

function set(text: string | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}

function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
