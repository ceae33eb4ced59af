/** The canonical form of the paths that models, documents and agents write: the only place that changes a path. */

/**
 * Returns the canonical form of a path that a caller wrote, without checking it: in NFC, without `.` segments, doubled
 * and trailing slashes. A leading `/`, `/workspace/` or `sandbox:/` is the root of the sandbox, which is "". Idempotent.
 */
export function canonicalisePath(raw: string): string {
  const path = raw.normalize("NFC");
  const isScheme = path.startsWith(`${SCHEME}/`);
  const segments = (isScheme ? path.slice(SCHEME.length) : path).split("/").filter((one) => one !== "" && one !== ".");
  const rest = dropScheme(segments);
  const isRooted = isScheme || path.startsWith("/") || rest.length < segments.length;
  return dropScheme(isRooted && rest[0] === "workspace" ? rest.slice(1) : rest).join("/");
}

const SCHEME = "sandbox:";

/** Drops leading schemes: the canonical form must not read as a scheme again (`./sandbox:/a` is `a`). */
function dropScheme(segments: readonly string[]): readonly string[] {
  const first = segments.findIndex((one, at) => one !== SCHEME || at === segments.length - 1);
  return segments.slice(Math.max(0, first));
}
