/** Pages as a model writes them. */
import type { PageRange } from "../../core/ports/documents.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";

/** "3", "1-5"; null for all. */
export function parsePages(text: string | undefined): Result<PageRange | null> {
  if (text === undefined || text.trim() === "") return ok(null);
  const match = /^\s*(\d{1,6})\s*(?:[-–]\s*(\d{1,6})\s*)?$/.exec(text);
  const first = Number(match?.[1] ?? 0);
  const last = Number(match?.[2] ?? first);
  if (match !== null && first >= 1 && last >= first) return ok({ first, last });
  return failed("invalid_input", 'pages: a page or a range of pages, such as "3" or "1-5"', { field: "pages" });
}
