/** The parameters of lists. */
import { raise } from "../../core/base/errors.ts";
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT, type PageRequest, readCursor } from "../../core/base/page-cursor.ts";
import { z } from "zod";

/** An optional parameter of a query. Empty means absent. */
export function optionalQuery<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === "" ? undefined : value), schema.optional()).optional();
}

/** The parameters of every list. */
export const pageQuery = {
  limit: optionalQuery(z.coerce.number().int().min(1).max(MAX_PAGE_LIMIT)),
  cursor: optionalQuery(z.string().max(300)),
};

/** Reads the page that a query requests. */
export function readPageRequest(query: { limit?: number | undefined; cursor?: string | undefined }): PageRequest {
  const after = query.cursor === undefined ? null : readCursor(query.cursor);
  if (query.cursor !== undefined && after === null) {
    raise("invalid_input", "cursor: is not a cursor of this list", { field: "cursor" });
  }
  return { after, limit: query.limit ?? DEFAULT_PAGE_LIMIT };
}
