/** What the tools that make documents share: where a document goes, what goes into it, and what they tell of it. */
import { z } from "zod";
import { findImageReferences } from "../../core/documents/image-references.ts";
import {
  type DocumentToMake,
  type ImageToPlace,
  MAX_IMAGE_BYTES,
  MAX_IMAGES,
  MAX_IMAGES_BYTES,
  MAX_TEMPLATE_BYTES,
  type MadeFormat,
} from "../../core/documents/make.ts";
import { type Failure, failed, ok, type Result } from "../../core/base/errors.ts";
import { checkExtension, judgePath } from "../../core/sandbox/path.ts";
import type { ToolContext } from "../../core/tool/tool.ts";
import { failWith } from "../define-tool.ts";

/** Waiting for a place, reading what goes in, and the 30 seconds that the work itself may take. */
export const MAKE_TIMEOUT_MS = 90_000;
/** The template of document 000: taken when none is named. In the sandbox, else in the project's shared folder. */
const USUAL_TEMPLATES: Readonly<Partial<Record<MadeFormat, readonly string[]>>> = {
  docx: ["word.docx", "project/word.docx"],
};

/** Other names of the arguments of a tool that makes a document. */
export const MADE_ALIASES = { markdown: "content", markdown_content: "content" } as const;

export const madePath = z.string().describe("File to make, e.g. reports/q3; the ending may be missing");

export const templatePath = z.string().optional().describe("File whose styles are taken, e.g. project/brand.docx");

/** What an agent's `tool_config` may set of a tool that takes a template. */
export const templateSettings = z.object({
  template: z.string().min(1).max(1_024).optional().describe("Taken where a call names no template"),
});

/** What every tool that makes a document gives back. */
export const madeFile = z.object({
  filename: z.string(),
  format: z.enum(["docx", "pdf", "pptx", "xlsx"]),
  size_kb: z.number(),
  download_url: z.string().describe("Path of the API to download it from"),
  warnings: z.array(z.string()).describe("What of the content is not in the document"),
});
export type MadeFile = z.infer<typeof madeFile>;

export function showMade({ filename, format, size_kb, warnings }: MadeFile): string {
  return [`Made ${filename} (${format}, ${size_kb} KB).`, ...warnings].join("\n");
}

/** What is made, where from, and by which arguments a failure names them. */
export interface Wanted {
  readonly path: string;
  readonly document: DocumentToMake;
  readonly template?: string | undefined;
  /** The argument with the content. */
  readonly field: string;
}

type Context = ToolContext<"files" | "documents">;

/** Makes the document and writes it into the sandbox: what such a tool gives back. */
export async function makeFile(wanted: Wanted, context: Context) {
  const made = await makeAndWrite(wanted, context);
  return made.ok ? made.value : failWith(made.error);
}

async function makeAndWrite(wanted: Wanted, context: Context): Promise<Result<MadeFile>> {
  const { document, field } = wanted;
  const path = judgeMadePath(wanted, context);
  if (!path.ok) return path;
  const images = await imagesFor(document, context, field);
  if (!images.ok) return images;
  const template = await templateFor(wanted, context);
  if (!template.ok) return template;
  const { nowMs, signal } = context;
  const made = await context.documents.make({
    document,
    images: images.value,
    template: template.value,
    nowMs,
    signal,
  });
  if (!made.ok) return made;
  const written = await context.files.write(path.value, made.value.bytes, { key: context.key });
  if (!written.ok) return about(written.error, "path");
  const { path: filename, size } = written.value;
  const address = filename.split("/").map(encodeURIComponent).join("/");
  return ok({
    filename,
    format: document.format,
    size_kb: Math.round((size / 1_024) * 10) / 10,
    download_url: `/v1/tasks/${context.rootTask}/files/${address}`,
    warnings: [...made.value.warnings],
  });
}

function about(error: Failure, field: string): Result<never> {
  return { ok: false, error: { ...error, field } };
}

