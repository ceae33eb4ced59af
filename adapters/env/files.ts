/** The bucket: the files of tasks, and what is stored by key. */
import type { Env } from "./bindings.ts";
import { stubOf } from "./object-stub.ts";
import { sandboxesFromEnv } from "./sandboxes.ts";
import { sandboxNameOf, type SandboxPlace, sandboxPrefix } from "../files/blob-keys.ts";
import { type BlobEraser, openBlobs } from "../files/blobs.ts";
import { openFiles } from "../files/files.ts";
import { forgetOldBehind, type OldBlobs } from "../files/forget-old.ts";
import type { BlobPort } from "../../core/ports/blobs.ts";
import type { FilesPort } from "../../core/ports/files.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import type { SandboxRpc } from "../../core/sandbox/rpc.ts";

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

/** Deletes the objects below a key of the bucket that are past their age. */
export async function forgetOldBlobsFromEnv(env: Env, place: OldBlobs): Promise<void> {
  await forgetOldBehind(env.FILES, place);
}

/** Forgets the sandbox of a task tree: its index, then every blob and every large result that it has. Can be done again. */
export async function eraseFilesFromEnv(
  env: Env,
  { tenant, rootId }: Pick<TaskFacts, "tenant" | "rootId">,
): Promise<void> {
  await eraseSandbox(env, { kind: "tree", tenant, rootId });
}

/** Forgets the shared folder of a project. Can be done again. */
export async function eraseProjectFilesFromEnv(env: Env, tenant: string, project: string): Promise<void> {
  await eraseSandbox(env, { kind: "project", tenant, project });
}

async function eraseSandbox(env: Env, place: SandboxPlace): Promise<void> {
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
    const names = new Set(keys.map(sandboxNameOf).filter((name) => name !== null));
    await Promise.all(Array.from(names, (name) => stubOf<SandboxRpc>(env.SANDBOXES, name).erase()));
  });
}
