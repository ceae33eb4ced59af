/** Works the inboxes `ingest/{tenant}`: an item is a version of a document to read, or a document to clean. */
import type { Env } from "../../adapters/env/bindings.ts";
import type { InboxItem, ItemOutcome } from "../../core/channels/inbox/inbox.ts";
import { cleanVersions, type IngestDeps, ingestVersion } from "../../core/knowledge/ingest.ts";
import { readIngestOrder } from "../../core/knowledge/ingest-item.ts";

export async function receiveDocument(
  env: Env,
  tenant: string,
  item: InboxItem,
  findDeps: (env: Env, tenant: string) => IngestDeps,
): Promise<ItemOutcome> {
  const order = readIngestOrder(item.body);
  if (order === null) return { kind: "refused", why: "The item names no document." };
  const startedAt = Date.now();
  const deps = findDeps(env, tenant);
  const outcome = order.kind === "read" ? await ingestVersion(deps, order) : await cleanVersions(deps, order.document);
  const note = outcome.kind === "done" ? outcome.note : outcome.why;
  const line = { level: "info", ingest: order.document, tenant, kind: order.kind, ms: Date.now() - startedAt, note };
  console.log(JSON.stringify(line));
  return outcome;
}
