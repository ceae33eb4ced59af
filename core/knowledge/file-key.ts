/** Where the bucket has the files of a document's version. */

/** Returns the key of a file. `folder`: that of the version (`DocumentVersion.files`). `name`: SHA-256 in hex. */
export function getKnowledgeKey(tenant: string, folder: string, name: string): string {
  return `${tenant}/knowledge/${folder}/${name}`;
}
