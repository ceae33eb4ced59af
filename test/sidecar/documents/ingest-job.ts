/** Reads and cuts a document as an ingest has the sidecar do it: by the job itself, with the processes that it starts. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { type CutPiece, cutPieceSchema } from "../../../core/documents/cut-piece.ts";
import { documentFacts } from "../../../core/ports/documents.ts";
import type { Converters } from "../../../sidecar/documents/read.ts";
import { defineReadJob } from "../../../sidecar/documents/read-job.ts";

/** `end`: `ready`, or the code of the failure, whose message is `message`. `images`: the names of the written pictures. */
export interface Ingested {
  readonly end: string;
  readonly message: string;
  readonly ms: number;
  readonly markdown: string;
  readonly pieces: readonly CutPiece[];
  readonly images: readonly string[];
  readonly warnings: readonly string[];
}

export async function ingest(
  name: string,
  bytes: Uint8Array,
  converters: Converters,
  withImages = true,
): Promise<Ingested> {
  const folder = await mkdtemp(join(tmpdir(), "otto-ingest-"));
  const startedAt = performance.now();
  try {
    await mkdir(join(folder, "in"));
    await writeFile(join(folder, "in", name), bytes);
    const outcome = await defineReadJob(converters).perform({
      tenant: "ten_1",
      order: { pages: null, with_images: withImages, with_pieces: true },
      folder,
      files: [{ path: name, size: bytes.length }],
      signal: new AbortController().signal,
    });
    const ms = performance.now() - startedAt;
    const nothing = { markdown: "", pieces: [], images: [], warnings: [] };
    if (!outcome.ok) return { end: outcome.code, message: outcome.message, ms, ...nothing };
    const { warnings } = documentFacts.parse(outcome.body);
    const read = async (path: string) => await readFile(join(folder, path), "utf8");
    const pieces = z.array(cutPieceSchema).parse(JSON.parse(await read("pieces.json")));
    const images = (outcome.files ?? []).flatMap(({ path }) => /^images\/(.*)$/.exec(path)?.[1] ?? []);
    return { end: "ready", message: "", ms, markdown: await read("document.md"), pieces, images, warnings };
  } finally {
    await rm(folder, { recursive: true });
  }
}
