/** Codebases: their search by tasks, and their stored archives. `code-reader.ts` has what only indexing needs. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { openCodebases } from "../../core/codebases/search.ts";
import type { CodebasesPort } from "../../core/ports/codebases.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { type UrlJudgement, judgeUrl } from "../egress/address.ts";
import { catchFailure } from "../files/r2.ts";
import type { Env } from "./bindings.ts";
import { databaseFromEnv } from "./database.ts";
import { readEgressAllow } from "./egress.ts";
import { blobsFromEnv } from "./files.ts";
import { embedderFromEnv, vectorsFromEnv } from "./memory.ts";

/** The codebases that a task may search. */
export function codebasesFromEnv(
  env: Env,
  { tenant, agent, project, actsFor }: Pick<TaskFacts, "tenant" | "agent" | "project" | "actsFor">,
): CodebasesPort {
  const user = { agent: { id: agent.id, name: agent.config.name }, project, person: actsFor?.person ?? null };
  return openCodebases(codeIndexFromEnv(env), tenant, user);
}

/** The index of code, and what gives it vectors. */
export function codeIndexFromEnv(env: Env) {
  return { table: databaseFromEnv(env).codebases, embedder: embedderFromEnv(env), vectors: vectorsFromEnv(env) };
}

/** All codebases of a tenant, for an administrator. */
export function allCodebasesFromEnv(env: Env, tenant: string): CodebasesPort {
  return openCodebases(codeIndexFromEnv(env), tenant, null);
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

/** Streams a stored archive; `not_found` without one. */
export async function openArchiveFromEnv(
  env: Env,
  tenant: string,
  hash: string,
): Promise<Result<ReadableStream<Uint8Array>>> {
  return await catchFailure(async () => {
    const stored = await env.FILES.get(getArchiveKey(tenant, hash));
    return stored === null ? NO_ARCHIVE : ok(stored.body as ReadableStream<Uint8Array>);
  });
}

/** Deletes a stored archive. Idempotent. */
export async function deleteArchiveFromEnv(env: Env, tenant: string, hash: string): Promise<void> {
  await blobsFromEnv(env).erase(`${getArchivePrefix(tenant, hash)}`);
}

const NO_ARCHIVE = failed("not_found", "There is no stored archive with this hash. Upload it again.");

/** Erased with the tenant's other objects, whose keys begin alike. */
function getArchivePrefix(tenant: string, hash: string): string {
  return `${tenant}/codebases/${hash}/`;
}

function getArchiveKey(tenant: string, hash: string): string {
  return `${getArchivePrefix(tenant, hash)}source.zip`;
}
