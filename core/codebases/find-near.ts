/** The texts of codebases whose meaning is near a query, by the vectors of their chunks. */
import { ok, type Result } from "../base/errors.ts";
import { embedQuery } from "../knowledge/embed-query.ts";
import { getMarkedModel } from "../knowledge/vector-mark.ts";
import type { CodebaseTable } from "../ports/codebases.ts";
import type { EmbedderPort, VectorsPort } from "../ports/vectors.ts";
import type { Codebase } from "./codebase.ts";
import type { CodeQuery, NearText } from "./rank.ts";

/** Chunks that are ranked. Of a file type more are looked at, since vectors know none: the most that a query returns. */
const MAX_NEAR = 50;
const MAX_NEAR_OF_TYPE = 100;
/** Codebases of one query: the filter of an index has a length. */
const MAX_SCOPE = 50;

export interface NearDeps {
  readonly table: Pick<CodebaseTable, "readChunks">;
  readonly embedder: EmbedderPort;
  readonly vectors: VectorsPort;
}

/** The nearest first, of the codebases whose chunks all have vectors. */
export async function findNear(
  { table, embedder, vectors }: NearDeps,
  tenant: string,
  codebases: readonly Codebase[],
  search: { readonly query: string; readonly extensions: CodeQuery["extensions"]; readonly signal: AbortSignal },
): Promise<Result<readonly NearText[]>> {
  const { query, extensions, signal } = search;
  const ids = codebases
    .filter((one) => one.embedder !== null && getMarkedModel(one.embedder) === embedder.model)
    .map(({ id }) => id);
  if (ids.length === 0) return ok([]);
  const embedded = await embedQuery(embedder, query, signal);
  if (!embedded.ok) return embedded;
  const { value: values } = embedded;
  if (values === null) return ok([]);
  const limit = extensions === null ? MAX_NEAR : MAX_NEAR_OF_TYPE;
  const scopes = Array.from({ length: Math.ceil(ids.length / MAX_SCOPE) }, (_, index) =>
    ids.slice(index * MAX_SCOPE, (index + 1) * MAX_SCOPE),
  );
  const similarities = new Map<string, number>();
  const of = { values, collection: "code", kind: "code", limit, among: null } as const;
  for (const found of await Promise.all(
    scopes.map(async (scope) => await vectors.query(tenant, embedder.model, { ...of, scope })),
  )) {
    if (!found.ok) return found;
    for (const { id, score } of found.value) similarities.set(id, score);
  }
  const read = await table.readChunks(tenant, { codebases: ids, extensions }, [...similarities.keys()]);
  if (!read.ok) return read;
  const near = read.value.map((text) => ({ text, similarity: similarities.get(text.id) ?? 0 }));
  return ok(near.toSorted((a, b) => b.similarity - a.similarity).slice(0, MAX_NEAR));
}
