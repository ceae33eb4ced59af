/** The job that renders a web page. Its one file is HTML in UTF-8; the reply has the facts, and the content as a file. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { PAGE_FORMATS } from "../../core/ports/pages.ts";
import { type CheckedJobKind, defineJob, failJob, type JobOutcome } from "../jobs/job.ts";
import { getPageRenderer, type PageRenderer } from "./page-renderer.ts";
import { MAX_PAGE_BYTES } from "./render-page.ts";

/** More than there are processes: others' files are read meanwhile. */
const MAX_CONCURRENT = 8;
const MAX_URL_CHARACTERS = 8_192;

const pageOrder = z.strictObject({
  format: z.enum(PAGE_FORMATS),
  url: z.string().max(MAX_URL_CHARACTERS),
});

/** Defines the kind of job. Tests replace the renderer. */
export function definePageJob(renderer: () => PageRenderer = getPageRenderer): CheckedJobKind {
  return defineJob({
    name: "page-render",
    maxConcurrent: MAX_CONCURRENT,
    maxBytes: MAX_PAGE_BYTES,
    maxFiles: 1,
    order: pageOrder,
    async run({ tenant, order, folder, files, signal }): Promise<JobOutcome> {
      const [file] = files;
      if (file === undefined) return { ok: false, code: "invalid_input", message: "There is no page to render." };
      const html = await readFile(join(folder, "in", file.path));
      const rendered = await renderer().render({ ...order, tenant, html, signal });
      if (!rendered.ok) return failJob(rendered.error);
      const { content, ...facts } = rendered.value;
      const from = join(folder, "content");
      await writeFile(from, content);
      return { ok: true, body: facts, files: [{ path: "content", from }] };
    },
  });
}
