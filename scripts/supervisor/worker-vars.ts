/** The variables that the Worker gets: the user's own, and those that the supervisor decides. */
import { createHash } from "node:crypto";
import { MODEL_PROVIDERS } from "../../adapters/model/providers.ts";

/** Outside services and limits: whatever begins like this passes through. */
const PASSED_PREFIXES = ["OTTO_", "SLACK_", "RESEND_", "SMTP_", "COMPOSIO_", "SEARCH_", "SIDECAR_"];
const PASSED_NAMES: ReadonlySet<string> = new Set([
  ...MODEL_PROVIDERS.flatMap(({ secret, url }) => [secret, url]),
  "MEDIUM_RESULT_THRESHOLD",
  "LARGE_RESULT_THRESHOLD",
  "MAX_PARALLEL_TOOL_CALLS",
  "OTTO_MODEL_PHASE",
]);
/** The supervisor's own. */
const KEPT_BACK: ReadonlySet<string> = new Set(["OTTO_STATE", "OTTO_INSTALL_PACKAGES", "OTTO_DEMO_APPS"]);

export interface DecidedVars {
  readonly databaseUrl: string;
  readonly databaseEndpoint: string;
  readonly sidecarUrl: string;
  readonly sidecarSecret: string;
  readonly secretKey: string;
  readonly operatorKey: string;
  /** Null: the demo apps do not run. */
  readonly demoApps: { readonly url: string; readonly apiKey: string; readonly egressAllow: string } | null;
}

/** The Worker's variables; an empty one counts as not set. What is decided wins. */
export function workerVars(env: NodeJS.ProcessEnv, decided: DecidedVars): Record<string, string> {
  const given = Object.entries(env).filter(([name, value]) => {
    const passed = PASSED_NAMES.has(name) || PASSED_PREFIXES.some((prefix) => name.startsWith(prefix));
    return passed && !KEPT_BACK.has(name) && value !== undefined && value !== "";
  });
  return {
    OTTO_MODE: "local",
    ...(Object.fromEntries(given) as Record<string, string>),
    DATABASE_URL: decided.databaseUrl,
    OTTO_DATABASE_ENDPOINT: decided.databaseEndpoint,
    SIDECAR_URL: decided.sidecarUrl,
    SIDECAR_SECRET: decided.sidecarSecret,
    OTTO_SECRET_KEY: decided.secretKey,
    OTTO_OPERATOR_KEY_HASH: createHash("sha256").update(decided.operatorKey).digest("hex"),
    ...(decided.demoApps === null
      ? {}
      : {
          OTTO_DEMO_APPS: "yes",
          COMPOSIO_BASE_URL: decided.demoApps.url,
          COMPOSIO_API_KEY: decided.demoApps.apiKey,
          OTTO_EGRESS_ALLOW: decided.demoApps.egressAllow,
        }),
  };
}

/** The environment of a child: what any program needs, and `extra`. Secrets of the user's shell stay out. */
export function childEnv(env: NodeJS.ProcessEnv, extra: Readonly<Record<string, string>>): Record<string, string> {
  const passed = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"];
  const kept = passed.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), ...extra };
}
