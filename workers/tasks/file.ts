/** The file that the URL of a task's route names. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { filesFromEnv } from "../../adapters/env/files.ts";
import { OttoError, raise } from "../../core/base/errors.ts";
import type { FilesPort, WrittenFile } from "../../core/ports/files.ts";
import { judgeForm, PROJECT_FOLDER } from "../../core/sandbox/path.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import type { z } from "zod";
import type { writtenFileSchema } from "../http/schemas.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { AppContext } from "../http/context.ts";
import { matchesTag } from "../http/file-headers.ts";
import { getRequestName } from "../http/new-ids.ts";
import { getFileUrl } from "./view.ts";
import { readTask } from "./access.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";

/** A task's sandbox, and a path in it. */
export interface TaskFile {
  readonly id: string;
  readonly files: FilesPort;
  readonly path: string;
  /** True for a path in the shared folder of the task's project. */
  readonly isOfProject: boolean;
}

/** Opens the sandbox of the URL's task. The path is everything after `under`, decoded once from the raw URL. */
export async function openTaskFile(c: AppContext, under: "files" | "file-versions"): Promise<TaskFile> {
  const id = c.req.param("id") ?? "";
  const facts: TaskFacts = await readTask(c, id, (stub) => stub.facts());
  const path = unwrap(judgeForm(readRawPath(c, under)));
  const isOfProject = facts.project !== null && path.startsWith(`${PROJECT_FOLDER}/`);
  return { id, files: filesFromEnv(c.env, facts), path, isOfProject };
}

function readRawPath(c: AppContext, under: string): string {
  const [, , , , folder, ...encoded] = new URL(c.req.url).pathname.split("/");
  if (folder !== under) throw new Error(`/${under}/ is not the fourth part of the route`);
  try {
    return decodeURIComponent(encoded.join("/"));
  } catch {
    return raise("invalid_input", "path: is not valid percent-encoded UTF-8", { field: "path" });
  }
}

/** Returns the key of a change, the same for a repeat of the request. */
export function getChangeKey(c: AppContext): string {
  return getRequestName(c) ?? c.get("requestId");
}

/** Records an act on a file in the audit log before it happens, even if it then fails. */
export async function auditFile(
  c: AppContext,
  action: "file.delete" | "file.restore",
  { id, path }: TaskFile,
): Promise<void> {
  const act = await createAuditEntry(c, action, `${id}/files/${path}`);
  unwrap(await databaseFromEnv(c.env).audit.add(getTenant(c), act));
}

/** Returns the version that a conditional change requires; null for an unconditional one. */
export async function readVersionCondition(c: AppContext, { files, path }: TaskFile): Promise<number | null> {
  if (c.req.header("if-none-match") === "*") return 0;
  const wanted = c.req.header("if-match");
  if (wanted === undefined) return null;
  const found = await files.stat(path);
  if (!found.ok && found.error.code !== "not_found") throw new OttoError(found.error);
  if (!found.ok || !matchesTag(wanted, found.value))
    return raise("conflict", "The file changed: its version differs from If-Match. Read it again.", {
      field: "If-Match",
    });
  return found.value.version;
}

/** Formats a file for the reply to a write. */
export function toWrittenView(c: AppContext, id: string, entry: WrittenFile): z.infer<typeof writtenFileSchema> {
  return {
    path: entry.path,
    size: entry.size,
    content_type: entry.contentType,
    modified_at: new Date(entry.modifiedAt).toISOString(),
    url: getFileUrl(c, id, entry.path),
  };
}
