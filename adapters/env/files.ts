/** The bucket: the files of tasks, and what is stored by key. */
import type { Env } from "./bindings.ts";
import { getStub } from "./object-stub.ts";
import { sandboxesFromEnv } from "./sandboxes.ts";
import { parseSandboxName, type SandboxOwner, getSandboxPrefix } from "../files/blob-keys.ts";
import { type BlobEraser, openBlobs } from "../files/blobs.ts";
import { openFiles } from "../files/files.ts";
import { deleteExpiredAfter, type OldBlobs } from "../files/forget-old.ts";
import type { BlobPort } from "../../core/ports/blobs.ts";
import type { FilesPort } from "../../core/ports/files.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import type { SandboxRpc } from "../../core/sandbox/rpc.ts";

/** The files of a task. */
export function filesFromEnv(
  env: Env,
  { tenant, rootId, project }: Pick<TaskFacts, "tenant" | "rootId" | "project">,
): FilesPort {
  return openFiles({ sandboxOf: sandboxesFromEnv(env), bucket: env.FILES, tenant, rootId, project });
}

/** The bucket by key, for results too large for a row, and for erasing. */
export function blobsFromEnv(env: Env): BlobPort & BlobEraser {
  return openBlobs(env.FILES);
}

/** Deletes expired objects near a key of the bucket. */
export async function forgetOldBlobsFromEnv(env: Env, place: OldBlobs): Promise<void> {
  await deleteExpiredAfter(env.FILES, place);
}

/** Erases the sandbox of a task tree: its index, then its blobs and large results. Idempotent. */
export async function eraseFilesFromEnv(
  env: Env,
  { tenant, rootId }: Pick<TaskFacts, "tenant" | "rootId">,
): Promise<void> {
  await eraseSandbox(env, { kind: "tree", tenant, rootId });
}

/** Erases the shared folder of a project. Idempotent. */
export async function eraseProjectFilesFromEnv(env: Env, tenant: string, project: string): Promise<void> {
  await eraseSandbox(env, { kind: "project", tenant, project });
}

async function eraseSandbox(env: Env, place: SandboxOwner): Promise<void> {
  await sandboxesFromEnv(env)(place).erase();
  const blobs = blobsFromEnv(env);
  for (let gone = false; !gone; ) gone = await blobs.erase(getSandboxPrefix(place));
}

/**
 * Erases a bounded part of a tenant's files: the indexes of sandboxes, then their blobs, whose keys name the sandboxes.
 * True when nothing is left. Idempotent.
 */
export async function eraseTenantFilesFromEnv(env: Env, tenant: string): Promise<boolean> {
  return await blobsFromEnv(env).erase(`${tenant}/`, async (keys) => {
    const names = new Set(keys.map(parseSandboxName).filter((name) => name !== null));
    await Promise.all(Array.from(names, (name) => getStub<SandboxRpc>(env.SANDBOXES, name).erase()));
  });
}
