/**
 * The files of a task's sandbox. A file's path is everything after `/files/`, decoded once. The rules of the agent's
 * sandbox apply to the agent and not to the caller; the form of a path is checked for both.
 */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { filesFromEnv } from "../../adapters/env/files.ts";
import { OttoError, raise } from "../../core/base/errors.ts";
import type { FileEntry, FilesPort } from "../../core/ports/files.ts";
import { DEFAULT_MODE } from "../../core/sandbox/file-mode.ts";
import { judgeForm } from "../../core/sandbox/path.ts";
import { OUTSIDE, TENANT } from "../../core/provenance/label.ts";
import { rateBody } from "../../core/tenant/cost-rates.ts";
import { answers, withKey } from "../http/answers.ts";
import { pageOf, removedFileSchema, sandboxFileSchema, writtenFileSchema } from "../http/schemas.ts";
import { chargeCost } from "../http/charge-cost.ts";
import type { App, AppContext } from "../http/context.ts";
import { readCounted } from "../http/counted-body.ts";
import { REST_OF_PATH } from "../http/rest-of-path.ts";
import { matchesTag, fileHeaders, getEntityTag } from "../http/file-headers.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getFileUrl } from "./view.ts";
import { optionalQuery } from "../http/list-query.ts";
import { readTask, refuseEnded, taskParams } from "./access.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { auditFile, getChangeKey, openTaskFile, toWrittenView, type TaskFile, readVersionCondition } from "./file.ts";
import { refuseInvalid } from "../http/validation.ts";

/** Bytes of one file. */
const MAX_FILE_BYTES = 52_428_800;
/** The version of content that is no longer stored. */
const NO_VERSION = 0;
const DEFAULT_FILES = 100;
const MAX_FILES = 1000;
const FILE_ROUTE = `/v1/tasks/:id/files/${REST_OF_PATH}`;

const shared = { tags: ["Files"], ...withKey };
const pathParams = taskParams.extend({
  path: z.string().describe("The file's path in the sandbox; it may contain slashes"),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "files.list",
  path: "/v1/tasks/{id}/files",
  summary: "List the files of a task's sandbox, by path",
  middleware: [requireScope("tasks:read")],
  request: {
    params: taskParams,
    query: z.strictObject({
      path: optionalQuery(z.string().max(1024)).describe("Only files inside this directory"),
      limit: optionalQuery(z.coerce.number().int().min(1).max(MAX_FILES)),
      cursor: optionalQuery(z.string().max(1500)),
    }),
  },
  responses: answers({ 200: { description: "A page of files.", json: pageOf(sandboxFileSchema) } }, [404, 422]),
});

const versionNumber = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, "is not a version")
  .transform(Number);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "is not a SHA-256 in hex");
const downloadQuery = z
  .strictObject({
    version: optionalQuery(versionNumber),
    sha256: optionalQuery(sha256).describe(
      "The content with this hash: a stored version, or content that the task attached",
    ),
  })
  .refine(({ version, sha256: hash }) => version === undefined || hash === undefined, {
    path: ["sha256"],
    message: "already names the content; omit `version`",
  });

const download = createRoute({
  ...shared,
  method: "get",
  operationId: "files.download",
  path: "/v1/tasks/{id}/files/{path}",
  summary: "Download a file",
  description:
    "The `ETag` is the SHA-256 of the bytes; `If-None-Match` is honoured. With `version`, an earlier one of `/file-versions/`; with `sha256`, content that the task attached.",
  request: { params: pathParams, query: downloadQuery },
  responses: answers(
    {
      200: { description: "The bytes.", other: ["*/*"] },
      304: { description: "Your copy is current." },
    },
    [404, 422],
  ),
});

const upload = createRoute({
  ...shared,
  method: "put",
  operationId: "files.upload",
  path: "/v1/tasks/{id}/files/{path}",
  summary: "Upload a file to a task's sandbox",
  description:
    "At most 50 MB. `If-None-Match: *` writes only a new file, `If-Match: <etag>` only over that version; otherwise 409. A task that has ended accepts no files.",
  request: {
    params: pathParams,
    body: { required: true, content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } } },
  },
  responses: answers(
    {
      200: { description: "The file was replaced.", json: writtenFileSchema },
      201: { description: "The file was created.", json: writtenFileSchema },
    },
    [404, 409, 413, 415, 422],
  ),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "files.delete",
  path: "/v1/tasks/{id}/files/{path}",
  summary: "Delete a file, or an empty directory",
  description:
    "Its versions stay, so it can be restored at `/file-versions/`. `If-Match: <etag>` deletes only that version; otherwise 409. The files of a task that has ended cannot be changed.",
  request: { params: pathParams },
  responses: answers({ 200: { description: "It was deleted.", json: removedFileSchema } }, [404, 409, 422]),
});

