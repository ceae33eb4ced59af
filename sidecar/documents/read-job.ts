/** The job that reads a document. One file goes in; the Markdown comes back, and the pictures where they were asked for. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { type DocumentFacts, MAX_DOCUMENT_BYTES } from "../../core/ports/documents.ts";
import { defineJob, failJob, type JobOutcome, type ReadyJobKind } from "../jobs/job.ts";
import type { FoundImage } from "./images.ts";
import { type Converters, readDocument } from "./read.ts";

/** A process of half a gigabyte may stand behind each. */
const AT_ONCE = 3;
const MAX_IMAGE_BYTES = 50 * 1024 * 1024;

const readOrder = z.strictObject({
  pages: z.strictObject({ first: z.int().min(1), last: z.int().min(1) }).nullable(),
  with_images: z.boolean(),
});

/** Makes the kind of job; `converters` are those of `readDocument` when they are left out. */
export function readJobKind(converters?: Converters): ReadyJobKind {
  return defineJob({
    name: "document-read",
    atOnce: AT_ONCE,
    maxBytes: MAX_DOCUMENT_BYTES,
    maxFiles: 1,
    order: readOrder,
    async run({ order, folder, files, signal }): Promise<JobOutcome> {
      const [file] = files;
      if (file === undefined) return { ok: false, code: "invalid_input", message: "There is no document to read." };
      const bytes = await readFile(join(folder, "in", file.path));
      const name = basename(file.path);
      const asked = { name, pages: order.pages, withImages: order.with_images, signal };
      const read = await readDocument(bytes, asked, converters);
      if (!read.ok) return failJob(read.error);
      const { markdown, images, kind, title, units, warnings } = read.value;
      const text = { path: "document.md", from: join(folder, "document.md") };
      await writeFile(text.from, markdown);
      const kept = order.with_images ? await writeImages(images, folder) : [];
      const facts: DocumentFacts = {
        kind,
        title,
        units,
        images: images.map(({ name: own, contentType, size }) => ({ name: own, contentType, size })),
        warnings: kept.length < images.length && order.with_images ? [...warnings, TOO_MANY_BYTES] : [...warnings],
      };
      return { ok: true, body: facts, files: [text, ...kept] };
    },
  });
}

const TOO_MANY_BYTES = `Pictures beyond ${MAX_IMAGE_BYTES / 1024 ** 2} MB were left out.`;

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
