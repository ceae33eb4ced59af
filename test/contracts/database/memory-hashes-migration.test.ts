/** Memories whose hash ignored the form of their text, and what the migration makes of them. */
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { getIdentityHash, type MemoryKind, type MemoryLabel } from "../../../core/memory/memory.ts";
import { OUTSIDE, TENANT } from "../../../core/provenance/label.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { migrate } from "../../../scripts/database/migrate.ts";
import { openEmptyDatabase } from "../../../scripts/database/test-database.ts";

const MIGRATIONS = "migrations";
const EXACT = "_exact_memories.sql";

interface OldMemory {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly label: MemoryLabel;
  readonly content: string;
  readonly project: string | null;
  /** Stored under a hash of its own, as 0023 leaves an equal text. */
  readonly isTwin?: true;
}

const note = (id: string, content: string, more: Partial<OldMemory> = {}): OldMemory => {
  return { id, kind: "note", label: TENANT, project: null, content, ...more };
};
const MEMORIES: readonly OldMemory[] = [
  note("mem_plain", "Reports go out on Monday."),
  note("mem_spaced", "  Cafe\u0301 at\n nine. "),
  note("mem_project", "  Cafe\u0301 at\n nine. ", { project: "p" }),
  note("mem_outside", "Two  spaces.", { label: OUTSIDE }),
  note("mem_summary", "What  it did.\r\n", { kind: "summary" }),
  note("mem_twin_1", "Once  more.", { isTwin: true }),
  note("mem_twin_2", "Once  more.", { isTwin: true }),
];

/** The hash of releases before the migration. */
async function formHashOf({ id, kind, label, content, isTwin }: OldMemory): Promise<string> {
  const text = kind === "summary" ? `${id}\0${content}` : content;
  const hash = await sha256Hex(text.normalize("NFC").replaceAll(/\s+/gu, " ").trim());
  if (isTwin === true) return await sha256Hex(`${hash} ${id}`);
  return label === OUTSIDE ? await sha256Hex(`outside ${hash}`) : hash;
}

test("memories get the hash of their text byte for byte, and of equal ones one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "otto-migrations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const backend = await openEmptyDatabase();
  onTestFinished(() => backend.close());
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql"));
  const exact = names.find((one) => one.endsWith(EXACT)) ?? "";
  for (const name of names.filter((one) => one < exact)) await cp(join(MIGRATIONS, name), join(folder, name));
  await migrate(backend, { folder, appPassword: null });
  await backend.asOwner(async (connection) => {
    await connection.script(`alter table tenants no force row level security;
      alter table memories no force row level security;
      insert into tenants values ('ten_1', 'x', now());`);
    for (const memory of MEMORIES) {
      const { id, project, kind, content, label } = memory;
      await connection.query({
        query: `insert into memories (tenant, id, project, kind, content, content_hash, label, tags, author, created_at, updated_at)
          values ('ten_1', $1, $2, $3, $4, $5, $6::int, '{}', 'a', now(), now())`,
        params: [id, project, kind, content, await formHashOf(memory), String(label)],
      });
    }
    await connection.script(
      `alter table tenants force row level security; alter table memories force row level security`,
    );
  });
  await cp(join(MIGRATIONS, exact), join(folder, exact));
  await migrate(backend, { folder, appPassword: null });
  const found = await backend.asOwner(async (connection) => {
    const forced = await connection.query({
      query: "select relforcerowsecurity from pg_class where relname = 'memories'",
      params: [],
    });
    await connection.script("alter table memories no force row level security");
    const { rows } = await connection.query({ query: "select id, content_hash from memories", params: [] });
    return { isForced: forced.rows[0]?.[0], hashes: new Map(rows.map(([id, hash]) => [id, hash])) };
  });
  expect(found.isForced).toBe("t");
  for (const memory of MEMORIES.filter(({ isTwin }) => isTwin !== true)) {
    expect(found.hashes.get(memory.id), memory.id).toBe(await getIdentityHash(memory));
  }
  const twins = ["mem_twin_1", "mem_twin_2"].map((id) => found.hashes.get(id));
  expect(twins).toContain(await getIdentityHash(note("mem_twin_1", "Once  more.")));
  expect(new Set(twins).size).toBe(2);
});
