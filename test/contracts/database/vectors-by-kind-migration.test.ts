/** Vectors of an earlier release, and the kind that the migration gives them. */
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "../../../scripts/database/migrate.ts";
import { openEmptyDatabase } from "../../../scripts/database/test-database.ts";

const MIGRATIONS = "migrations";

test("vectors get the kind of their memory, and one that an earlier release adds is a note's", async () => {
  const folder = await mkdtemp(join(tmpdir(), "otto-migrations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const backend = await openEmptyDatabase();
  onTestFinished(() => backend.close());
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql"));
  const byKind = names.find((name) => name.endsWith("_vectors_by_kind.sql")) ?? "";
  for (const name of names.filter((one) => one < byKind)) await cp(join(MIGRATIONS, name), join(folder, name));
  await migrate(backend, { folder, appPassword: null });
  const addVector = (id: string) =>
    `insert into vectors (tenant, id, model, project, embedding) values ('ten_1', '${id}', 'm/1', '', '[1]');`;
  const addMemory = (id: string, kind: string) =>
    `insert into memories (tenant, id, project, kind, content, content_hash, tags, author, created_at, updated_at)
      values ('ten_1', '${id}', null, '${kind}', 'Request: x', '${id}', '{}', 'a', now(), now());`;
  const lift = ["tenants", "memories", "vectors"].map((name) => `alter table ${name} no force row level security;`);
  const force = lift.map((one) => one.replace(" no force", " force"));
  await backend.asOwner(async (connection) => {
    await connection.script(
      [
        ...lift,
        "insert into tenants values ('ten_1', 'x', now());",
        addMemory("mem_note", "note"),
        addMemory("mem_summary", "summary"),
        ...["mem_note", "mem_summary", "mem_gone"].map(addVector),
        ...force,
      ].join("\n"),
    );
  });
  await cp(join(MIGRATIONS, byKind), join(folder, byKind));
  await migrate(backend, { folder, appPassword: null });
  const { kinds, forced } = await backend.asOwner(async (connection) => {
    const { rows } = await connection.query({
      query:
        "select relname, relforcerowsecurity from pg_class where relname in ('memories', 'vectors') order by relname",
      params: [],
    });
    await connection.script([...lift, addVector("mem_later")].join("\n"));
    const read = await connection.query({ query: "select id, kind from vectors order by id", params: [] });
    return { kinds: read.rows, forced: rows };
  });
  expect(forced).toEqual([
    ["memories", "t"],
    ["vectors", "t"],
  ]);
  expect(kinds).toEqual([
    ["mem_gone", "note"],
    ["mem_later", "note"],
    ["mem_note", "note"],
    ["mem_summary", "summary"],
  ]);
});
