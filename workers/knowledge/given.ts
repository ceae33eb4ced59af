/** The document of a request: a form with a file, or JSON that names an address, a file of a task, or a text. */
import { z } from "zod";
import { filesFromEnv } from "../../adapters/env/files.ts";
import { documentUrlFromEnv } from "../../adapters/env/web.ts";
import { failed, raise } from "../../core/base/errors.ts";
import type { DocumentSource } from "../../core/knowledge/document.ts";
import { type MemoryLabel, tagSchema, tagsSchema, toMemoryLabel } from "../../core/memory/memory.ts";
import { MAX_DOCUMENT_BYTES } from "../../core/ports/documents.ts";
import { OUTSIDE, TENANT } from "../../core/provenance/label.ts";
import { judgeForm } from "../../core/sandbox/path.ts";
import { projectSchema } from "../../core/task/new-task.ts";
import { checkTask } from "../../core/tenant/key-bounds.ts";
import type { AppContext } from "../http/context.ts";
import { getBounds } from "../http/middleware/key-bounds.ts";
import { readForm } from "../http/form.ts";
import { unwrap } from "../http/unwrap.ts";
import { refuseInvalid } from "../http/validation.ts";
import { readTask } from "../tasks/access.ts";

const MAX_NAME_CHARACTERS = 255;
const MAX_TITLE_CHARACTERS = 300;
const MAX_URL_CHARACTERS = 2_000;
const MAX_TEXT_CHARACTERS = 900_000;

const name = z
  .string()
  .min(1)
  .max(MAX_NAME_CHARACTERS)
  .regex(/^[^/\\\p{Cc}]+$/u, "must be a name without slashes and control characters")
  .describe("Its extension distinguishes text formats.");
const title = z.string().trim().min(1).max(MAX_TITLE_CHARACTERS).describe("Absent: the document's own title.");
const shared = { title: title.optional(), tags: tagsSchema.optional() };
const sources = {
  url: z
    .url({ protocol: /^https?$/ })
    .max(MAX_URL_CHARACTERS)
    .optional()
    .describe("A public address"),
  task_id: z.string().optional(),
  path: z.string().max(1024).optional().describe("A file of the task"),
  text: z.string().min(1).max(MAX_TEXT_CHARACTERS).optional().describe("Markdown"),
  filename: name.optional(),
};

const isOneSource = (given: { url?: unknown; task_id?: unknown; path?: unknown; text?: unknown }) =>
  [given.url, given.task_id, given.text].filter((one) => one !== undefined).length === 1 &&
  (given.task_id === undefined) === (given.path === undefined);
const ONE_SOURCE = { error: "must have exactly one of url, text, and task_id with path", path: ["url"] };

export const newDocumentSchema = z
  .strictObject({ ...sources, ...shared, project: projectSchema.nullable().optional() })
  .refine(isOneSource, ONE_SOURCE)
  .meta({ id: "NewDocumentInput" });
export const documentChangeSchema = z
  .strictObject({ ...sources, ...shared })
  .refine(isOneSource, ONE_SOURCE)
  .meta({ id: "DocumentInput" });

/** The fields of a form, as text. */
const formSchema = z.strictObject({
  title: title.optional(),
  tags: z
    .string()
    .optional()
    .transform((text) =>
      text
        ?.split(",")
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ""),
    )
    .pipe(z.array(tagSchema).max(20).optional()),
  project: projectSchema.optional(),
});

export interface GivenDocument {
  readonly source: DocumentSource;
  /** Null for an address. */
  readonly bytes: Uint8Array | null;
  readonly filename: string;
  readonly label: MemoryLabel;
  readonly title: string | null;
  readonly tags: readonly string[] | null;
  readonly project: string | null;
}

type JsonInput = z.infer<typeof newDocumentSchema>;

/** True for a form with a file. */
export function isForm(c: AppContext): boolean {
  return /^multipart\/form-data\s*;/i.test(c.req.header("content-type") ?? "");
}

/** Reads a form: one part `file`, and the fields `title`, `tags` (separated by commas) and `project`. */
export function readGivenForm(c: AppContext): GivenDocument {
  const body = c.get("bodyBytes") ?? new Uint8Array();
  const parts = unwrap(readForm(c.req.header("content-type") ?? "", body));
  const files = parts.filter(({ filename }) => filename !== null);
  const [file] = files;
  if (file === undefined || files.length > 1)
    return raise("invalid_input", "file: send exactly one file as the part `file`.", { field: "file" });
  const texts = parts.filter(({ filename }) => filename === null);
  const decoder = new TextDecoder();
  const fields = formSchema.safeParse(Object.fromEntries(texts.map((part) => [part.name, decoder.decode(part.bytes)])));
  const filename = name.safeParse((file.filename ?? "").replace(/^.*[/\\]/, ""));
  if (!fields.success) return refuse(fields.error);
  if (!filename.success) return refuse(filename.error);
  const { title: given = null, tags = null, project = null } = fields.data;
  const bytes = checkSize(file.bytes);
  return {
    title: given,
    tags,
    project,
    bytes,
    label: TENANT,
    filename: filename.data,
    source: { kind: "upload" },
  };
}

function refuse(error: z.ZodError): never {
  refuseInvalid({ success: false, target: "form", error });
  throw error;
}

/** Reads what JSON names. A file of a task is copied, because it may change. */
export async function readGivenJson(c: AppContext, given: JsonInput): Promise<GivenDocument> {
  const { title: titled = null, tags = null, project = null } = given;
  const words = { title: titled, tags, project };
  if (given.url !== undefined) return { ...words, ...readAddress(c, given.url, given.filename) };
  if (given.text !== undefined) {
    const filename = given.filename ?? "text.md";
    const bytes = new TextEncoder().encode(given.text);
    return { ...words, source: { kind: "text" }, bytes, filename, label: TENANT };
  }
  return { ...words, ...(await readTaskFile(c, given.task_id ?? "", given.path ?? "", given.filename)) };
}

type Given = Pick<GivenDocument, "source" | "bytes" | "filename" | "label">;

/** The resolved address is checked when it is fetched. */
function readAddress(c: AppContext, url: string, filename: string | undefined): Given {
  // A name of a secret in the address would be filled in by the module of requests.
  if (url.includes("{{")) raise("invalid_input", "url: may not name a secret", { field: "url" });
  const checked = unwrap(documentUrlFromEnv(c.env, url));
  const own = name.safeParse(new URL(checked).pathname.split("/").at(-1));
  return {
    source: { kind: "url", url: checked },
    bytes: null,
    filename: filename ?? (own.success ? own.data : new URL(checked).hostname),
    label: OUTSIDE,
  };
}

async function readTaskFile(c: AppContext, task: string, path: string, filename: string | undefined): Promise<Given> {
  const facts = await readTask(c, task, (stub) => stub.facts());
  unwrap(checkTask(getBounds(c), facts));
  const formed = unwrap(judgeForm(path));
  const { entry, bytes } = unwrap(await filesFromEnv(c.env, facts).read(formed, MAX_DOCUMENT_BYTES));
  const label = toMemoryLabel(entry.label ?? OUTSIDE);
  const own = formed.split("/").at(-1) ?? formed;
  return { source: { kind: "file", task, path: formed }, bytes, filename: filename ?? own, label };
}

function checkSize(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= MAX_DOCUMENT_BYTES) return bytes;
  return unwrap(
    failed("too_large", `The document is larger than ${MAX_DOCUMENT_BYTES / 1024 ** 2} MB.`, { field: "file" }),
  );
}
