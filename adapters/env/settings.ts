/**
 * The variables: what each may be, and which are wrong. A setting that cannot be right throws a RangeError that names it;
 * `settingProblems` finds all of them. Only `from-env.ts` imports this; everything else asks there.
 */
import { SECRET_NAMES, SECRETS, type SecretName, secretProblem } from "../../core/secrets/worker-secrets.ts";
import { mailDomain, mailSettings, publicUrl, slackSettings } from "./channel-settings.ts";
import { checkAddress, type Env, set } from "./bindings.ts";
import { parseEgressAllow } from "../egress/address.ts";
import { HASHING_MODEL } from "../embeddings/hashing.ts";
import { isSearchProvider, SEARCH_PROVIDERS, type SearchSettings } from "../search/search.ts";

const MODES = ["local", "test", "production"] as const;
/** The model that is asked when a server is set and no model is. */
const DEFAULT_MODEL = "gpt-5-mini";
const DEMO_MODEL = "demo";
/** A hop ends after ten minutes, and what a script reads and writes has to come and go in them too. */
const MAX_SCRIPT_SECONDS = 540;
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
  /** Bytes of the files of all sandboxes of one tenant together. */
  readonly tenantFileBytes: number;
  readonly mediumResultThreshold: number;
  readonly largeResultThreshold: number;
  readonly maxParallelToolCalls: number;
  /** How long a skill's script may run. */
  readonly scriptTimeoutMs: number;
  /** SHA-256 in hex of the key that may make tenants; null: there is none. */
  readonly operatorKeyHash: string | null;
}

/** True for a system on one machine (`npm start`, `npm run dev`). Never throws, also for invalid settings. */
export function isLocalFromEnv(env: Env): boolean {
  return set(env.OTTO_MODE) === "local";
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
    tenantFileBytes: figure(env.OTTO_TENANT_FILE_BYTES, "OTTO_TENANT_FILE_BYTES", 107_374_182_400, 1e15),
    mediumResultThreshold: figure(env.MEDIUM_RESULT_THRESHOLD, "MEDIUM_RESULT_THRESHOLD", 4000, 1_000_000),
    largeResultThreshold: figure(env.LARGE_RESULT_THRESHOLD, "LARGE_RESULT_THRESHOLD", 12_000, 1_000_000),
    maxParallelToolCalls: figure(env.MAX_PARALLEL_TOOL_CALLS, "MAX_PARALLEL_TOOL_CALLS", 5, 50),
    scriptTimeoutMs: 1000 * figure(env.OTTO_SCRIPT_TIMEOUT, "OTTO_SCRIPT_TIMEOUT", 120, MAX_SCRIPT_SECONDS),
    operatorKeyHash: operatorKeyHash(env),
  };
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
    () => scriptIsolation(env),
    () => checkAddress(env.SEARCH_BASE_URL, "SEARCH_BASE_URL"),
    () => searchSettings(env),
    () => embeddingModel(env),
    () => slackSettings(env),
    () => mailSettings(env),
    () => mailDomain(env),
    () => publicUrl(env),
  ];
  const wrong = checks.flatMap((check) => messageOf(check));
  return [...missing.map((name) => `${name} is not set: ${SECRETS[name].purpose}`), ...new Set(wrong)];
}

function checkSecret(env: Env, name: SecretName): void {
  const value = set(env[name]);
  const problem = value === null ? null : secretProblem(name, value);
  if (problem !== null) throw new RangeError(problem);
}

export function checkEndpoint(env: Env): void {
  const endpoint = set(env.OTTO_DATABASE_ENDPOINT);
  if (endpoint !== null && settingsFromEnv(env).mode === "production" && !isLoopback(endpoint))
    throw new RangeError("OTTO_DATABASE_ENDPOINT has to be on this machine: what goes there is not encrypted");
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

export function egressAllow(env: Env): ReturnType<typeof parseEgressAllow> {
  settingsFromEnv(env);
  return parseEgressAllow(set(env.OTTO_EGRESS_ALLOW) ?? "");
}

/** What shuts in the programs that the sidecar runs; null: the sidecar finds out whether bubblewrap can. */
export function scriptIsolation(env: Env): "bubblewrap" | "container" | null {
  const chosen = set(env.OTTO_SCRIPT_ISOLATION);
  if (chosen === null || chosen === "bubblewrap" || chosen === "container") return chosen;
  throw new RangeError("OTTO_SCRIPT_ISOLATION has to be bubblewrap or container");
}

export function modelApi(env: Env): "chat" | "responses" {
  const api = set(env.OTTO_MODEL_API) ?? "chat";
  if (api !== "chat" && api !== "responses") throw new RangeError("OTTO_MODEL_API has to be chat or responses");
  return api;
}

/** Null: no search engine is set up. */
export function searchSettings(env: Env): SearchSettings | null {
  const provider = set(env.SEARCH_PROVIDER)?.toLowerCase() ?? null;
  if (provider === null) return null;
  if (!isSearchProvider(provider))
    throw new RangeError(`SEARCH_PROVIDER has to be one of ${Object.keys(SEARCH_PROVIDERS).join(", ")}`);
  const { needs, baseUrl: itsOwn } = SEARCH_PROVIDERS[provider];
  const [apiKey, given] = [set(env.SEARCH_API_KEY), set(env.SEARCH_BASE_URL)];
  if (needs === "key" && apiKey === null) throw new RangeError(`SEARCH_API_KEY is not set, and ${provider} needs it`);
  const baseUrl = given ?? itsOwn;
  if (baseUrl === null) throw new RangeError(`SEARCH_BASE_URL is not set, and ${provider} has no address of its own`);
  return { provider, baseUrl: baseUrl.replace(/\/+$/, ""), apiKey };
}

/** The model behind OPENAI_BASE_URL that embeds; null: feature hashing does. */
export function embeddingModel(env: Env): string | null {
  const model = set(env.OTTO_EMBEDDING_MODEL);
  if (model === null) return null;
  if (set(env.OPENAI_API_KEY) === null && set(env.OPENAI_BASE_URL) === null)
    throw new RangeError("OTTO_EMBEDDING_MODEL needs its server: OPENAI_BASE_URL, or OPENAI_API_KEY for OpenAI's own");
  if (model === HASHING_MODEL || !/^[\x21-\x7e]{1,200}$/.test(model))
    throw new RangeError(`OTTO_EMBEDDING_MODEL has to be a model's name as its server writes it, not ${HASHING_MODEL}`);
  return model;
}

function figure(text: string | undefined, name: string, ifNotSet: number, max: number): number {
  const written = set(text);
  const value = written === null ? ifNotSet : Number(written);
  if (!Number.isInteger(value) || value < 1 || value > max)
    throw new RangeError(`${name} has to be a whole number from 1 to ${max}`);
  return value;
}

function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
