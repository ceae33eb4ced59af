/** The argument that names a document to read, and which files that may be. */
import { z } from "zod";
import { type Failure, failed, type Result } from "../../core/base/errors.ts";
import { checkExtension, judgePath } from "../../core/sandbox/path.ts";
import type { SandboxRules } from "../../core/sandbox/rules.ts";

export const documentPath = z.string().describe("In the sandbox, e.g. inbox/report.docx");

/**
 * Extensions that an agent without its own list may read. The content decides the format, also of the old ones (doc, xls, ppt, msg):
 * a refusal says what to save them as.
 */
const DOCUMENT_EXTENSIONS =
  "pdf docx docm odt rtf epub html htm xhtml pptx pptm xlsx xlsm ods eml ipynb csv tsv md markdown txt text json log png jpg jpeg gif webp bmp tif tiff svg heic avif doc xls ppt msg".split(
    " ",
  );

/** The path of a document, when the agent's rules admit it. */
export function judgeDocument(raw: string, rules: SandboxRules): Result<string> {
  const judged = judgePath(raw, rules, "read");
  if (!judged.ok) return judged;
  const listed = checkExtension(judged.value, rules);
  if (!listed.ok) return listed;
  const extension = /\.([^./]+)$/.exec(judged.value)?.[1]?.toLowerCase() ?? "";
  if (rules.extensions !== null || DOCUMENT_EXTENSIONS.includes(extension)) return judged;
  const known = DOCUMENT_EXTENSIONS.map((one) => `.${one}`).join(", ");
  return failed("unsupported_media", `${judged.value} is no document that can be read. Known are: ${known}`, {
    field: "path",
  });
}

/** A failure about the document that the argument names. */
export function aboutDocument(error: Failure): Failure {
  return { ...error, field: "path" };
}
