/** Makes documents through the sidecar: one job each, with images and template as files. */
import { z } from "zod";
import type { DocumentMaker, ImageToPlace, MakeRequest } from "../../core/documents/make.ts";
import { MAX_MADE_BYTES } from "../../core/documents/make.ts";
import { failed, ok } from "../../core/base/errors.ts";
import { type JobFile, runJob } from "./run-job.ts";
import type { Sidecar } from "./sidecar.ts";
import { toStream } from "../../core/base/byte-stream.ts";

/** Includes waiting for a slot, and the engines' 30 seconds. */
const TIMEOUT_MS = 60_000;
const TEMPLATE = "template";
const RETRY_AFTER_MS = 1_000;

const bodySchema = z.object({ warnings: z.array(z.string()) });

/** `sidecar` is null if none is configured; calls then answer `not_available`. */
export function openDocumentMaker(sidecar: Sidecar | null, tenant: string): DocumentMaker {
  return {
    async make(request) {
      const { order, files } = buildOrder(request);
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
      if (body === undefined) return failed("upstream_failed", "The sidecar's answer is not a document.");
      try {
        for await (const { bytes } of done.value.files) return ok({ bytes, warnings: body.warnings });
      } catch {
        return failLost();
      }
      return failLost();
    },
  };
}

function failLost() {
  return failed("upstream_failed", "The connection to the sidecar was lost before the document arrived.", {
    retryAfterMs: RETRY_AFTER_MS,
  });
}

function buildOrder({ document, images, template, nowMs }: MakeRequest) {
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
