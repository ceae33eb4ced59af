/** Writes documents with their pieces as the tenant, without the ingest. */
import { neon, neonConfig } from "@neondatabase/serverless";
import type { TestDatabase } from "../../../scripts/database/test-database.ts";
import { newId } from "../database/rows.ts";

/** A text piece, or one of another kind with its data. */
export interface SeedPiece {
  readonly text: string;
  readonly kind?: "text" | "table" | "formula" | "image";
  readonly heading?: readonly string[];
  readonly page?: number;
  readonly data?: object;
}

/** `shown`: the version that searches read; by default the seeded one. */
export interface SeedDocument {
  readonly title: string;
  readonly project?: string | null;
  readonly label?: 3 | 4;
  readonly id?: string;
  readonly version?: number;
  readonly shown?: number | null;
  readonly warnings?: readonly string[];
  readonly pieces: readonly SeedPiece[];
}

function countKinds(pieces: readonly SeedPiece[]): Record<string, number> {
  const kinds = Map.groupBy(pieces, ({ kind = "text" }) => kind);
  return Object.fromEntries([...kinds].map(([kind, of]) => [kind, of.length]));
}

/** Returns the ids of the document and of its pieces. */
export async function seedDocument(
  server: TestDatabase,
  tenant: string,
  given: SeedDocument,
): Promise<{ readonly id: string; readonly pieces: readonly string[] }> {
  const { id = newId("document"), version = 1, project = null, label = 3 } = given;
  const shown = given.shown === undefined ? version : given.shown;
  const pieces = given.pieces.map(() => newId("piece"));
  let at = 0;
  const rows = given.pieces.map(({ text, kind = "text", heading = [], page = null, data = {} }, ordinal) => {
    const start = at;
    at += text.length + 2;
    return { id: pieces[ordinal], ordinal, kind, heading, page, start, end: start + text.length, text, data };
  });
  await runAs(server, tenant, [
    {
      text: `insert into knowledge_documents (tenant, id, project, filename, title, tags, shown, latest, author, created_at, updated_at)
        values ($1, $2, $3, 'file.md', $4, '{}', $5, $6, 'key', now(), now())
        on conflict (tenant, id) do update set shown = excluded.shown, latest = excluded.latest, title = excluded.title`,
      params: [tenant, id, project, given.title, shown, version],
    },
    {
      text: `insert into knowledge_versions (tenant, document, version, status, source, label, files, pieces, warnings, created_at, updated_at)
        values ($1, $2, $3, 'ready', '{"kind":"text"}', $4, $5, $6, $7, now(), now())`,
      params: [
        tenant,
        id,
        version,
        label,
        newId("document"),
        JSON.stringify(countKinds(given.pieces)),
        given.warnings ?? [],
      ],
    },
    {
      text: `insert into knowledge_pieces (tenant, id, document, version, ordinal, kind, project, heading, page, start_at, end_at, text, data)
        select $1, r.id, $2, $3, r.ordinal, r.kind, $4, array(select json_array_elements_text(r.heading)), r.page, r.start, r."end", r.text, r.data::text
        from json_to_recordset($5::json) as r (id text, ordinal int, kind text, heading json, page int, start int, "end" int, text text, data json)`,
      params: [tenant, id, version, project ?? "", JSON.stringify(rows)],
    },
  ]);
  return { id, pieces };
}

/** Runs statements in one transaction as `otto_app`, with this value of `app.tenant`; null: unset. Returns the last one's rows. */
export async function runAs(
  server: TestDatabase,
  tenant: string | null,
  statements: readonly { readonly text: string; readonly params?: readonly unknown[] }[],
): Promise<Record<string, unknown>[]> {
  neonConfig.fetchEndpoint = server.endpoint;
  const sql = neon(server.url, { disableWarningInBrowsers: true });
  const queries = statements.map(({ text, params = [] }) => sql.query(text, [...params]));
  const named = tenant === null ? [] : [sql.query("select set_config('app.tenant', $1, true)", [tenant])];
  const results = await sql.transaction([...named, ...queries]);
  return (results.at(-1) ?? []) as Record<string, unknown>[];
}
