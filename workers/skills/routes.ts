/**
 * Skills: packages of instructions and scripts in the Agent Skills format. Uploads are stored by the hash of their
 * content. Tasks keep the version that they started with.
 */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { raise } from "../../core/base/errors.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import { getContentType } from "../../core/sandbox/content-type.ts";
import { judgeForm } from "../../core/sandbox/path.ts";
import { getSkillInstructions } from "../../core/skills/skill.ts";
import { answers, withKey } from "../http/answers.ts";
import { pageOf } from "../http/schemas.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { fileHeaders } from "../http/file-headers.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import {
  compareSkills,
  type FoundVersion,
  readSkillPackage,
  findCurrentSkill,
  getReport,
  findSkillVersion,
  listShippedSkills,
} from "./find-skill.ts";
import { changeSkill } from "./publish.ts";
import { UPLOAD_TYPES } from "./read-upload.ts";
import {
  differenceSchema,
  toDifferenceView,
  toFields,
  toFilesView,
  toNotesView,
  toOwnView,
  toReportView,
  toShippedView,
  toVersionView,
  skillDetailSchema,
  skillSchema,
  skillVersionSchema,
  uploadedSchema,
  verdictSchema,
  versionDetailSchema,
} from "./view.ts";
import { judgeUpload, restoreSkill, type Uploaded, uploadSkill } from "./upload.ts";
import { optionalQuery, pageQuery, readPageRequest } from "../http/list-query.ts";
import { getTenant } from "../http/principal.ts";
import { readSources } from "../http/tenant-facts.ts";
import { unwrap } from "../http/unwrap.ts";
import { REST_OF_PATH } from "../http/rest-of-path.ts";
import { refuseInvalid } from "../http/validation.ts";
import { listTools } from "../tools/tenant-tools.ts";
import { sha256Hex } from "../../core/base/sha256.ts";

const shared = { tags: ["Skills"], ...withKey };
const admin = requireScope("admin");
const binary = { schema: { type: "string", format: "binary" } } as const;
const body = { required: true, content: Object.fromEntries(UPLOAD_TYPES.map((type) => [type, binary])) };
const params = z.object({ name: z.string().describe("The skill's name") });
const which = z.string().describe("A version's number, or its hash");
const versionParams = params.extend({ version: which });
const uploadQuery = z.strictObject({
  same_skill: optionalQuery(z.enum(["true", "false"]).meta({ id: "BooleanText" })).describe(
    "`true`: it is the next version of the present skill of its name, whichever publisher made that.",
  ),
});
const fileQuery = z.strictObject({ version: optionalQuery(z.string().max(64)) });

const upload = createRoute({
  ...shared,
  method: "post",
  operationId: "skills.upload",
  path: "/v1/skills",
  summary: "Upload a skill",
  description:
    "A ZIP archive (`application/zip`), the files of a folder (`multipart/form-data`: a part for each, its path as file name), or a single SKILL.md (`text/markdown`). At most 10 MB, 200 files, and 100 KB of SKILL.md. Uploading the same content again changes nothing. Running tasks keep their version. 409 if the skill's tool would have the name of another tool, or if the present skill of that name is of another publisher (another author or license): then `same_skill=true` says that the upload is its next version.",
  middleware: [admin],
  request: { query: uploadQuery, body },
  responses: answers(
    {
      200: {
        description: "It exists already, or an earlier version is current again.",
        json: uploadedSchema,
      },
      201: { description: "It was created, or has a new version.", json: uploadedSchema },
    },
    [409, 413, 415, 422],
  ),
});

