/** Where things are in the bucket, and what their objects are called. Every prefix ends in `/`. */

/** A sandbox: a task tree's, or a project's. */
export type SandboxPlace =
  | { readonly kind: "tree"; readonly tenant: string; readonly rootId: string }
  | { readonly kind: "project"; readonly tenant: string; readonly project: string };

/** The name of the sandbox's object. */
export function sandboxName(place: SandboxPlace): string {
  return place.kind === "tree"
    ? `${place.tenant}/tree/${place.rootId}`
    : `${place.tenant}/project/${encodeURIComponent(place.project)}`;
}

/** The tenant whose sandbox has this name. */
export function tenantOfSandbox(name: string): string {
  return name.slice(0, name.indexOf("/"));
}

/** The name of the sandbox's object whose bytes, or large results, stand under a key of the bucket; null: no sandbox's do. */
export function sandboxNameOf(key: string): string | null {
  const [tenant, kind, id] = key.split("/", 3);
  return kind === "tree" || kind === "project" ? `${tenant}/${kind}/${id}` : null;
}

/** The prefix of everything that the sandbox has in the bucket. */
export function sandboxPrefix(place: SandboxPlace): string {
  return `${sandboxName(place)}/`;
}

/** The key of a file's bytes. `hash` is SHA-256 in hex. */
export function blobKey(place: SandboxPlace, hash: string): string {
  return `${sandboxPrefix(place)}blobs/${hash}`;
}
