/** The job `document-make`: takes the document as data and its images and template as files, and returns one file. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { documentSchema, MAX_IMAGES, MAX_IMAGES_BYTES, MAX_TEMPLATE_BYTES } from "../../../core/documents/make.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import { defineJob, failJob, type Job, type JobOutcome, type CheckedJobKind } from "../../jobs/job.ts";
import { startBudget } from "../budget.ts";
import { checkDocument } from "../check.ts";
import { writeZip } from "../zip.ts";
import { limitEngines } from "./engines.ts";
import { type Engines, makeDocument } from "./make-document.ts";
import { MAKERS } from "./makers.ts";

/** An image's path and its file, or the reason for its absence. */
const imageSchema = z.strictObject({ path: z.string(), file: z.string().optional(), why: z.string().optional() });

const orderSchema = z.strictObject({
  document: documentSchema,
  images: z.array(imageSchema),
  /** The name of the template's file. Null without a template. */
  template: z.string().nullable(),
  now_ms: z.int(),
});
type Order = z.infer<typeof orderSchema>;

const MADE = "made";

/** Defines the kind of job. */
export function defineMakeJob(engines: Engines): CheckedJobKind {
  return defineJob<Order>({
    name: "document-make",
    maxConcurrent: MAKERS,
    maxBytes: MAX_IMAGES_BYTES + MAX_TEMPLATE_BYTES,
    maxFiles: MAX_IMAGES + 1,
    order: orderSchema,
    run: async (job) => await runJob(job, engines),
  });
}

async function runJob(job: Job<Order>, engines: Engines): Promise<JobOutcome> {
  const { order, signal, folder } = job;
  const limited = limitEngines(startBudget(), engines);
  const template = await readTemplate(job);
  if (!template.ok) return failJob(template.error);
  const images = await readImages(job);
  const { document, now_ms: nowMs } = order;
  const made = await makeDocument({ document, images, template: template.value, nowMs, signal }, limited);
  if (!made.ok) return failJob(made.error);
  const from = join(folder, MADE);
  await writeFile(from, made.value.bytes);
  return { ok: true, body: { warnings: made.value.warnings }, files: [{ path: `${MADE}.${document.format}`, from }] };
}

async function readImages({ order, folder }: Job<Order>): Promise<ReadonlyMap<string, Uint8Array | string>> {
  const images = new Map<string, Uint8Array | string>();
  for (const { path, file, why = "" } of order.images)
    images.set(path, file === undefined ? why : await readFile(join(folder, "in", file)));
  return images;
}

/** Checks the template like a document to read, and rewrites its archive. */
async function readTemplate({ order: { template, document }, folder }: Job<Order>): Promise<Result<Uint8Array | null>> {
  if (template === null) return ok(null);
  const bytes = await readFile(join(folder, "in", template));
  const checked = await checkDocument(bytes, template);
  if (!checked.ok) return failed(checked.error.code, `The template: ${checked.error.message}`, { field: "template" });
  const { kind, entries } = checked.value;
  if (kind !== document.format)
    return failed("unsupported_media", `The template is a ${kind}, but the document is a ${document.format}.`, {
      field: "template",
    });
  return ok(writeZip(entries, () => false));
}
