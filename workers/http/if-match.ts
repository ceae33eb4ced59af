/** `If-Match` on what has versions: a change that was thought out over another version is refused. */
import { z } from "zod";
import { raise } from "../../core/base/errors.ts";

/** The header, for a route's declaration. */
export const ifMatchHeader = z.object({
  "if-match": z.string().optional().describe('A version as `ETag` wrote it, e.g. `"3"`.'),
});

export function etagOf({ version }: { readonly version: number }): string {
  return `"${version}"`;
}

/** The version that If-Match asks for; null for none, and for `*`, which any version fulfils. */
export function ifVersionOf(header: string | undefined): number | null {
  if (header === undefined || header.trim() === "*") return null;
  const version = /^\s*"(\d{1,9})"\s*$/.exec(header)?.[1];
  if (version === undefined)
    raise("invalid_input", 'If-Match: send one version as ETag wrote it, e.g. "3"', { field: "If-Match" });
  return Number(version);
}
