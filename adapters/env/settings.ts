/**
 * The figures and switches that an operator sets, and what a variable may be. A value that cannot be right throws a RangeError
 * that names it; `problems.ts` finds all of them.
 */
import { type Env, set } from "./bindings.ts";
import { findSecretProblem, type SecretName } from "./worker-secrets.ts";
import { defaultModel, providerInName } from "../model/providers.ts";

const MODES = ["local", "test", "production"] as const;
const DEMO_MODEL = "demo";
/** A hop ends after ten minutes, and what a script reads and writes has to come and go in them too. */
const MAX_SCRIPT_SECONDS = 540;
/** Figures and switches. Thresholds are in characters. */
export interface Settings {
  readonly mode: (typeof MODES)[number];
  /** The model of an agent that names none. */
  readonly model: string;
  /** True when no provider is set up for the model of an agent that names none, and the demo model answers. */
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
  /** SHA-256 in hex of the operator key, which creates tenants; null without one. */
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
  const model = chosenModel(env);
  return {
    mode,
    model: model ?? DEMO_MODEL,
    isDemo: model === null,
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

export function checkSecret(env: Env, name: SecretName): void {
  const value = set(env[name]);
  const problem = value === null ? null : findSecretProblem(name, value);
  if (problem !== null) throw new RangeError(problem);
}

/** The name of the model of an agent that names none; null: the demo model. */
function chosenModel(env: Env): string | null {
  const chosen = defaultModel(env);
  const named = providerInName(set(env.OTTO_MODEL) ?? "");
  if (chosen === null && named !== null)
    throw new RangeError(`${named.secret} is not set, and OTTO_MODEL names a model of ${named.label}`);
  return chosen?.name ?? null;
}

function operatorKeyHash(env: Env): string | null {
  checkSecret(env, "OTTO_OPERATOR_KEY_HASH");
  return set(env.OTTO_OPERATOR_KEY_HASH)?.toLowerCase() ?? null;
}

function refuseSwitches(env: Env): void {
  if (set(env.OTTO_EGRESS_ALLOW) !== null)
    throw new RangeError("OTTO_EGRESS_ALLOW is for development and refused in production");
}

function figure(text: string | undefined, name: string, ifNotSet: number, max: number): number {
  const written = set(text);
  const value = written === null ? ifNotSet : Number(written);
  if (!Number.isInteger(value) || value < 1 || value > max)
    throw new RangeError(`${name} has to be a whole number from 1 to ${max}`);
  return value;
}
