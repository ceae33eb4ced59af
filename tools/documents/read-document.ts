import { z } from "zod";
import { MAX_DOCUMENT_BYTES } from "../../core/ports/documents.ts";
import { formatMissingPermission } from "../../core/gateway/envelope.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { isReadable } from "../../core/sandbox/file-mode.ts";
import { defineTool, failure, failWith } from "../define-tool.ts";
import { aboutDocument, documentPath, judgeDocument } from "./document-files.ts";
import { judgeImagesFolder, referTo, writeImages } from "./document-images.ts";
import { parsePages } from "./page-range.ts";

export default defineTool({
  name: "read_document",
  summary:
    "Read documents as Markdown: PDF, DOCX, PPTX, XLSX, ODT, ODS, RTF, EPUB, HTML, CSV, EML, IPYNB, up to 50 MB. Of a picture only kind, size and description; no OCR.",
  toolbox: "documents",
  category: "documents",
  permissions: ["read"],
  security: "safe",
  effect: (given) => (given.images_folder === undefined ? "none" : "keyed"),
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files", "documents"],
  refersTo: { path: "read", images_folder: "write" },
  timeoutMs: 120_000,
  input: z.object({
    path: documentPath,
    pages: z.string().optional().describe('Of a PDF, e.g. "3" or "1-5"; default: all'),
    images_folder: z.string().optional().describe("Where to write its pictures; needs write. Default: only name them"),
  }),
  output: z.object({
    content: z.string().describe("Markdown"),
    path: z.string(),
    format: z.string(),
    title: z.string().nullable(),
    pages: z.int().nullable(),
    slides: z.int().nullable(),
    sheets: z.int().nullable(),
    images: z.array(
      z.object({
        name: z.string(),
        path: z.string().nullable(),
        content_type: z.string(),
        size: z.int().describe("Bytes"),
      }),
    ),
    warnings: z.array(z.string()),
  }),
  async run(given, { files, documents, sandbox, permissions, key, signal }) {
    const path = judgeDocument(given.path, sandbox);
    if (!path.ok) return failWith(path.error);
    const pages = parsePages(given.pages);
    if (!pages.ok) return failWith(pages.error);
    const wantsImages = given.images_folder !== undefined;
    if (wantsImages && !permissions.includes("write"))
      return failure("permission_denied", formatMissingPermission("write", permissions), { field: "images_folder" });
    const folder = judgeImagesFolder(given.images_folder ?? null, sandbox);
    if (!folder.ok) return failWith(folder.error);
    const found = await files.stat(path.value);
    if (!found.ok) return failWith(aboutDocument(found.error));
    const { size, path: at, version, hash: sha256 } = found.value;
    if (!isReadable(found.value)) return failure("permission_denied", `Permission denied: ${at}`, { field: "path" });
    if (size > MAX_DOCUMENT_BYTES) {
      const message = `File too large: ${size} bytes (at most ${MAX_DOCUMENT_BYTES})`;
      return failure("too_large", message, { field: "path" });
    }
    const open = async () => {
      const opened = await files.open(at, version);
      return opened.ok ? { ok: true as const, value: opened.value.stream } : opened;
    };
    const read = await documents.read({
      name: at,
      size,
      sha256,
      open,
      pages: pages.value,
      withImages: wantsImages,
      signal,
    });
    if (!read.ok) return failWith(aboutDocument(read.error));
    const { markdown, kind, title, units, images, imageFiles, warnings } = read.value;
    const written = await writeImages(imageFiles, folder.value, { files, key });
    if (!written.ok) return failWith({ ...written.error, field: "images_folder" });
    const paths = written.value;
    const count = (name: string) => (units?.name === name ? units.total : null);
    return {
      content: referTo(markdown, paths),
      path: at,
      format: kind,
      title,
      pages: count("pages"),
      slides: count("slides"),
      sheets: count("sheets"),
      images: images.map((image) => ({
        name: image.name,
        path: paths.get(image.name) ?? null,
        content_type: image.contentType,
        size: image.size,
      })),
      warnings,
    };
  },
  show: ({ content, warnings }) => [...warnings.map((warning) => `Note: ${warning}`), content].join("\n\n"),
  examples: [{ note: "a report that a person sent", given: { path: "inbox/report.docx" } }],
});
