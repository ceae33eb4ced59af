/** The job `document-read` converts one file to Markdown, with its pictures if requested. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { type DocumentFacts, MAX_DOCUMENT_BYTES } from "../../core/ports/documents.ts";
import { defineJob, failJob, type JobOutcome, type CheckedJobKind } from "../jobs/job.ts";
import type { FoundImage } from "./images.ts";
import { type Converters, readDocument } from "./read.ts";

/** Each may need a process of half a gigabyte. */
const MAX_CONCURRENT = 3;
const MAX_IMAGE_BYTES = 50 * 1024 * 1024;

const readOrderSchema = z.strictObject({
  pages: z.strictObject({ first: z.int().min(1), last: z.int().min(1) }).nullable(),
  with_images: z.boolean(),
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
      const readOrder = { name, pages: order.pages, withImages: order.with_images, signal };
      const read = await readDocument(bytes, readOrder, converters);
      if (!read.ok) return failJob(read.error);
      const { markdown, images, kind, title, units, warnings } = read.value;
      const text = { path: "document.md", from: join(folder, "document.md") };
      await writeFile(text.from, markdown);
      const writtenImages = order.with_images ? await writeImages(images, folder) : [];
      const facts: DocumentFacts = {
        kind,
        title,
        units,
        images: images.map(({ name: own, contentType, size }) => ({ name: own, contentType, size })),
        warnings:
          writtenImages.length < images.length && order.with_images ? [...warnings, TOO_MANY_BYTES] : [...warnings],
      };
      return { ok: true, body: facts, files: [text, ...writtenImages] };
    },
  });
}

const TOO_MANY_BYTES = `Pictures beyond ${MAX_IMAGE_BYTES / 1024 ** 2} MB were omitted.`;

async function writeImages(images: readonly FoundImage[], folder: string): Promise<{ path: string; from: string }[]> {
  const into = join(folder, "images");
  await mkdir(into);
  const written: { path: string; from: string }[] = [];
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
