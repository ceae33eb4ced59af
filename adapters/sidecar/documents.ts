/** Reads and makes documents through the sidecar. */
import { z } from "zod";
import { parseJson } from "../../core/base/parse-json.ts";
import { asNotSent, failed, ok, type Result } from "../../core/base/errors.ts";
import { type CutPiece, cutPieceSchema } from "../../core/documents/cut-piece.ts";
import {
  documentFacts,
  type DocumentImage,
  type DocumentRead,
  type DocumentsPort,
  type DocumentToRead,
  MAX_DOCUMENT_BYTES,
} from "../../core/ports/documents.ts";
import { openDocumentMaker } from "./make-documents.ts";
import { type ReturnedFile, runJob } from "./run-job.ts";
import type { Sidecar } from "./sidecar.ts";

/** Includes checking, waiting for a converter, and its 30 seconds. */
const READ_TIMEOUT_MS = 60_000;
const LIMITS = { files: 202, bytes: 120 * 1024 * 1024 };
const MARKDOWN = "document.md";
const PIECES = "pieces.json";
const piecesSchema = z.array(cutPieceSchema);
const IMAGES = "images/";
const MAX_NAME_CHARACTERS = 100;
const RETRY_AFTER_MS = 1_000;

/** `sidecar` is null if none is configured; every call then fails. */
export function openDocuments(sidecar: Sidecar | null, tenant: string): DocumentsPort {
  const maker = openDocumentMaker(sidecar, tenant);
  return {
    read: async (document) => markNotSent(await readBySidecar(sidecar, tenant, document)),
    make: async (request) => markNotSent(await maker.make(request)),
  };
}

/** Marks every failure as without effect, since converting a document changes nothing. */
function markNotSent<T>(result: Result<T>): Result<T> {
  if (result.ok) return result;
  const { error } = result;
  return asNotSent(error);
}

async function readBySidecar(
  sidecar: Sidecar | null,
  tenant: string,
  document: DocumentToRead,
): Promise<Result<DocumentRead>> {
  const { name, size, pages, withImages, withPieces = false, signal } = document;
  if (size > MAX_DOCUMENT_BYTES)
    return failed("too_large", `File too large: ${size} bytes (at most ${MAX_DOCUMENT_BYTES})`);
  const reply = await runJob(sidecar, {
    kind: "document-read",
    tenant,
    // A sidecar of an earlier release does not know the last field.
    order: { pages, with_images: withImages, ...(withPieces && { with_pieces: true }) },
    files: [{ path: makeFileName(name), size, sha256: document.sha256, open: () => document.open() }],
    timeoutMs: READ_TIMEOUT_MS,
    limits: LIMITS,
    signal,
  });
  if (!reply.ok) return reply;
  const facts = documentFacts.safeParse(reply.value.body);
  const files = reply.value.files[Symbol.asyncIterator]();
  const first = await files.next().catch(() => null);
  if (first === null)
    return failed("upstream_failed", "The connection to the sidecar was lost.", { retryAfterMs: RETRY_AFTER_MS });
  if (!facts.success || first.done === true || first.value.path !== MARKDOWN)
    return failed("upstream_failed", "The sidecar's answer is not a document.");
  const markdown = new TextDecoder().decode(first.value.bytes);
  const pieces = withPieces ? await readPieces(files) : ok([]);
  if (!pieces.ok) return pieces;
  // Read the reply to its end to release its connection.
  if (!withImages) await files.next().catch(() => null);
  return ok({ ...facts.data, markdown, pieces: pieces.value, imageFiles: readImages(files) });
}

async function readPieces(files: AsyncIterator<ReturnedFile>): Promise<Result<readonly CutPiece[]>> {
  const next = await files.next().catch(() => null);
  const isPieces = next !== null && next.done !== true && next.value.path === PIECES;
  const read = isPieces ? piecesSchema.safeParse(parseJson(new TextDecoder().decode(next.value.bytes))) : null;
  if (read?.success === true) return ok(read.data);
  return failed("upstream_failed", "The sidecar's answer has no pieces of the document.", {
    retryAfterMs: RETRY_AFTER_MS,
  });
}

/** Keeps the extension, which distinguishes text formats. */
function makeFileName(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]/g, "-").slice(-MAX_NAME_CHARACTERS);
  return `document${plain.includes(".") ? plain.slice(plain.lastIndexOf(".")) : ""}`;
}

async function* readImages(files: AsyncIterator<ReturnedFile>): AsyncGenerator<DocumentImage> {
  for (let next = await files.next(); next.done !== true; next = await files.next()) {
    const { path, bytes } = next.value;
    if (path.startsWith(IMAGES)) yield { name: path.slice(IMAGES.length), bytes };
  }
}
