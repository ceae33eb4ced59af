/** Which chunks of code have vectors: what an earlier release recorded, and what stays unwritten when it is recorded. */
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "../../../scripts/database/migrate.ts";
import { openEmptyDatabase } from "../../../scripts/database/test-database.ts";
import type { SqlBackend } from "../../../scripts/database/sql-backend.ts";

const MIGRATIONS = "migrations";
const OWN = "_code_chunk_vectors.sql";
const TABLES = ["tenants", "codebases", "code_files", "code_chunks", "code_chunk_vectors"];

async function read(backend: SqlBackend, query: string): Promise<string[]> {
  const { rows } = await backend.asOwner((connection) => connection.query({ query, params: [] }));
  return rows.map((row) => row.join(" ")).toSorted();
}

async function write(backend: SqlBackend, script: string): Promise<void> {
  await backend.asOwner((connection) => connection.script(script));
}

function insertFile(path: string, build = 1): string {
  const place = `'ten_1', 'cdb_1', '${path}', ${build}`;
  return `insert into code_files values (${place}, true, repeat('a', 64), 'text', 'txt', 1, 1);
    insert into code_chunks (tenant, codebase, path, build, ordinal, start_line, end_line, text, terms)
      select ${place}, ordinal, 1, 1, 'text', '''c:cdb_1'' ''w:text''' from generate_series(0, 1) as ordinal;`;
}

/** A database that an earlier release filled, and the folder with the migrations up to this one. */
async function openEarlier() {
  const folder = await mkdtemp(join(tmpdir(), "otto-migrations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const backend = await openEmptyDatabase();
  onTestFinished(() => backend.close());
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql"));
  const own = names.find((one) => one.endsWith(OWN)) ?? "";
  for (const name of names.filter((one) => one < own)) await cp(join(MIGRATIONS, name), join(folder, name));
  await migrate(backend, { folder, appPassword: null });
  await cp(join(MIGRATIONS, own), join(folder, own));
  const open = TABLES.slice(0, -1).map((name) => `alter table ${name} no force row level security;`);
  await write(backend, `${open.join("")} insert into tenants values ('ten_1', 'x', now());`);
  await write(backend, `${insertFile("a.txt")} update code_chunks set embedded_by = 'm' where ordinal = 0;`);
  const shut = TABLES.slice(0, -1).map((name) => `alter table ${name} force row level security;`);
  await write(backend, shut.join(""));
  return { backend, migrate: () => migrate(backend, { folder, appPassword: null }) };
}

const MARKS = `select c.path, c.ordinal, coalesce(v.embedded_by, '-') from code_chunk_vectors v
  join code_chunks c on c.tenant = v.tenant and c.id = v.chunk and c.codebase = v.codebase`;

test("marks of an earlier release are taken over, also those that it writes later", async () => {
  const { backend, migrate: update } = await openEarlier();
  await update();
  expect(await read(backend, MARKS)).toEqual(["a.txt 0 m", "a.txt 1 -"]);
  await write(backend, `${insertFile("b.txt")} update code_chunks set embedded_by = 'm' where path = 'b.txt';`);
  expect(await read(backend, MARKS)).toEqual(["a.txt 0 m", "a.txt 1 -", "b.txt 0 m", "b.txt 1 m"]);
});

test("recording a vector writes no row of a chunk, and the record goes with its chunk", async () => {
  const { backend, migrate: update } = await openEarlier();
  await update();
  const places = "select id, ctid::text, xmin::text from code_chunks";
  const before = await read(backend, places);
  await write(backend, "update code_chunk_vectors set embedded_by = 'n'");
  expect(await read(backend, places)).toEqual(before);
  expect(await read(backend, MARKS)).toEqual(["a.txt 0 n", "a.txt 1 n"]);
  await write(backend, insertFile("b.txt"));
  await write(backend, "delete from code_files where path = 'a.txt'");
  expect(await read(backend, "select embedded_by is null from code_chunk_vectors")).toEqual(["t", "t"]);
  await write(backend, "update tenants set erased_at = now(), purged_at = now()");
  expect(await read(backend, "select count(*) from code_chunk_vectors")).toEqual(["0"]);
});
