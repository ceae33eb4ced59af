/** A fake reader and maker of documents. It reads text as it is, and detects PDF, DOCX and archives by their first bytes only. */
import {
  DOCUMENT_KINDS,
  type DocumentRead,
  type DocumentsPort,
  type DocumentToRead,
  MAX_DOCUMENT_BYTES,
} from "../../core/ports/documents.ts";
import type { MadeDocument, MakeRequest } from "../../core/documents/make.ts";
import type { CutPiece } from "../../core/documents/cut-piece.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
const PICTURE = { name: "image1.png", contentType: "image/png", size: PNG.length };

/** A document has a picture if its text contains the line `![](image1.png)`. */
export function fakeDocuments(): DocumentsPort {
  return { read: readInMemory, make: makeInMemory };
}

/** Makes the order as JSON. Warns about images without bytes, as the real maker does. */
function makeInMemory({ document, images, template, nowMs, signal }: MakeRequest): Promise<Result<MadeDocument>> {
  if (signal.aborted) return Promise.resolve(failed("timeout", "It was cancelled."));
  const warnings = images.flatMap((image) =>
    "why" in image ? [`The image ${image.path} is not in the document: ${image.why}.`] : [],
  );
  const placed = images.flatMap((image) => ("bytes" in image ? [[image.path, image.bytes.length]] : []));
  const text = JSON.stringify({ document, placed, template: template?.length ?? null, nowMs });
  return Promise.resolve(ok({ bytes: new TextEncoder().encode(text), warnings }));
}

async function readInMemory(document: DocumentToRead): Promise<Result<DocumentRead>> {
  const { name, size, pages, withImages, withPieces = false, signal } = document;
  if (size > MAX_DOCUMENT_BYTES) return failed("too_large", `File too large: ${size} bytes`);
  if (signal.aborted) return failed("timeout", "It was cancelled.");
  const opened = await document.open();
  if (!opened.ok) return opened;
  const bytes = new Uint8Array(await new Response(opened.value).arrayBuffer());
  if (bytes.length === 0) return failed("invalid_input", "The document is empty.");
  if (bytes.includes(0)) return failed("unsupported_media", "This document cannot be read. PDF and DOCX can be read.");
  const text = new TextDecoder().decode(bytes);
  const extension = name.slice(name.lastIndexOf(".") + 1);
  const kind = extension === "md" ? "markdown" : (DOCUMENT_KINDS.find((one) => one === extension) ?? "text");
  const images = text.includes(`![](${PICTURE.name})`) ? [PICTURE] : [];
  const total = text.split("\f").length;
  const units =
    kind === "pdf"
      ? { name: "pages" as const, total, read: pages === null ? total : pages.last - pages.first + 1 }
      : null;
  const title = /^# (.*)$/m.exec(text)?.[1] ?? null;
  return ok({
    kind,
    title,
    units,
    images,
    warnings: [],
    markdown: text,
    pieces: withPieces ? cutParagraphs(text) : [],
    imageFiles: listImageFiles(withImages ? images : []),
  });
}

/** A piece for each paragraph, below the last heading before it. */
function cutParagraphs(markdown: string): CutPiece[] {
  let heading: string[] = [];
  return [...markdown.matchAll(/\S(?:(?!\n\n)[^])*/g)].flatMap(({ 0: paragraph, index: start }): CutPiece[] => {
    const text = paragraph.trimEnd();
    const place = { heading, page: null, start, end: start + text.length, text };
    if (text.startsWith("# ")) heading = [text.slice(2)];
    if (text.startsWith("# ")) return [];
    if (!text.includes(`](${PICTURE.name})`)) return [{ kind: "text", ...place }];
    return [{ kind: "image", ...place, text: "A picture", name: PICTURE.name, alt: null, caption: null, nearby: "" }];
  });
}

async function* listImageFiles(
  images: readonly { readonly name: string }[],
): AsyncGenerator<{ name: string; bytes: Uint8Array }> {
  for (const { name } of images) yield await Promise.resolve({ name, bytes: PNG });
}
