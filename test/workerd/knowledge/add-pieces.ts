/** Adds documents that searches find, without reading them. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { embedderFromEnv, vectorsFromEnv } from "../../../adapters/env/memory.ts";
import type { Piece } from "../../../core/knowledge/piece.ts";
import { toVectorMark } from "../../../core/knowledge/vector-mark.ts";
import { act, documentRow, factsOfPieces, newId, START } from "../../contracts/database/rows.ts";
import { valueOf } from "../../contracts/value-of.ts";
import type { Caller } from "../http/entry.ts";

interface AddedDocument {
  /** Of a known document: its next version. */
  readonly id?: string;
  readonly project?: string | null;
  readonly title?: string;
}

/** Returns the document's id. */
export async function addPieces(
  { tenant }: Caller,
  pieces: readonly Piece[],
  { id = newId("document"), project = null, title = "Manual" }: AddedDocument = {},
): Promise<string> {
  const { knowledge } = databaseFromEnv(env);
  const version = { source: { kind: "upload" } as const, files: newId("request"), hash: "b".repeat(64), size: 5 };
  const known = await knowledge.get(tenant, null, id);
  const change = { id, filename: null, title: null, tags: null, label: 3, version } as const;
  const stored = known.ok
    ? valueOf(await knowledge.replace(tenant, null, change, act("document.replace", id)))
    : valueOf(await knowledge.create(tenant, documentRow({ id, project, title }), act("document.create", id)));
  const place = { document: id, version: stored.latest.version };
  valueOf(await knowledge.savePieces(tenant, place, pieces));
  valueOf(await knowledge.endReading(tenant, place, factsOfPieces(pieces), START));
  await embed(tenant, { place, project });
  expect(valueOf(await knowledge.show(tenant, place, START))).toBe(true);
  return id;
}

async function embed(
  tenant: string,
  of: { readonly place: { readonly document: string; readonly version: number }; readonly project: string | null },
): Promise<void> {
  const { knowledge } = databaseFromEnv(env);
  const embedder = embedderFromEnv(env);
  const mark = toVectorMark(embedder.model, "knowledge");
  const open = valueOf(await knowledge.listUnembedded(tenant, of.place, mark, 100));
  const texts = open.map(({ text }) => text);
  const vectors = valueOf(await embedder.embed(texts, new AbortController().signal));
  const rows = open.flatMap(({ id, kind }, index) => {
    const values = vectors[index];
    return values === undefined ? [] : [{ id, project: of.project, collection: "knowledge" as const, kind, values }];
  });
  valueOf(await vectorsFromEnv(env).upsert(tenant, embedder.model, rows));
  const ids = open.map(({ id }) => id);
  valueOf(await knowledge.markEmbedded(tenant, mark, ids));
}
