/** The job `document-read` converts one file to Markdown, with its pieces and pictures if requested. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { MAX_DOCUMENT_PIECES } from "../../core/knowledge/document.ts";
import { type DocumentFacts, MAX_DOCUMENT_BYTES } from "../../core/ports/documents.ts";
import { type Budget, startBudget } from "./budget.ts";
import { cutInProcess } from "./cut/cut-in-process.ts";
import { defineJob, failJob, type JobOutcome, type CheckedJobKind } from "../jobs/job.ts";
import type { FoundImage } from "./images.ts";
import { type Converters, type DocumentContent, readDocument } from "./read.ts";

/** Each may need a process of half a gigabyte. */
const MAX_CONCURRENT = 3;
const MAX_IMAGE_BYTES = 50 * 1024 * 1024;

const readOrderSchema = z.strictObject({
  pages: z.strictObject({ first: z.int().min(1), last: z.int().min(1) }).nullable(),
  with_images: z.boolean(),
  // An earlier release does not send it.
  with_pieces: z.boolean().default(false),
});

/** Defines the kind of job. Tests replace `converters`. */
export function defineReadJob(converters?: Converters): CheckedJobKind {
  return defineJob({
    name: "document-read",
    maxConcurrent: MAX_CONCURRENT,
    maxBytes: MAX_DOCUMENT_BYTES,
    maxFiles: 1,
    order: readOrderSchema,
    async run({ order, folder, files, signal }): Promise<JobOutcome> {
      const [file] = files;
      if (file === undefined) return { ok: false, code: "invalid_input", message: "The document is missing." };
      const bytes = await readFile(join(folder, "in", file.path));
      const name = basename(file.path);
      const budget = startBudget();
      const readOrder = { name, pages: order.pages, withImages: order.with_images, signal, budget };
      const read = await readDocument(bytes, readOrder, converters);
      if (!read.ok) return failJob(read.error);
      const { markdown, images, kind, title, units, warnings } = read.value;
      const text = { path: "document.md", from: join(folder, "document.md") };
      await writeFile(text.from, markdown);
      const pieces = order.with_pieces ? await writePieces(read.value, folder, signal, budget) : ok([]);
      if (!pieces.ok) return failJob(pieces.error);
      const writtenImages = order.with_images ? await writeImages(images, folder) : [];
      const facts: DocumentFacts = {
        kind,
        title,
        units,
        images: images.map(({ name: own, contentType, size }) => ({ name: own, contentType, size })),
        warnings:
          writtenImages.length < images.length && order.with_images ? [...warnings, TOO_MANY_BYTES] : [...warnings],
      };
      return { ok: true, body: facts, files: [text, ...pieces.value, ...writtenImages] };
    },
  });
}

const TOO_MANY_BYTES = `Pictures beyond ${MAX_IMAGE_BYTES / 1024 ** 2} MB were omitted.`;

interface WrittenFile {
  readonly path: string;
  readonly from: string;
}

/** Writes the pieces as JSON. A document with too many is rejected. */
async function writePieces(
  { markdown, kind, images }: DocumentContent,
  folder: string,
  signal: AbortSignal,
  budget: Budget,
): Promise<Result<WrittenFile[]>> {
  const cut = await cutInProcess(markdown, { kind, images: images.map(({ name }) => name) }, signal, budget);
  if (!cut.ok) return cut;
  const { json, count } = cut.value;
  if (count > MAX_DOCUMENT_PIECES) {
    const message = `The document has ${count} pieces (paragraphs, tables, formulas and pictures); the limit is ${MAX_DOCUMENT_PIECES}. Split it into several documents.`;
    return failed("too_large", message);
  }
  const from = join(folder, "pieces.json");
  await writeFile(from, json);
  return ok([{ path: "pieces.json", from }]);
}

async function writeImages(images: readonly FoundImage[], folder: string): Promise<WrittenFile[]> {
  const into = join(folder, "images");
  await mkdir(into);
  const written: WrittenFile[] = [];
  let bytes = 0;
  for (const image of images) {
    bytes += image.size;
    if (bytes > MAX_IMAGE_BYTES) break;
    const from = join(into, image.name);
    await writeFile(from, await image.bytes());
    written.push({ path: `images/${image.name}`, from });
  }
  return written;
}
