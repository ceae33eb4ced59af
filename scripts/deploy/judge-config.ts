/** Whether `wrangler.toml` holds all that the Worker reads, and nothing that production refuses. */
import { CONSOLE_FOLDER } from "../supervisor/console-build.ts";
import { SECRET_NAMES } from "../../adapters/env/worker-secrets.ts";
import { TEST_SWITCHES } from "../../core/secrets/worker-secrets.ts";

/** The part of wrangler's configuration that is judged, as `unstable_readConfig` gives it. */
export interface DeployConfig {
  readonly name?: string | undefined;
  readonly compatibility_flags: readonly string[];
  readonly durable_objects: { readonly bindings: readonly ObjectBinding[] };
  readonly migrations: readonly { readonly tag: string; readonly new_sqlite_classes?: readonly string[] }[];
  readonly containers?: readonly { readonly class_name?: string }[];
  readonly r2_buckets: readonly { readonly binding: string; readonly bucket_name?: string }[];
  readonly vectorize?: readonly { readonly binding: string; readonly index_name?: string }[];
  readonly services?: readonly { readonly binding: string; readonly service: string; readonly entrypoint?: string }[];
  readonly ratelimits?: readonly { readonly name: string }[] | undefined;
  readonly assets?:
    | {
        readonly directory?: string;
        readonly binding?: string;
        readonly not_found_handling?: string;
        readonly run_worker_first?: boolean | readonly string[];
      }
    | undefined;
  readonly triggers: { readonly crons?: readonly string[] | undefined };
  readonly version_metadata?: { readonly binding: string } | undefined;
  readonly limits?: { readonly cpu_ms?: number } | undefined;
  readonly observability?: { readonly enabled?: boolean } | undefined;
  readonly workers_dev?: boolean | undefined;
  readonly route?: unknown;
  readonly routes?: readonly unknown[] | undefined;
  readonly vars: Readonly<Record<string, unknown>>;
}

interface ObjectBinding {
  readonly name: string;
  readonly class_name: string;
  /** Another Worker's. */
  readonly script_name?: string;
}

/** The objects of `Env`, and their classes. */
const OBJECTS = {
  TASKS: "TaskObject",
  TENANTS: "TenantObject",
  SANDBOXES: "SandboxObject",
  SIDECARS: "SidecarObject",
  INBOXES: "InboxObject",
  OUTBOXES: "OutboxObject",
  SCHEDULES: "ScheduleObject",
} as const;
const BUCKET = "FILES";
const RUNNERS = [
  { binding: "STEPS", entrypoint: "StepRunner" },
  { binding: "CHANNELS", entrypoint: "ChannelRunner" },
  { binding: "SWEEPS", entrypoint: "SweepRunner" },
] as const;
const VERSION = "DEPLOYMENT";
/** Counts who tries to sign in. */
const SIGN_INS = "SIGN_INS";
/** Where memories are found by Vectorize, and not by pgvector. */
const VECTORS = "VECTORS";
/** The sweep does a bounded part each minute. */
const SWEEP = "* * * * *";

/** What is wrong, a line each that names the field and says what it has to be. Empty: nothing is. */
export function judgeConfig(config: DeployConfig): string[] {
  return [
    ...judgeObjects(config),
    ...judgeBindings(config),
    ...judgeConsole(config),
    ...judgeRunning(config),
    ...judgeVars(config.vars),
  ];
}

/** The name of the bucket of the files; null: none is bound. */
export function bucketOf(config: DeployConfig): string | null {
  return config.r2_buckets.find(({ binding }) => binding === BUCKET)?.bucket_name ?? null;
}

/** Whether the Worker gets an address on workers.dev, the only one that wrangler tells whole. It does unless it has routes. */
export function hasWorkersDev({ workers_dev, route, routes }: DeployConfig): boolean {
  return workers_dev ?? (route === undefined && (routes ?? []).length === 0);
}

