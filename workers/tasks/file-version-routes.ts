/** The stored versions of a task's file, and how to restore one. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { raise } from "../../core/base/errors.ts";
import type { FileVersion } from "../../core/ports/files.ts";
import { formatMode } from "../../core/sandbox/file-mode.ts";
import { describeMissingVersion } from "../../core/sandbox/write.ts";
import { answers, withKey } from "../http/answers.ts";
import { fileVersionsSchema, writtenFileSchema } from "../http/schemas.ts";
import type { App, AppContext } from "../http/context.ts";
import { getEntityTag } from "../http/file-headers.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getFileUrl } from "./view.ts";
import { readTask, refuseEnded, taskParams } from "./access.ts";
import { unwrap } from "../http/unwrap.ts";
import { REST_OF_PATH } from "../http/rest-of-path.ts";
import { auditFile, getChangeKey, openTaskFile, toWrittenView, readVersionCondition } from "./file.ts";
import { refuseInvalid } from "../http/validation.ts";

const VERSIONS_ROUTE = `/v1/tasks/:id/file-versions/${REST_OF_PATH}`;

const shared = { tags: ["Files"], ...withKey };
const params = taskParams.extend({
  path: z.string().describe("The file's path in the sandbox; it may contain slashes"),
});
const restoreBody = z.strictObject({ version: z.int().min(1) });

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "files.listVersions",
  path: "/v1/tasks/{id}/file-versions/{path}",
  summary: "List the versions of a file, newest first",
  description:
    "The current one and the ten before it, including those of a deleted file. `url` downloads the version. Versions count the writes to the path.",
  request: { params },
  responses: answers({ 200: { description: "The versions.", json: fileVersionsSchema } }, [404, 422]),
});

const restore = createRoute({
  ...shared,
  method: "post",
  operationId: "files.restoreVersion",
  path: "/v1/tasks/{id}/file-versions/{path}",
  summary: "Restore a version of a file",
  description:
    "Writes the content of that version as a new version; a deleted file can be restored too. `If-Match: <etag>` restores only over that version; otherwise 409. The files of a task that has ended cannot be changed.",
  request: {
    params,
    body: { required: true, content: { "application/json": { schema: restoreBody.meta({ id: "RestoreFileInput" }) } } },
  },
  responses: answers(
    {
      200: { description: "The file was replaced.", json: writtenFileSchema },
      201: { description: "The deleted file was restored.", json: writtenFileSchema },
    },
    [404, 409, 413, 415, 422],
  ),
});

export function taskFileVersionRoutes(app: App): void {
  app.openAPIRegistry.registerPath(list);
  app.get(VERSIONS_ROUTE, requireScope("tasks:read"), async (c) => {
    const { id, files, path } = await openTaskFile(c, "file-versions");
    const versions = unwrap(await files.versions(path));
    return c.json({ data: versions.map((version) => toVersionView(c, id, version)) }, 200);
  });

  app.openAPIRegistry.registerPath(restore);
  app.post(VERSIONS_ROUTE, requireScope("tasks:write"), async (c) => {
    const file = await openTaskFile(c, "file-versions");
    const { id, files, path } = file;
    const version = await readVersion(c);
    refuseEnded(await readTask(c, id, (stub) => stub.view()));
    const ifVersion = await readVersionCondition(c, file);
    const known = unwrap(await files.versions(path));
    if (!known.some((one) => one.version === version)) raise("not_found", describeMissingVersion(path, version));
    await auditFile(c, "file.restore", file);
    const options = { key: getChangeKey(c), ...(ifVersion === null ? {} : { ifVersion }) };
    const restored = unwrap(await files.restore(path, version, options));
    return c.json(toWrittenView(c, id, restored), restored.isNew ? 201 : 200, { etag: getEntityTag(restored) });
  });
}

/** Reads the body's `version`. A JSON body was checked before. */
async function readVersion(c: AppContext): Promise<number> {
  const text = await c.req.text();
  const parsed = restoreBody.safeParse(text === "" ? {} : JSON.parse(text));
  if (parsed.success) return parsed.data.version;
  refuseInvalid({ success: false, target: "json", error: parsed.error });
  throw new Error("an invalid body was not refused");
}

function toVersionView(
  c: AppContext,
  id: string,
  entry: FileVersion,
): z.infer<typeof fileVersionsSchema>["data"][number] {
  return {
    version: entry.version,
    is_current: entry.isCurrent,
    size: entry.size,
    content_type: entry.contentType,
    modified_at: new Date(entry.modifiedAt).toISOString(),
    mode: formatMode(entry.mode),
    url: `${getFileUrl(c, id, entry.path)}?version=${entry.version}`,
  };
}
