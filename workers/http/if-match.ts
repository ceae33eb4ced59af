/** `If-Match` for versioned resources: refuses a change that was based on another version. */
import { z } from "zod";
import { raise } from "../../core/base/errors.ts";

/** The header, for a route's declaration. */
export const ifMatchHeader = z.object({
  "if-match": z.string().optional().describe('A version from `ETag`, e.g. `"3"`.'),
});

export function formatEtag({ version }: { readonly version: number }): string {
  return `"${version}"`;
}

/** Returns the version that If-Match requires; null for none, and for `*`, which every version fulfils. */
export function readIfVersion(header: string | undefined): number | null {
  if (header === undefined || header.trim() === "*") return null;
  const version = /^\s*"(\d{1,9})"\s*$/.exec(header)?.[1];
  if (version === undefined)
    raise("invalid_input", 'If-Match: send one version as ETag wrote it, e.g. "3"', { field: "If-Match" });
  return Number(version);
}