export function taskFileRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const { id } = c.req.valid("param");
    const { path = "", limit = DEFAULT_FILES, cursor } = c.req.valid("query");
    const facts = await readTask(c, id, (stub) => stub.facts());
    const top = path === "" ? "" : unwrap(judgeForm(path));
    const page = unwrap(await filesFromEnv(c.env, facts).walk(top, cursor ?? null, limit));
    const data = page.files.map((file) => ({
      path: file.path,
      size: file.size,
      modified_at: new Date(file.modifiedAt).toISOString(),
      url: getFileUrl(c, id, file.path),
    }));
    return c.json({ data, next_cursor: page.next }, 200);
  });

  app.openAPIRegistry.registerPath(download);
  app.get(FILE_ROUTE, requireScope("tasks:read"), async (c) => {
    const wanted = readDownloadQuery(c);
    const file = await openTaskFile(c, "files");
    const { files, path } = file;
    const found = await findContent(c, file, wanted);
    const headers = fileHeaders(found);
    if (matchesTag(c.req.header("if-none-match"), found)) return c.body(null, 304, headers);
    if (c.req.method === "HEAD") return c.body(null, 200, { ...headers, "content-length": String(found.size) });
    if (found.version === NO_VERSION) return new Response(unwrap(await files.readEntry(found)), { headers });
    const { entry, stream } = unwrap(
      await files.open(path, wanted.sha256 === undefined ? wanted.version : found.version),
    );
    return new Response(stream.pipeThrough(new FixedLengthStream(entry.size)), { headers: fileHeaders(entry) });
  });

  app.openAPIRegistry.registerPath(upload);
  app.put(FILE_ROUTE, requireScope("tasks:write"), async (c) => {
    const file = await openTaskFile(c, "files");
    const { files, path, id } = file;
    const contentType = readContentType(c);
    refuseEnded(await readTask(c, id, (stub) => stub.view()));
    const bytes = await readCounted(c.req.raw, MAX_FILE_BYTES);
    chargeCost(c.env, getTenant(c), rateBody("file", bytes?.byteLength ?? MAX_FILE_BYTES));
    if (bytes === null) raise("too_large", `A file has at most ${MAX_FILE_BYTES} bytes.`, { field: "body" });
    // Check again after a slow upload: a task that ended or was erased meanwhile accepts no file.
    refuseEnded(await readTask(c, id, (stub) => stub.view()));
    const ifVersion = await readVersionCondition(c, file);
    const options = {
      key: getChangeKey(c),
      // Another party may have written the document. Uploading it to the project's files declares it the project's record.
      label: file.isOfProject ? TENANT : OUTSIDE,
      isUploaded: true,
      ...(ifVersion === null ? {} : { ifVersion }),
      ...(contentType === null ? {} : { contentType }),
    };
    const entry = unwrap(await files.write(path, bytes, options));
    return c.json(toWrittenView(c, id, entry), entry.isNew ? 201 : 200, { etag: getEntityTag(entry) });
  });

  app.openAPIRegistry.registerPath(remove);
  app.delete(FILE_ROUTE, requireScope("tasks:write"), async (c) => {
    const file = await openTaskFile(c, "files");
    const { files, path, id } = file;
    refuseEnded(await readTask(c, id, (stub) => stub.view()));
    const ifVersion = await readVersionCondition(c, file);
    await requireEntry(files, path);
    await auditFile(c, "file.delete", file);
    const options = { key: getChangeKey(c), ...(ifVersion === null ? {} : { ifVersion }) };
    const { kind } = unwrap(await files.remove(path, options));
    return c.json({ path, kind }, 200);
  });
}

/** Fails with `not_found` if there is neither a file nor a directory. */
async function requireEntry(files: FilesPort, path: string): Promise<void> {
  const found = await files.stat(path);
  if (!found.ok && (found.error.code !== "not_found" || !(await files.list(path)).ok)) throw new OttoError(found.error);
}

/** Reads the query of a download, whose route has no schema. */
function readDownloadQuery(c: AppContext): z.infer<typeof downloadQuery> {
  const parsed = downloadQuery.safeParse(c.req.query());
  if (!parsed.success) refuseInvalid({ success: false, target: "query", error: parsed.error });
  return parsed.data ?? {};
}

/** Returns the current file, one at a version, or content with a hash. */
async function findContent(
  c: AppContext,
  { id, files, path }: TaskFile,
  { version, sha256: hash }: z.infer<typeof downloadQuery>,
): Promise<FileEntry> {
  if (version !== undefined) return await findVersion(files, path, version);
  if (hash === undefined) return unwrap(await files.stat(path));
  const known = await files.versions(path);
  const remembered = known.ok ? known.value.find((one) => one.hash === hash) : undefined;
  if (remembered !== undefined) return remembered;
  // The attached version may be older than every stored version.
  const { output, ended_at } = await readTask(c, id, (stub) => stub.view());
  const attached = output?.files.find((one) => one.path === path && one.sha256 === hash);
  if (attached === undefined) return raise("not_found", `${path} has no stored content with this hash.`);
  const { size, content_type: contentType } = attached;
  return {
    path,
    size,
    hash,
    contentType,
    modifiedAt: Date.parse(ended_at ?? ""),
    version: NO_VERSION,
    mode: DEFAULT_MODE,
  };
}

async function findVersion(files: FilesPort, path: string, version: number): Promise<FileEntry> {
  const known = unwrap(await files.versions(path));
  const found = known.find((one) => one.version === version);
  return found ?? raise("not_found", `The file has no stored version ${version}.`);
}

function readContentType(c: AppContext): string | null {
  const type = c.req.header("content-type") ?? "";
  if (type === "") return null;
  if (type.length > 200 || !/^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w.+-]+=(?:[\w.+-]+|"[^"\\\r\n]*"))*$/.test(type)) {
    raise("unsupported_media", "Content-Type: is not a media type", { field: "content-type" });
  }
  return type;
}
