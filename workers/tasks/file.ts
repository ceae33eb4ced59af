/** The file that a route of a task names by the rest of its URL. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { filesFromEnv } from "../../adapters/env/files.ts";
import { OttoError, raise } from "../../core/base/errors.ts";
import type { FilesPort, WrittenFile } from "../../core/ports/files.ts";
import { judgeForm, PROJECT_FOLDER } from "../../core/sandbox/path.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import type { z } from "zod";
import type { writtenFileSchema } from "../http/schemas.ts";
import { auditEntry } from "../http/audit-entry.ts";
import type { AppContext } from "../http/context.ts";
import { matchesTag } from "../http/file-headers.ts";
import { requestName } from "../http/new-ids.ts";
import { fileUrl } from "./view.ts";
import { readTask } from "./access.ts";
import { tenantOf } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";

/** A task's sandbox, and a path in it. */
export interface TaskFile {
  readonly id: string;
  readonly files: FilesPort;
  readonly path: string;
  /** The path is in the shared folder of the task's project. */
  readonly isOfProject: boolean;
}

/** The sandbox of the task in the URL, and the path in it: what stands after `under`, decoded once from the URL as it came. */
export async function openTaskFile(c: AppContext, under: "files" | "file-versions"): Promise<TaskFile> {
  const id = c.req.param("id") ?? "";
  const facts: TaskFacts = await readTask(c, id, (stub) => stub.facts());
  const path = unwrap(judgeForm(rawPath(c, under)));
  const isOfProject = facts.project !== null && path.startsWith(`${PROJECT_FOLDER}/`);
  return { id, files: filesFromEnv(c.env, facts), path, isOfProject };
}

function rawPath(c: AppContext, under: string): string {
  const [, , , , folder, ...encoded] = new URL(c.req.url).pathname.split("/");
  if (folder !== under) throw new Error(`/${under}/ is not the fourth part of the route`);
  try {
    return decodeURIComponent(encoded.join("/"));
  } catch {
    return raise("invalid_input", "path: is not valid percent-encoded UTF-8", { field: "path" });
  }
}

/** The key of a change that this request makes: the same one when it is sent again. */
export function changeKey(c: AppContext): string {
  return requestName(c) ?? c.get("requestId");
}

/** Writes an act on a file down before it happens; one that then fails stands there too. */
export async function auditFile(
  c: AppContext,
  action: "file.delete" | "file.restore",
  { id, path }: TaskFile,
): Promise<void> {
  const act = await auditEntry(c, action, `${id}/files/${path}`);
  unwrap(await databaseFromEnv(c.env).audit.add(tenantOf(c), act));
}

/** The version that a conditional change is bound to; null for one without conditions. */
export async function versionCondition(c: AppContext, { files, path }: TaskFile): Promise<number | null> {
  if (c.req.header("if-none-match") === "*") return 0;
  const wanted = c.req.header("if-match");
  if (wanted === undefined) return null;
  const found = await files.stat(path);
  if (!found.ok && found.error.code !== "not_found") throw new OttoError(found.error);
  if (!found.ok || !matchesTag(wanted, found.value))
    return raise("conflict", "The file is not the version in If-Match.", { field: "If-Match" });
  return found.value.version;
}

/** A file as the answer to a write shows it. */
export function shownWritten(c: AppContext, id: string, entry: WrittenFile): z.infer<typeof writtenFileSchema> {
  return {
    path: entry.path,
    size: entry.size,
    content_type: entry.contentType,
    modified_at: new Date(entry.modifiedAt).toISOString(),
    url: fileUrl(c, id, entry.path),
  };
}
