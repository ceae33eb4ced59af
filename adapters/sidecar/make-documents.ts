/** Makes documents by the sidecar: one job each, with its images and template as files. */
import { z } from "zod";
import type { DocumentMaker, ImageToPlace, MakeRequest } from "../../core/documents/make.ts";
import { MAX_MADE_BYTES } from "../../core/documents/make.ts";
import { failed, ok } from "../../core/base/errors.ts";
import { type JobFile, runJob } from "./run-job.ts";
import type { Sidecar } from "./sidecar.ts";
import { toStream } from "../../core/base/byte-stream.ts";

/** Waiting for a place, and the engines' own 30 seconds each. */
const TIMEOUT_MS = 60_000;
const TEMPLATE = "template";
const AGAIN_AFTER_MS = 1_000;

const bodySchema = z.object({ warnings: z.array(z.string()) });

/** `sidecar` null: there is none, and calls answer `not_available`. */
export function openDocumentMaker(sidecar: Sidecar | null, tenant: string): DocumentMaker {
  return {
    async make(request) {
      const { order, files } = orderOf(request);
      const done = await runJob(sidecar, {
        kind: "document-make",
        tenant,
        order,
        files,
        timeoutMs: TIMEOUT_MS,
        limits: { files: 1, bytes: MAX_MADE_BYTES },
        signal: request.signal,
      });
      if (!done.ok) return done;
      const body = bodySchema.safeParse(done.value.body).data;
      if (body === undefined) return failed("upstream_failed", "The sidecar answered with what is no document.");
      try {
        for await (const { bytes } of done.value.files) return ok({ bytes, warnings: body.warnings });
      } catch {
        return lost();
      }
      return lost();
    },
  };
}

function lost() {
  return failed("upstream_failed", "The connection to the sidecar was lost before the document was there.", {
    retryAfterMs: AGAIN_AFTER_MS,
  });
}

function orderOf({ document, images, template, nowMs }: MakeRequest) {
  const files: JobFile[] = [];
  const add = (path: string, bytes: Uint8Array) => {
    files.push({ path, size: bytes.length, open: async () => ok(toStream(bytes)) });
    return path;
  };
  const order = {
    document,
    images: images.map((image: ImageToPlace, index) =>
      "why" in image
        ? { path: image.path, why: image.why }
        : { path: image.path, file: add(`image-${index + 1}`, image.bytes) },
    ),
    template: template === null ? null : add(TEMPLATE, template),
    now_ms: nowMs,
  };
  return { order, files };
}
