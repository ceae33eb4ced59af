/** Keys of the bucket and names of sandbox objects. Every prefix ends in `/`. */

/** A sandbox: that of a task tree or a project. */
export type SandboxOwner =
  | { readonly kind: "tree"; readonly tenant: string; readonly rootId: string }
  | { readonly kind: "project"; readonly tenant: string; readonly project: string };

/** The name of the sandbox's object. */
export function getSandboxName(place: SandboxOwner): string {
  return place.kind === "tree"
    ? `${place.tenant}/tree/${place.rootId}`
    : `${place.tenant}/project/${encodeURIComponent(place.project)}`;
}

/** The tenant of the sandbox with this name. */
export function getSandboxTenant(name: string): string {
  return name.slice(0, name.indexOf("/"));
}

/** The name of the sandbox whose bytes or large results have this key; null for other keys. */
export function parseSandboxName(key: string): string | null {
  const [tenant, kind, id] = key.split("/", 3);
  return kind === "tree" || kind === "project" ? `${tenant}/${kind}/${id}` : null;
}

/** The prefix of everything of a sandbox in the bucket. */
export function getSandboxPrefix(place: SandboxOwner): string {
  return `${getSandboxName(place)}/`;
}

/** The key of a file's bytes. `hash` is SHA-256 in hex. */
export function getBlobKey(place: SandboxOwner, hash: string): string {
  return `${getSandboxPrefix(place)}blobs/${hash}`;
}