/** A name without an ending gets that of its format; another one's ending is refused. */
function judgeMadePath({ path: filename, document: { format } }: Wanted, { sandbox }: Context): Result<string> {
  const name = filename.slice(filename.lastIndexOf("/") + 1);
  const ending = /\.([A-Za-z][A-Za-z0-9]{1,4})$/.exec(name)?.[1]?.toLowerCase();
  const isOther = ending !== undefined && ending !== format && KNOWN_ENDINGS.has(ending);
  if (isOther) return failed("invalid_input", `path: ends in .${ending}, and a .${format} is made`, { field: "path" });
  const whole = ending === format ? filename : `${filename}.${format}`;
  const judged = judgePath(whole, sandbox, "write");
  if (!judged.ok) return judged;
  const listed = checkExtension(judged.value, sandbox);
  return listed.ok ? judged : listed;
}

/** Endings that say what a file is. Another one, as in `v1.final`, is part of the name. */
const KNOWN_ENDINGS: ReadonlySet<string> = new Set(
  "csv doc docm docx dotx gif htm html jpeg jpg json md odp ods odt pdf png potx ppt pptm pptx rtf svg tsv txt xls xlsm xlsx xml yaml yml zip".split(
    " ",
  ),
);

/** Reads the images that the content names. A slide's image must exist; a text's missing image is reported. */
async function imagesFor(
  document: DocumentToMake,
  context: Context,
  field: string,
): Promise<Result<readonly ImageToPlace[]>> {
  const named = slideImages(document);
  const paths = named ?? findImageReferences(markdownOf(document));
  const images: ImageToPlace[] = [];
  let count = 0;
  let left = MAX_IMAGES_BYTES;
  for (const path of paths) {
    const read = await readImage(path, context, Math.min(left, MAX_IMAGE_BYTES));
    if (!read.ok && named !== null)
      return failed(read.error.code, `The image ${path}: ${read.error.message}`, { field });
    if (read.ok && (count += 1) > MAX_IMAGES) {
      return failed("too_large", `A document holds ${MAX_IMAGES} images at most.`, { field });
    }
    left -= read.ok ? read.value.length : 0;
    images.push(read.ok ? { path, bytes: read.value } : { path, why: whyNot(read.error) });
  }
  return ok(images);
}

async function readImage(path: string, { files, sandbox }: Context, maxBytes: number): Promise<Result<Uint8Array>> {
  const judged = judgePath(path, sandbox, "read");
  if (!judged.ok) return judged;
  const read = await files.read(judged.value, maxBytes);
  return read.ok ? ok(read.value.bytes) : read;
}

function whyNot({ code }: Failure): string {
  if (code === "not_found") return "there is no such file in the sandbox";
  if (code === "too_large")
    return `images have ${MAX_IMAGE_BYTES / 1_048_576} MB at most, all together ${MAX_IMAGES_BYTES / 1_048_576} MB`;
  return code === "sandbox_denied" || code === "invalid_input"
    ? "the sandbox does not allow its path"
    : "it could not be read";
}

function markdownOf(document: DocumentToMake): string {
  if ("markdown" in document) return document.markdown;
  // A workbook of tables holds no images.
  return document.format === "pptx" && "markdown" in document.content ? document.content.markdown : "";
}

function slideImages(document: DocumentToMake): readonly string[] | null {
  if (document.format !== "pptx" || !("slides" in document.content)) return null;
  return [...new Set(document.content.slides.flatMap(({ image }) => (image === undefined ? [] : [image])))];
}

/** The template of the call, else of the agent's settings, else the default one if it exists. */
async function templateFor(
  { template, document: { format } }: Wanted,
  context: Context,
): Promise<Result<Uint8Array | null>> {
  const configured = context.config["template"];
  const named = template ?? (typeof configured === "string" ? configured : undefined);
  if (named !== undefined) return await readTemplate(named, format, context);
  for (const usual of USUAL_TEMPLATES[format] ?? []) {
    const read = await readTemplate(usual, format, context);
    const isAbsent = !read.ok && (read.error.code === "not_found" || read.error.code === "sandbox_denied");
    if (!isAbsent) return read;
  }
  return ok(null);
}

async function readTemplate(
  path: string,
  format: MadeFormat,
  { files, sandbox }: Context,
): Promise<Result<Uint8Array>> {
  if (!path.toLowerCase().endsWith(`.${format}`))
    return failed("invalid_input", `template: a ${format} takes the styles of a .${format}`, { field: "template" });
  const judged = judgePath(path, sandbox, "read", "template");
  if (!judged.ok) return judged;
  const read = await files.read(judged.value, MAX_TEMPLATE_BYTES);
  return read.ok ? ok(read.value.bytes) : about(read.error, "template");
}