function judgeObjects({ durable_objects, migrations, containers }: DeployConfig): string[] {
  const made = new Set(migrations.flatMap(({ new_sqlite_classes = [] }) => new_sqlite_classes));
  const problems = Object.entries(OBJECTS).flatMap(([name, className]) => {
    const bound = durable_objects.bindings.find((binding) => binding.name === name);
    const lines: string[] = [];
    if (bound?.class_name !== className || bound.script_name !== undefined)
      lines.push(`durable_objects.bindings: ${name} has to be bound to ${className} of this Worker`);
    if (!made.has(className)) lines.push(`migrations: ${className} has to be in new_sqlite_classes of one of them`);
    return lines;
  });
  if (!containers?.some(({ class_name }) => class_name === OBJECTS.SIDECARS))
    problems.push(`containers: the sidecar's image has to be there, with class_name ${OBJECTS.SIDECARS}`);
  return problems;
}

function judgeBindings(config: DeployConfig): string[] {
  const problems: string[] = [];
  if (!config.name) problems.push("name: the Worker needs one");
  if (!bucketOf(config)) problems.push(`r2_buckets: ${BUCKET} has to be bound to a bucket by bucket_name`);
  for (const { binding, entrypoint } of RUNNERS) {
    const runner = config.services?.find((service) => service.binding === binding);
    if (runner?.service === config.name && runner?.entrypoint === entrypoint) continue;
    const wanted = `service ${config.name ?? "(the Worker's name)"}, entrypoint ${entrypoint}`;
    problems.push(`services: ${binding} has to be this Worker itself: ${wanted}`);
  }
  for (const { binding, index_name } of config.vectorize ?? []) {
    if (binding !== VECTORS || !index_name)
      problems.push(
        `vectorize: ${VECTORS} has to be bound to an index by index_name, and nothing else; without it pgvector serves`,
      );
  }
  if (config.version_metadata?.binding !== VERSION)
    problems.push(`version_metadata: binding has to be ${VERSION}, so that /health can tell which upload answers`);
  return problems;
}

/** Its files, whose headers the Worker sets, and the door to it. */
function judgeConsole({ assets, ratelimits }: DeployConfig): string[] {
  const problems: string[] = [];
  if (assets?.directory !== CONSOLE_FOLDER || assets.binding !== "ASSETS")
    problems.push(`assets: ASSETS has to be bound to the directory ${CONSOLE_FOLDER}`);
  if (assets?.run_worker_first !== true)
    problems.push("assets.run_worker_first: it has to be true, or the console's page goes out without its policy");
  if (assets?.not_found_handling !== "single-page-application")
    problems.push(
      'assets.not_found_handling: it has to be "single-page-application", or links into the console are dead',
    );
  if (!ratelimits?.some(({ name }) => name === SIGN_INS))
    problems.push(`ratelimits: ${SIGN_INS} has to be there, which counts who tries to sign in`);
  return problems;
}

function judgeRunning({ compatibility_flags, triggers, limits, observability }: DeployConfig): string[] {
  const problems: string[] = [];
  if (!compatibility_flags.includes("nodejs_compat")) problems.push("compatibility_flags: nodejs_compat is needed");
  if (!triggers.crons?.includes(SWEEP)) problems.push(`triggers.crons: "${SWEEP}" has to be there, for the sweep`);
  if (limits?.cpu_ms === undefined)
    problems.push("limits.cpu_ms: it has to be set, so that nothing runs without an end");
  if (observability?.enabled !== true) problems.push("observability.enabled: it has to be true, or there are no logs");
  return problems;
}

function judgeVars(vars: Readonly<Record<string, unknown>>): string[] {
  const problems: string[] = [];
  if (vars["OTTO_MODE"] !== "production") problems.push('vars.OTTO_MODE: it has to be "production"');
  for (const name of TEST_SWITCHES) {
    if (Object.hasOwn(vars, name))
      problems.push(`vars.${name}: it is for development and tests, and production refuses it`);
  }
  for (const name of SECRET_NAMES) {
    if (Object.hasOwn(vars, name))
      problems.push(`vars.${name}: it is a secret; set it by \`npx wrangler secret put ${name}\``);
  }
  return problems;
}
