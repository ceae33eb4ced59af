/**
 * The files of a task's sandbox. The path of a file is all that stands after `/files/`, decoded once. The rules of the
 * agent's sandbox bind the agent, not the caller; the form of a path is judged for both alike.
 */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { filesFromEnv } from "../../adapters/from-env.ts";
import { OttoError, raise } from "../../core/errors.ts";
import type { FileEntry, FilesPort } from "../../core/ports.ts";
import { judgeForm } from "../../core/sandbox/path.ts";
import type { TaskFacts } from "../../core/task-state.ts";
import { answers, withKey } from "../answers.ts";
import { pageOf, sandboxFileSchema, writtenFileSchema } from "../api-schemas.ts";
import type { App, AppContext } from "../context.ts";
import { readCounted } from "../counted-body.ts";
import { fileHeaders, entityTag } from "../file-headers.ts";
import { listFiles } from "../list-files.ts";
import { requireScope } from "../middleware/require-scope.ts";
import { fileUrl, optionalQuery, readTask, refuseEnded, taskParams, unwrap } from "../task-access.ts";

/** Bytes of one file. */
const MAX_FILE_BYTES = 52_428_800;
const DEFAULT_FILES = 100;
const MAX_FILES = 1000;
/** How Hono writes a path whose last part holds slashes; the document writes `{path}`. */
const FILE_ROUTE = "/v1/tasks/:id/files/:path{[^]+}";

const shared = { tags: ["Files"], ...withKey };
const pathParams = taskParams.extend({
  path: z.string().describe("The file's path in the sandbox; it may hold slashes"),
});

const list = createRoute({
  ...shared,
  method: "get",
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

const download = createRoute({
  ...shared,
  method: "get",
  path: "/v1/tasks/{id}/files/{path}",
  summary: "Download a file",
  description: "The `ETag` is the SHA-256 of the bytes; `If-None-Match` is honoured.",
  request: { params: pathParams },
  responses: answers(
    {
      200: { description: "The bytes.", other: ["application/octet-stream"] },
      304: { description: "The file is the one you have." },
    },
    [404, 422],
  ),
});

const upload = createRoute({
  ...shared,
  method: "put",
  path: "/v1/tasks/{id}/files/{path}",
  summary: "Put a file into a task's sandbox",
  description:
    "At most 50 MB. `If-None-Match: *` writes only a new file, `If-Match: <etag>` only over that version; otherwise 409. A task that has ended takes no files.",
  request: {
    params: pathParams,
    body: { required: true, content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } } },
  },
  responses: answers(
    {
      200: { description: "The file was replaced.", json: writtenFileSchema },
      201: { description: "The file was made.", json: writtenFileSchema },
    },
    [404, 409, 413, 422],
  ),
});

export function taskFileRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const { id } = c.req.valid("param");
    const { path = "", limit = DEFAULT_FILES, cursor } = c.req.valid("query");
    const facts = await readTask(c, id, (stub) => stub.facts());
    const top = path === "" ? "" : unwrap(judgeForm(path));
    const page = unwrap(await listFiles(filesFromEnv(c.env, facts), top, cursor ?? null, limit));
    const data = page.files.map((file) => ({
      path: file.path,
      size: file.size,
      modified_at: new Date(file.modifiedAt).toISOString(),
      url: fileUrl(c, id, file.path),
    }));
    return c.json({ data, next_cursor: page.next });
  });

  app.openAPIRegistry.registerPath(download);
  app.get(FILE_ROUTE, requireScope("tasks:read"), async (c) => {
    const { files, path } = await openFile(c);
    const found = unwrap(await files.stat(path));
    const headers = fileHeaders(found);
    if (matches(c.req.header("if-none-match"), found)) return c.body(null, 304, headers);
    if (c.req.method === "HEAD") return c.body(null, 200, { ...headers, "content-length": String(found.size) });
    const { entry, stream } = unwrap(await files.open(path));
    return new Response(stream.pipeThrough(new FixedLengthStream(entry.size)), { headers: fileHeaders(entry) });
  });

  app.openAPIRegistry.registerPath(upload);
  app.put(FILE_ROUTE, requireScope("tasks:write"), async (c) => {
    const { files, path, id } = await openFile(c);
    const contentType = contentTypeOf(c);
    refuseEnded(await readTask(c, id, (stub) => stub.view()));
    const bytes = await readCounted(c.req.raw, MAX_FILE_BYTES);
    if (bytes === null) raise("too_large", `A file has at most ${MAX_FILE_BYTES} bytes.`, { field: "body" });
    // Again, as the upload may have taken its time: a task that ended or was erased meanwhile takes no file.
    refuseEnded(await readTask(c, id, (stub) => stub.view()));
    const ifVersion = await versionCondition(c, files, path);
    const options = {
      key: c.get("requestId"),
      ...(ifVersion === null ? {} : { ifVersion }),
      ...(contentType === null ? {} : { contentType }),
    };
    const entry = unwrap(await files.write(path, bytes, options));
    const body = {
      path: entry.path,
      size: entry.size,
      content_type: entry.contentType,
      modified_at: new Date(entry.modifiedAt).toISOString(),
      url: fileUrl(c, id, entry.path),
    };
    return c.json(body, entry.version === 1 ? 201 : 200, { etag: entityTag(entry) });
  });
}

/** The sandbox of the task in the URL, and the path in it. */
async function openFile(c: AppContext): Promise<{ files: FilesPort; path: string; id: string }> {
  const id = c.req.param("id") ?? "";
  const facts: TaskFacts = await readTask(c, id, (stub) => stub.facts());
  return { files: filesFromEnv(c.env, facts), path: unwrap(judgeForm(rawPath(c))), id };
}

/** What stands after `/files/`, decoded once from the URL as it came. */
function rawPath(c: AppContext): string {
  const { pathname } = new URL(c.req.url);
  const encoded = pathname.replace(/^\/v1\/tasks\/[^/]+\/files\//, "");
  try {
    return decodeURIComponent(encoded);
  } catch {
    return raise("invalid_input", "path: is not valid percent-encoded UTF-8", { field: "path" });
  }
}

function contentTypeOf(c: AppContext): string | null {
  const type = c.req.header("content-type") ?? "";
  if (type === "") return null;
  if (type.length > 200 || !/^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w.+-]+=(?:[\w.+-]+|"[^"\\\r\n]*"))*$/.test(type)) {
    raise("unsupported_media", "Content-Type: is not a media type", { field: "content-type" });
  }
  return type;
}

/** The version that a conditional write is bound to; null for one without conditions. */
async function versionCondition(c: AppContext, files: FilesPort, path: string): Promise<number | null> {
  if (c.req.header("if-none-match") === "*") return 0;
  const wanted = c.req.header("if-match");
  if (wanted === undefined) return null;
  const found = await files.stat(path);
  if (!found.ok && found.error.code !== "not_found") throw new OttoError(found.error);
  if (!found.ok || !matches(wanted, found.value))
    return raise("conflict", "The file is not the version in If-Match.", { field: "If-Match" });
  return found.value.version;
}

function matches(header: string | undefined, entry: FileEntry): boolean {
  if (header === undefined) return false;
  return header.trim() === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === entityTag(entry));
}
