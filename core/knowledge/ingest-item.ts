/** The items of a tenant's inbox of documents. The queue key is the document, so that one delays no other. */
import { z } from "zod";
import type { InboxItem } from "../channels/inbox/inbox.ts";
import type { VersionPlace } from "../ports/knowledge.ts";

const PREFIX = "ingest/";

const bodySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("read"), document: z.string(), version: z.int() }),
  z.object({ kind: z.literal("clean"), document: z.string() }),
]);
export type IngestOrder = z.infer<typeof bodySchema>;

/** The name of the inbox. */
export function getIngestInbox(tenant: string): string {
  return PREFIX + tenant;
}

/** The tenant of an inbox; null for one of another kind. */
export function findIngestTenant(inbox: string): string | null {
  return inbox.startsWith(PREFIX) ? inbox.slice(PREFIX.length) : null;
}

export function readIngestOrder(body: unknown): IngestOrder | null {
  const read = bodySchema.safeParse(body);
  return read.success ? read.data : null;
}

/** The item by which a version is read. `repeat` distinguishes a later item, in case the first was lost. */
export function toReadItem({ document, version }: VersionPlace, now: number, repeat: string | null = null): InboxItem {
  const id = getReadItemId({ document, version });
  return {
    id: repeat === null ? id : `${id}/${repeat}`,
    lane: document,
    kind: "read",
    body: { kind: "read", document, version },
    receivedAt: now,
  };
}

/** The id of the first item of a version. */
export function getReadItemId({ document, version }: VersionPlace): string {
  return `${document}/${version}`;
}

/** The item by which what no search reads any more is removed. */
export function toCleanItem(document: string, now: number, repeat = String(now)): InboxItem {
  return {
    id: `${document}/clean/${repeat}`,
    lane: document,
    kind: "clean",
    body: { kind: "clean", document },
    receivedAt: now,
  };
}
