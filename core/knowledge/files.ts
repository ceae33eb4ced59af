/** Where the files of a version are in the bucket, besides those that have the name of their hash (`file-key.ts`). */
import { getKnowledgeKey } from "./file-key.ts";

/** The prefix of the files of one version; it ends in `/`. `folder`: `DocumentVersion.files`. */
export function getVersionPrefix(tenant: string, folder: string): string {
  return getKnowledgeKey(tenant, folder, "");
}

/** The key of the Markdown to which the offsets of a version's pieces refer. */
export function getMarkdownKey(tenant: string, folder: string): string {
  return getKnowledgeKey(tenant, folder, "markdown");
}

/** The folder of a new version. `token`: the same for a repeat of the request, and of no other. */
export function toVersionFolder(document: string, token: string): string {
  return `${document}-${token}`;
}
