/** Codebases: their search by tasks, their reader, and their stored archives. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { DEFAULT_DENIED_PATTERNS } from "../../core/agents/agent.ts";
import { openCodebases } from "../../core/codebases/search.ts";
import type { CodebasesPort, CodeReader } from "../../core/ports/codebases.ts";
import { SETUP } from "../../core/secrets/secret-use.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { type UrlJudgement, judgeUrl } from "../egress/address.ts";
import { catchFailure } from "../files/r2.ts";
import { openCodeReader } from "../sidecar/code.ts";
import type { Env } from "./bindings.ts";
import { databaseFromEnv } from "./database.ts";
import { readEgressAllow } from "./egress.ts";
import { blobsFromEnv, filesFromEnv } from "./files.ts";
import { secretsFromEnv } from "./secrets.ts";
import { sidecarFromEnv } from "./sidecar.ts";

/** The codebases that a task may search. */
export function codebasesFromEnv(
  env: Env,
  { tenant, agent, project, actsFor }: Pick<TaskFacts, "tenant" | "agent" | "project" | "actsFor">,
): CodebasesPort {
  const user = { agent: agent.config.name, project, person: actsFor?.person ?? null };
  return openCodebases(databaseFromEnv(env).codebases, tenant, user);
}

/** Reads the code of a tenant's codebases, which an administrator added. */
export function codeReaderFromEnv(env: Env, tenant: string): CodeReader {
  return openCodeReader({
    sidecar: sidecarFromEnv(env),
    tenant,
    secrets: secretsFromEnv(env, tenant, SETUP),
    denied: DEFAULT_DENIED_PATTERNS,
    openArchive: async (hash) => await openArchive(env, tenant, hash),
    // The tree is that of no task: only the project's folder is read.
    filesOf: (project) => filesFromEnv(env, { tenant, rootId: "codebases", project }),
  });
}

/** Whether a repository at this URL may be fetched. Its addresses are judged when it is. */
export function judgeRepositoryFromEnv(env: Env, url: string): UrlJudgement {
  const judged = judgeUrl(url, readEgressAllow(env), true);
  if (!judged.ok || judged.opened || judged.url.protocol === "https:") return judged;
  return { ok: false, message: "The URL must begin with https://." };
}

/** Stores an archive under its hash. */
export async function storeArchiveFromEnv(
  env: Env,
  tenant: string,
  { hash, bytes }: { readonly hash: string; readonly bytes: Uint8Array },
): Promise<Result<void>> {
  return await blobsFromEnv(env).put(getArchiveKey(tenant, hash), bytes);
}

/** The size of a stored archive in bytes; `not_found` without one. */
export async function findArchiveFromEnv(env: Env, tenant: string, hash: string): Promise<Result<number>> {
  return await catchFailure(async () => {
    const head = await env.FILES.head(getArchiveKey(tenant, hash));
    return head === null ? NO_ARCHIVE : ok(head.size);
  });
}

/** Deletes a stored archive. Idempotent. */
export async function deleteArchiveFromEnv(env: Env, tenant: string, hash: string): Promise<void> {
  await blobsFromEnv(env).erase(`${getArchivePrefix(tenant, hash)}`);
}

async function openArchive(env: Env, tenant: string, hash: string): Promise<Result<ReadableStream<Uint8Array>>> {
  return await catchFailure(async () => {
    const stored = await env.FILES.get(getArchiveKey(tenant, hash));
    return stored === null ? NO_ARCHIVE : ok(stored.body as ReadableStream<Uint8Array>);
  });
}

const NO_ARCHIVE = failed("not_found", "There is no stored archive with this hash. Upload it again.");

/** Erased with the tenant's other objects, whose keys begin alike. */
function getArchivePrefix(tenant: string, hash: string): string {
  return `${tenant}/codebases/${hash}/`;
}

function getArchiveKey(tenant: string, hash: string): string {
  return `${getArchivePrefix(tenant, hash)}source.zip`;
}
