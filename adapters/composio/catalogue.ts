/**
 * The catalogue as Composio lists it, page by page. An item that cannot be read is named, and the rest of its page counts.
 * The cursor is Composio's, unchanged: the sync recognizes one that loops.
 */
import { z } from "zod";
import { ok, type Result } from "../../core/base/errors.ts";
import type { CataloguePage, CatalogueSource } from "../../core/ports/apps.ts";
import { type ReadItem, readAction, readApp, readTrigger } from "./catalogue-items.ts";
import { failUnreadable, toReadFailure } from "./read-failure.ts";
import { type ComposioAccess, type ComposioRequest, sendToComposio } from "./request.ts";

const PAGE_SIZE = "1000";
const TIMEOUT_MS = 20_000;
/** 1,000 actions with both schemas have about 3 MB. */
const MAX_PAGE_BYTES = 16_777_216;
const MAX_CURSOR = 4_096;

const pageSchema = z.object({
  items: z.array(z.unknown()).max(Number(PAGE_SIZE)),
  next_cursor: z
    .string()
    .max(MAX_CURSOR)
    .nullish()
    .transform((cursor) => (cursor === undefined || cursor === "" ? null : cursor)),
  total_items: z.number().int().nonnegative().nullish(),
});

export function openCatalogueSource(access: ComposioAccess): CatalogueSource {
  return {
    apps: (cursor) =>
      readPage(access, "/toolkits", { managed_by: "composio", include_deprecated: "false", cursor }, readApp),
    actions: (cursor, of) =>
      readPage(
        access,
        "/tools",
        { toolkit_slug: of?.app ?? null, toolkit_versions: "latest", include_deprecated: "false", cursor },
        readAction,
      ),
    triggers: (cursor, { apps }) =>
      readPage(
        access,
        "/triggers_types",
        { toolkit_slugs: apps.join(","), toolkit_versions: "latest", cursor },
        readTrigger,
      ),
  };
}

async function readPage<Item>(
  access: ComposioAccess,
  path: string,
  query: NonNullable<ComposioRequest["query"]>,
  read: (given: unknown, at: number) => ReadItem<Item>,
): Promise<Result<CataloguePage<Item>>> {
  const reply = await sendToComposio(access, {
    kind: "sync",
    method: "GET",
    path,
    query: { limit: PAGE_SIZE, ...query },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_PAGE_BYTES,
  });
  if (reply.kind !== "reply" || reply.status !== 200) return toReadFailure(reply, "This page of the catalogue");
  const parsed = pageSchema.safeParse(reply.body);
  if (!parsed.success) return failUnreadable();
  const { items, next_cursor, total_items } = parsed.data;
  const taken: Item[] = [];
  const rejected: { name: string; why: string }[] = [];
  for (const [at, given] of items.entries()) {
    const result = read(given, at);
    if ("item" in result) taken.push(result.item);
    else rejected.push(result);
  }
  return ok({ items: taken, rejected, next: next_cursor, total: total_items ?? null });
}
