/** Where the pictures of a document go, and how its Markdown refers to them there. */
import type { DocumentImage } from "../../core/ports/documents.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { FilesPort } from "../../core/ports/files.ts";
import { judgePath } from "../../core/sandbox/path.ts";
import type { SandboxRules } from "../../core/sandbox/rules.ts";

/** What stands before the place is not looked at: a label may be as long as the text. */
const MARKDOWN_IMAGE = /(\]\()([A-Za-z0-9._-]+)/g;
const HTML_IMAGE = /(<img src=")([A-Za-z0-9._-]+)/g;

/** Null: the pictures are not wanted. */
export function judgeImagesFolder(raw: string | null, rules: SandboxRules): Result<string | null> {
  return raw === null ? ok(null) : judgePath(raw, rules, "write", "images_folder");
}

/** Writes pictures as they come, and tells where each is. `folder` null: nowhere. */
export async function writeImages(
  images: AsyncIterable<DocumentImage>,
  folder: string | null,
  { files, key }: { readonly files: Pick<FilesPort, "write">; readonly key: string },
): Promise<Result<ReadonlyMap<string, string>>> {
  const paths = new Map<string, string>();
  if (folder === null) return ok(paths);
  try {
    for await (const { name, bytes } of images) {
      const written = await files.write(`${folder}/${name}`, bytes, { key: `${key}/${name}` });
      if (!written.ok) return written;
      paths.set(name, written.value.path);
    }
  } catch {
    return failed("upstream_failed", "The connection was lost while the pictures came. Try again.");
  }
  return ok(paths);
}

/** `paths`: where the pictures stand, by the names that the Markdown has for them. */
export function referTo(markdown: string, paths: ReadonlyMap<string, string>): string {
  if (paths.size === 0) return markdown;
  const placed = (_whole: string, before: string, name: string) => before + addressOf(paths.get(name) ?? name);
  return markdown.replaceAll(MARKDOWN_IMAGE, placed).replaceAll(HTML_IMAGE, placed);
}

/** As it may stand between the parentheses of a Markdown link. */
function addressOf(path: string): string {
  return path.replaceAll(/[\s()<>"]/g, encodeURIComponent);
}
