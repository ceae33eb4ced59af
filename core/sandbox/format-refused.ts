/** The files that a program changed and that were not saved, as the model reads them: one line for each folder. */
import type { RefusedFile } from "./working-copy.ts";

/** Lines of one answer. */
const MAX_LINES = 20;

/** Formats one line for each folder and reason; a single file has its own. */
export function formatRefused(refused: readonly RefusedFile[]): string[] {
  const groups = new Map<string, { readonly why: string; readonly paths: string[] }>();
  for (const { path, why } of refused) {
    const reason = why.replaceAll(path, "").replace(/[\s:]+$/, "");
    const top = path.includes("/") ? path.slice(0, path.indexOf("/")) : path;
    const key = `${top}\n${reason}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { why: reason, paths: [path] });
    else group.paths.push(path);
  }
  const lines = Array.from(groups.values(), ({ why, paths: [first = "", ...others] }) =>
    others.length === 0
      ? `${first}: ${why}`
      : `${findFolder([first, ...others])}/ (${others.length + 1} files): ${why}`,
  );
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `… and ${more} more lines`] : lines;
}

/** Returns the deepest folder that holds all paths, which share their first segment. */
function findFolder(paths: readonly string[]): string {
  let common = (paths[0] ?? "").split("/").slice(0, -1);
  for (const path of paths) {
    const segments = path.split("/").slice(0, -1);
    const at = common.findIndex((segment, index) => segment !== segments[index]);
    if (at >= 0) common = common.slice(0, at);
  }
  return common.join("/");
}
