/** Adds made-up documents with their vectors to a database. */
import type { Database } from "../../core/ports/database.ts";
import { makeId, type IdKind } from "../../core/base/ids.ts";
import { unwrap } from "../../core/base/unwrap.ts";
import type { Piece } from "../../core/knowledge/piece.ts";
import type { EmbedderPort, VectorsPort } from "../../core/ports/vectors.ts";
import { TENANT } from "../../core/provenance/label.ts";
import type { MadeDocument } from "./made-document.ts";

const START = Date.UTC(2026, 0, 1);

export interface AddDeps {
  readonly database: Database;
  readonly vectors: VectorsPort;
  readonly embedder: EmbedderPort;
  readonly tenant: string;
}

let count = 0;

/** The same ids in every run: they order what ranks alike. */
function newId(kind: IdKind): string {
  count += 1;
  const last = [count >> 8, count & 255];
  return makeId(kind, START, Uint8Array.from([...Array.from({ length: 8 }, () => 0), ...last]));
}

function toAct(action: "tenant.create" | "document.create", target: string) {
  return { id: newId("audit"), at: START, actor: "operator", action, target, requestId: newId("request") };
}

export async function addTenant(database: Database): Promise<string> {
  const id = newId("tenant");
  const key = { id: newId("key"), tenant: id, name: "bench", scopes: [], createdAt: START, createdBy: "operator" };
  const bounds = { projects: null, agents: null, person: null, expiresAt: null, revokedAt: null };
  const hash = id.slice(4).padEnd(64, "0");
  unwrap(
    await database.tenants.create(
      { id, name: "bench", createdAt: START },
      { key: { ...key, ...bounds }, hash },
      toAct("tenant.create", id),
    ),
  );
  return id;
}

/** Returns the id of the piece that answers each question. */
export async function addDocuments(deps: AddDeps, documents: readonly MadeDocument[]): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const document of documents) await addDocument(deps, document, answers);
  return answers;
}

async function addDocument(
  { database: { knowledge }, vectors, embedder, tenant }: AddDeps,
  [title, sections]: MadeDocument,
  answers: Map<string, string>,
): Promise<void> {
  const id = newId("document");
  const source = { kind: "text" } as const;
  const version = { source, files: newId("request"), hash: "a".repeat(64), size: 1 };
  const known = { id, project: null, filename: "made.md", title, tags: [], label: TENANT, author: "bench" } as const;
  unwrap(await knowledge.create(tenant, { ...known, ...version }, toAct("document.create", id)));
  const place = { document: id, version: 1 };
  const pieces = sections.map(([heading, text], ordinal): Piece => {
    const at = { ordinal, heading: [heading], page: null, start: ordinal * 1_000, end: ordinal * 1_000 + text.length };
    return { kind: "text", ...at, text, data: {} };
  });
  unwrap(await knowledge.savePieces(tenant, place, pieces));
  const facts = {
    format: "markdown",
    units: null,
    pieces: { text: pieces.length },
    warnings: [],
    title: null,
  } as const;
  unwrap(await knowledge.endReading(tenant, place, facts, START));
  const open = unwrap(await knowledge.listUnembedded(tenant, place, embedder.model, 64));
  const values = unwrap(
    await embedder.embed(
      open.map(({ text }) => text),
      new AbortController().signal,
    ),
  );
  const rows = open.flatMap((piece, index) => {
    const own = values[index];
    const question = sections[index]?.[2];
    if (question !== undefined) answers.set(question, piece.id);
    return own === undefined
      ? []
      : [{ id: piece.id, project: null, collection: "knowledge" as const, kind: piece.kind, values: own }];
  });
  unwrap(await vectors.upsert(tenant, embedder.model, rows));
  unwrap(
    await knowledge.markEmbedded(
      tenant,
      embedder.model,
      open.map((piece) => piece.id),
    ),
  );
  unwrap(await knowledge.show(tenant, place, START));
}
