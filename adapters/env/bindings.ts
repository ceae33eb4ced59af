/** The bindings that the platform gives the Worker, and how a variable is read. */
import type { ModelUrlName } from "../model/providers.ts";
import type { SecretName } from "./worker-secrets.ts";

/** The bindings of wrangler.toml and the variables of README.md. An empty variable counts as unset. */
export interface Env extends Readonly<Partial<Record<SecretName | ModelUrlName, string>>> {
  readonly TASKS: DurableObjectNamespace;
  readonly TENANTS: DurableObjectNamespace;
  readonly SANDBOXES: DurableObjectNamespace;
  readonly SIDECARS: DurableObjectNamespace;
  readonly INBOXES: DurableObjectNamespace;
  readonly OUTBOXES: DurableObjectNamespace;
  readonly SCHEDULES: DurableObjectNamespace;
  readonly FILES: R2Bucket;
  readonly STEPS: Fetcher;
  readonly CHANNELS: Fetcher;
  readonly SWEEPS: Fetcher;
  readonly ASSETS: Fetcher;
  readonly SIGN_INS: RateLimit;
  readonly VECTORS?: Vectorize;
  readonly DEPLOYMENT?: WorkerVersionMetadata;
  readonly OTTO_MODE?: string;
  readonly OTTO_DATABASE_ENDPOINT?: string;
  readonly SIDECAR_URL?: string;
  readonly OTTO_MODEL?: string;
  readonly OTTO_MODEL_API?: string;
  readonly OTTO_EMBEDDING_MODEL?: string;
  readonly OTTO_EGRESS_ALLOW?: string;
  readonly OTTO_SCRIPT_ISOLATION?: string;
  readonly SEARCH_PROVIDER?: string;
  readonly SEARCH_BASE_URL?: string;
  readonly COMPOSIO_BASE_URL?: string;
  readonly OTTO_DEMO_APPS?: string;
  readonly OTTO_APP_DIRECTORY?: string;
  readonly SLACK_API_URL?: string;
  readonly SLACK_CLIENT_ID?: string;
  readonly RESEND_BASE_URL?: string;
  readonly OTTO_MAIL_FROM?: string;
  readonly OTTO_MAIL_DOMAIN?: string;
  readonly OTTO_PUBLIC_URL?: string;
  readonly OTTO_REQUESTS_PER_MINUTE?: string;
  readonly OTTO_MAX_RUNNING_TASKS?: string;
  readonly OTTO_SHARED_RUNNING_TASKS?: string;
  readonly OTTO_TENANT_FILE_BYTES?: string;
  readonly MEDIUM_RESULT_THRESHOLD?: string;
  readonly LARGE_RESULT_THRESHOLD?: string;
  readonly MAX_PARALLEL_TOOL_CALLS?: string;
  readonly OTTO_MODEL_PHASE?: string;
  readonly OTTO_SCRIPT_TIMEOUT?: string;
  readonly OTTO_CATALOGUE_TTL?: string;
}

/** `fetch` rejects a URL with a user or a password. */
export function checkAddress(text: string | undefined, name: string): void {
  const address = readText(text);
  if (address === null) return;
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new RangeError(`${name} has to be the address of a server, https://host or http://host:port`);
}

export function readRequired(text: string | undefined, name: string): string {
  const value = readText(text);
  if (value === null) throw new RangeError(`${name} is not set`);
  return value;
}

export function readText(text: string | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}

/** Reads a variable that this layer does not list; null if unset. */
export function readVariable(env: Env, name: string): string | null {
  const value: unknown = Reflect.get(env, name);
  return typeof value === "string" ? readText(value) : null;
}
