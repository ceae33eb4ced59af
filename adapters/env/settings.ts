/**
 * The figures and switches that an operator sets, and their limits. An invalid value throws a RangeError that names it;
 * `problems.ts` finds all of them.
 */
import { type Env, readText } from "./bindings.ts";
import { oncePerEnv } from "./once-per-env.ts";
import { type SecretName, findSecretProblem } from "./worker-secrets.ts";
import { getDefaultModel, findNamedProvider } from "../model/providers.ts";

const MODES = ["local", "test", "production"] as const;
const MODEL_PHASE_PLACES = ["object", "runner"] as const;
const DEMO_MODEL = "demo";
/** A phase ends after ten minutes, which also have to cover the input and output of a script. */
const MAX_SCRIPT_SECONDS = 540;
const HOUR_MS = 3_600_000;
const MAX_CATALOGUE_HOURS = 8_760;
/** Figures and switches. Thresholds are in characters. */
export interface Settings {
  readonly mode: (typeof MODES)[number];
  /** The model of an agent that names none. */
  readonly model: string;
  /** True when no provider is configured for the default model, and the demo model replies. */
  readonly isDemo: boolean;
  readonly requestsPerMinute: number;
  /** Maximum running tasks of one tenant. */
  readonly maxRunningTasks: number;
  /** Maximum running tasks of all tenants of a process, once more than one tenant is active. */
  readonly sharedRunningTasks: number;
  /** Maximum bytes of the files of all sandboxes of one tenant. */
  readonly tenantFileBytes: number;
  readonly mediumResultThreshold: number;
  readonly largeResultThreshold: number;
  readonly maxParallelToolCalls: number;
  /** Time limit of a skill's script. */
  readonly scriptTimeoutMs: number;
  /** The age at which the catalogue of apps is read again. */
  readonly catalogueTtlMs: number;
  /** Where a task's model phase runs: in its own object, or in the step runner. */
  readonly modelPhase: (typeof MODEL_PHASE_PLACES)[number];
  /** SHA-256 in hex of the operator key, which creates tenants; null without one. */
  readonly operatorKeyHash: string | null;
}

/** True for a system on one machine (`npm start`, `npm run dev`). Never throws, also for invalid settings. */
export function isLocalFromEnv(env: Env): boolean {
  return readText(env.OTTO_MODE) === "local";
}

/** Reads the settings. Without OTTO_MODE the mode is production, which refuses settings for development and tests. */
export const settingsFromEnv = oncePerEnv(readSettings);

function readSettings(env: Env): Settings {
  const mode = MODES.find((known) => known === (readText(env.OTTO_MODE) ?? "production"));
  if (mode === undefined) throw new RangeError(`OTTO_MODE has to be one of ${MODES.join(", ")}`);
  if (mode === "production") refuseSwitches(env);
  const model = chooseModel(env);
  return {
    mode,
    model: model ?? DEMO_MODEL,
    isDemo: model === null,
    requestsPerMinute: readFigure(env.OTTO_REQUESTS_PER_MINUTE, "OTTO_REQUESTS_PER_MINUTE", 6000, 1_000_000),
    maxRunningTasks: readFigure(env.OTTO_MAX_RUNNING_TASKS, "OTTO_MAX_RUNNING_TASKS", 256, 10_000),
    sharedRunningTasks: readFigure(env.OTTO_SHARED_RUNNING_TASKS, "OTTO_SHARED_RUNNING_TASKS", 64, 10_000),
    tenantFileBytes: readFigure(env.OTTO_TENANT_FILE_BYTES, "OTTO_TENANT_FILE_BYTES", 107_374_182_400, 1e15),
    mediumResultThreshold: readFigure(env.MEDIUM_RESULT_THRESHOLD, "MEDIUM_RESULT_THRESHOLD", 4000, 1_000_000),
    largeResultThreshold: readFigure(env.LARGE_RESULT_THRESHOLD, "LARGE_RESULT_THRESHOLD", 12_000, 1_000_000),
    maxParallelToolCalls: readFigure(env.MAX_PARALLEL_TOOL_CALLS, "MAX_PARALLEL_TOOL_CALLS", 5, 50),
    scriptTimeoutMs: 1000 * readFigure(env.OTTO_SCRIPT_TIMEOUT, "OTTO_SCRIPT_TIMEOUT", 120, MAX_SCRIPT_SECONDS),
    catalogueTtlMs: HOUR_MS * readFigure(env.OTTO_CATALOGUE_TTL, "OTTO_CATALOGUE_TTL", 24, MAX_CATALOGUE_HOURS),
    modelPhase: readModelPhase(env),
    operatorKeyHash: parseOperatorKeyHash(env),
  };
}

export function checkSecret(env: Env, name: SecretName): void {
  const value = readText(env[name]);
  const problem = value === null ? null : findSecretProblem(name, value);
  if (problem !== null) throw new RangeError(problem);
}

/** The default model; null: the demo model. */
function chooseModel(env: Env): string | null {
  const chosen = getDefaultModel(env);
  const named = findNamedProvider(readText(env.OTTO_MODEL) ?? "");
  if (chosen === null && named !== null)
    throw new RangeError(`${named.secret} is not set, and OTTO_MODEL names a model of ${named.label}`);
  return chosen?.name ?? null;
}

function parseOperatorKeyHash(env: Env): string | null {
  checkSecret(env, "OTTO_OPERATOR_KEY_HASH");
  return readText(env.OTTO_OPERATOR_KEY_HASH)?.toLowerCase() ?? null;
}

function readModelPhase(env: Env): Settings["modelPhase"] {
  const place = MODEL_PHASE_PLACES.find((known) => known === (readText(env.OTTO_MODEL_PHASE) ?? "object"));
  if (place === undefined) throw new RangeError(`OTTO_MODEL_PHASE has to be one of ${MODEL_PHASE_PLACES.join(", ")}`);
  return place;
}

function refuseSwitches(env: Env): void {
  if (readText(env.OTTO_EGRESS_ALLOW) !== null)
    throw new RangeError("OTTO_EGRESS_ALLOW is for development and refused in production");
  if (readText(env.OTTO_DEMO_APPS) !== null)
    throw new RangeError("OTTO_DEMO_APPS is for development and refused in production");
}

function readFigure(text: string | undefined, name: string, fallback: number, max: number): number {
  const written = readText(text);
  const value = written === null ? fallback : Number(written);
  if (!Number.isInteger(value) || value < 1 || value > max)
    throw new RangeError(`${name} has to be a whole number from 1 to ${max}`);
  return value;
}