const validate = createRoute({
  ...shared,
  method: "post",
  operationId: "skills.validate",
  path: "/v1/skills/validate",
  summary: "Validate a skill without saving it",
  description: "Accepts the body of an upload. Nothing is stored.",
  request: { body },
  responses: answers({ 200: { description: "The findings.", json: verdictSchema } }, [413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "skills.list",
  path: "/v1/skills",
  summary: "List skills, newest first, then those shipped with Otto",
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of skills.", json: pageOf(skillSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "skills.get",
  path: "/v1/skills/{name}",
  summary: "Show a skill: its instructions, files and findings",
  request: { params },
  responses: answers({ 200: { description: "The skill.", json: skillDetailSchema } }, [404]),
});

const restore = createRoute({
  ...shared,
  method: "put",
  operationId: "skills.setVersion",
  path: "/v1/skills/{name}",
  summary: "Restore a version of a skill",
  description: "New tasks use it.",
  middleware: [admin],
  request: {
    params,
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z
            .strictObject({
              version: z.union([z.int().min(1).max(999_999_999), z.string().regex(/^[0-9a-f]{64}$/, "is not a hash")]),
            })
            .meta({ id: "SkillVersionInput" }),
        },
      },
    },
  },
  responses: answers({ 200: { description: "The skill.", json: uploadedSchema } }, [404, 409, 413, 415, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "skills.delete",
  path: "/v1/skills/{name}",
  summary: "Delete a skill with all its versions",
  description: "Running tasks keep it. A skill of the same name that is shipped with Otto becomes available again.",
  middleware: [admin],
  request: { params },
  responses: answers({ 200: { description: "The deleted skill.", json: skillSchema } }, [404, 409]),
});

const versions = createRoute({
  ...shared,
  method: "get",
  operationId: "skills.listVersions",
  path: "/v1/skills/{name}/versions",
  summary: "List the versions of a skill, newest first",
  request: { params, query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of versions.", json: pageOf(skillVersionSchema) } }, [404, 422]),
});

const version = createRoute({
  ...shared,
  method: "get",
  operationId: "skills.getVersion",
  path: "/v1/skills/{name}/versions/{version}",
  summary: "Show a version of a skill",
  request: { params: versionParams },
  responses: answers({ 200: { description: "The version.", json: versionDetailSchema } }, [404]),
});

const difference = createRoute({
  ...shared,
  method: "get",
  operationId: "skills.diff",
  path: "/v1/skills/{name}/versions/{version}/difference/{other}",
  summary: "Compare the permissions of two versions of a skill",
  description: "Lists the changes from the first to the second.",
  request: { params: versionParams.extend({ other: which }) },
  responses: answers({ 200: { description: "The difference.", json: differenceSchema } }, [404]),
});

const file = createRoute({
  ...shared,
  method: "get",
  operationId: "skills.downloadFile",
  path: "/v1/skills/{name}/files/{path}",
  summary: "Download a file of a skill",
  request: {
    params: params.extend({ path: z.string().describe("The file's path in the package; it may contain slashes") }),
    query: fileQuery,
  },
  responses: answers({ 200: { description: "The bytes.", other: ["*/*"] } }, [404, 422]),
});

export function skillRoutes(app: App): void {
  app.openAPIRegistry.registerPath(upload);
  app.post(upload.path, admin, async (c) => {
    const query = uploadQuery.safeParse(c.req.query());
    if (!query.success) refuseInvalid({ success: false, target: "query", error: query.error });
    const isSameSkill = query.data?.same_skill === "true";
    const uploaded = await uploadSkill(c, await listTools(c, await readSources(c)), { isSameSkill });
    const isNew = uploaded.outcome === "created" || uploaded.outcome === "updated";
    const headers = { location: `/v1/skills/${uploaded.record.name}` };
    return c.json(toUploadedView(uploaded), isNew ? 201 : 200, headers);
  });

  app.openAPIRegistry.registerPath(validate);
  app.post(validate.path, async (c) => {
    const {
      skill,
      report,
      difference: from,
      question,
    } = await judgeUpload(c, await listTools(c, await readSources(c)));
    return c.json(
      {
        valid: report.problems.length === 0,
        skill: skill === null ? null : toFields(skill),
        problems: toNotesView(report.problems),
        ...toReportView(report),
        difference: from === null ? null : toDifferenceView(from),
        question,
      },
      200,
    );
  });

  app.openapi(list, async (c) => {
    const { after, limit } = readPageRequest(c.req.valid("query"));
    const own = unwrap(await databaseFromEnv(c.env).skills.page(getTenant(c), { after, limit }));
    if (own.next !== null) return c.json({ data: own.items.map(toOwnView), next_cursor: writeCursor(own.next) }, 200);
    // Shipped skills have no creation time, so they follow all others.
    const shipped = await listShippedSkills(c);
    const rest = after?.at === 0 ? shipped.filter(({ skill }) => skill.slug < after.id) : shipped;
    const room = rest.slice(0, limit - own.items.length);
    const last = room.at(-1)?.skill.slug ?? (after?.at === 0 ? after.id : AFTER_OWN_SKILLS);
    const data = [...own.items.map(toOwnView), ...room.map(({ skill }) => toShippedView(skill))];
    return c.json({ data, next_cursor: room.length < rest.length ? writeCursor({ at: 0, id: last }) : null }, 200);
  });

  app.openapi(show, async (c) => {
    const { name } = c.req.valid("param");
    const present = await findCurrentSkill(c, name);
    const found: FoundVersion =
      "record" in present
        ? { skill: present.record.current.skill, kept: present.record.current }
        : { skill: present.shipped.skill, kept: null };
    const skill = "record" in present ? toOwnView(present.record) : toShippedView(present.shipped.skill);
    return c.json({ ...skill, ...(await formatContent(c, found)) }, 200);
  });

  app.openapi(restore, async (c) => {
    const present = await findCurrentSkill(c, c.req.valid("param").name);
    if ("shipped" in present) return refuseShipped(present.shipped.skill.name);
    return c.json(toUploadedView(await restoreSkill(c, present.record, c.req.valid("json").version)), 200);
  });

  app.openapi(remove, async (c) => {
    const present = await findCurrentSkill(c, c.req.valid("param").name);
    if ("shipped" in present) return refuseShipped(present.shipped.skill.name);
    const { name } = present.record;
    unwrap(await changeSkill(c, { kind: "remove", name }, await createAuditEntry(c, "skill.delete", name)));
    return c.json(toOwnView(present.record), 200);
  });

  app.openapi(versions, async (c) => {
    const present = await findCurrentSkill(c, c.req.valid("param").name);
    const request = readPageRequest(c.req.valid("query"));
    if ("shipped" in present) {
      const { skill } = present.shipped;
      return c.json(
        { data: request.after === null ? [toVersionView(skill, null, skill.hash)] : [], next_cursor: null },
        200,
      );
    }
    const { name, current } = present.record;
    const { items, next } = unwrap(await databaseFromEnv(c.env).skills.versions(getTenant(c), name, request));
    const data = items.map((kept) => toVersionView(kept.skill, kept, current.skill.hash));
    return c.json({ data, next_cursor: next === null ? null : writeCursor(next) }, 200);
  });

  app.openapi(version, async (c) => {
    const { name, version: wanted } = c.req.valid("param");
    const found = await findSkillVersion(c, name, wanted);
    const { skill: current } = await findSkillVersion(c, name, undefined);
    return c.json({ ...toVersionView(found.skill, found.kept, current.hash), ...(await formatContent(c, found)) }, 200);
  });

  app.openapi(difference, async (c) => {
    const { name, version: first, other } = c.req.valid("param");
    const [before, after] = [await findSkillVersion(c, name, first), await findSkillVersion(c, name, other)];
    const opened = await Promise.all([readSkillPackage(c, before.skill), readSkillPackage(c, after.skill)]);
    const from = await compareSkills(
      { skill: before.skill, opened: opened[0] },
      { skill: after.skill, opened: opened[1] },
    );
    return c.json(toDifferenceView(from), 200);
  });

  app.openAPIRegistry.registerPath(file);
  app.get(`/v1/skills/:name/files/${REST_OF_PATH}`, async (c) => {
    const parsed = fileQuery.safeParse(c.req.query());
    if (!parsed.success) refuseInvalid({ success: false, target: "query", error: parsed.error });
    const { skill, kept } = await findSkillVersion(c, c.req.param("name"), parsed.data?.version);
    const path = readFilePath(c);
    const bytes = unwrap((await readSkillPackage(c, skill)).read(path));
    const headers = fileHeaders({
      path,
      size: bytes.length,
      hash: await sha256Hex(bytes),
      contentType: getContentType(path),
      modifiedAt: kept?.createdAt ?? 0,
      version: kept?.version ?? 1,
      mode: 0o644,
    });
    if (c.req.header("if-none-match") === headers["etag"]) return c.body(null, 304, headers);
    return c.body(bytes as Uint8Array<ArrayBuffer>, 200, headers);
  });
}

/** Sorts after every slug: the position before the first shipped skill. */
const AFTER_OWN_SKILLS = "zzzz";

/** Returns the path after `/files/`, decoded once from the raw URL. */
function readFilePath(c: AppContext): string {
  const [, , , , , ...encoded] = new URL(c.req.url).pathname.split("/");
  let path: string;
  try {
    path = decodeURIComponent(encoded.join("/"));
  } catch {
    return raise("invalid_input", "path: is not valid percent-encoded UTF-8", { field: "path" });
  }
  return unwrap(judgeForm(path));
}

async function formatContent(c: AppContext, found: FoundVersion) {
  const opened = await readSkillPackage(c, found.skill);
  const files = await toFilesView(opened);
  return { instructions: getSkillInstructions(opened.text), files, ...toReportView(getReport(found)) };
}

function toUploadedView({ record, outcome, report, difference: from }: Uploaded) {
  const difference = from === null ? null : toDifferenceView(from);
  return { skill: toOwnView(record), outcome, ...toReportView(report), difference };
}

function refuseShipped(name: string): never {
  const message = `${name} is shipped with Otto. Upload a skill of this name to override it.`;
  return raise("conflict", message, { field: "name" });
}
