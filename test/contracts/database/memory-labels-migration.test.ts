/** Memories from before labels, and what migrations 0022 and 0023 make of them. */
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { getIdentityHash } from "../../../core/memory/memory.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { OUTSIDE, TENANT } from "../../../core/provenance/label.ts";
import { migrate } from "../../../scripts/database/migrate.ts";
import { openEmptyDatabase } from "../../../scripts/database/test-database.ts";

const MIGRATIONS = "migrations";
const [LABELS, LABELS_OF_SUBTASKS] = ["0022", "0023"] as const;

/** A task of an earlier release. `mailed`: the task that a delivery by mail names. */
interface OldTask {
  readonly id: string;
  readonly view: object;
  readonly key?: string;
  readonly parent?: string;
  readonly mailed?: string;
}

const TASKS: readonly OldTask[] = [
  { id: "task_api", view: { metadata: {} }, key: "key_1" },
  { id: "task_hook", view: { metadata: { webhook: { id: "hook_1" } } } },
  // A caller's own text about hooks is a string inside the view, where quotes are escaped.
  { id: "task_liar", view: { input: '"metadata":{"webhook":{', metadata: {} }, key: "key_1" },
  { id: "task_mail", view: { metadata: {} }, mailed: "task_mail" },
  { id: "task_below_mail", view: { metadata: {} }, parent: "task_mail" },
  { id: "task_far_below_mail", view: { metadata: {} }, parent: "task_below_mail" },
  { id: "task_below_hook", view: { metadata: {} }, parent: "task_hook" },
  { id: "task_far_below_hook", view: { metadata: {} }, parent: "task_below_hook" },
  { id: "task_confirmed", view: { metadata: {} }, parent: "task_hook" },
  { id: "task_twin", view: { metadata: {} }, parent: "task_hook" },
  { id: "task_below_api", view: { metadata: {} }, key: "key_1", parent: "task_api" },
  // A key's task whose end was sent by mail is no task of a mail.
  { id: "task_told", view: { metadata: {} }, key: "key_1", mailed: "task_told" },
  { id: "task_nightly", view: { metadata: {} } },
];

test("memories of a hook's or a mail's task become claims, all others stay records", async () => {
  const folder = await mkdtemp(join(tmpdir(), "otto-migrations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql"));
  const copy = async (files: readonly string[]) => {
    for (const file of files) await cp(join(MIGRATIONS, file), join(folder, file));
  };
  const backend = await openEmptyDatabase();
  onTestFinished(() => backend.close());
  await copy(names.filter((name) => name < LABELS));
  await migrate(backend, { folder, appPassword: null });

  const quote = (text: string | null | undefined) => (text == null ? "null" : `'${text.replaceAll("'", "''")}'`);
  const contentOf = (source: string) => `What ${source} learned.`;
  const hashOf = async (source: string, label: typeof OUTSIDE | typeof TENANT) =>
    await getIdentityHash({ id: `mem_${source}`, kind: "note", label, content: contentOf(source) });
  const tasks = TASKS.map(
    ({ id, view, key, parent }) =>
      `('ten_1', '${id}', 1, 'completed', false, 'a', now(), now(), ${quote(JSON.stringify(view))}, ${quote(key)}, ${quote(parent)}, '', '')`,
  );
  const mailed = TASKS.filter((task) => task.mailed !== undefined).map(
    ({ mailed: task }, index) =>
      `('ten_1', 'dlv_${index}', 'email/ten_1', 1, 'email', 'x', 'result', '${task}', 'sent', 1, now())`,
  );
  const sources = [...TASKS.map(({ id }) => id), "task_gone"];
  const memories = await Promise.all(
    [...sources, null].map(async (source) => {
      const name = source ?? "api";
      const hash = await hashOf(name, TENANT);
      return `('ten_1', 'mem_${name}', 'note', ${quote(contentOf(name))}, '${hash}', '{}', ${quote(source)}, 'a', now(), now())`;
    }),
  );
  const tables = ["tenants", "tasks", "deliveries", "memories"];
  await backend.asOwner(async (connection) => {
    await connection.script(`
      ${tables.map((table) => `alter table ${table} no force row level security;`).join("\n")}
      insert into tenants values ('ten_1', 'x', now());
      insert into tasks (tenant, id, version, status, hidden, agent, created_at, updated_at, view, key, parent, title, search_text)
        values ${tasks.join(",\n")};
      insert into deliveries (tenant, id, outbox, version, channel, place, kind, task, state, attempts, created_at)
        values ${mailed.join(",\n")};
      insert into memories (tenant, id, kind, content, content_hash, tags, source_task, author, created_at, updated_at)
        values ${memories.join(",\n")};
      ${tables.map((table) => `alter table ${table} force row level security;`).join("\n")}`);
  });
  await copy(names.filter((name) => name >= LABELS && name < LABELS_OF_SUBTASKS));
  await migrate(backend, { folder, appPassword: null });
  const twin = await hashOf("task_twin", OUTSIDE);
  await backend.asOwner(async (connection) => {
    await connection.script(`
      alter table memories no force row level security;
      update memories set updated_at = now() + interval '1 second' where id = 'mem_task_confirmed';
      insert into memories (tenant, id, kind, content, content_hash, label, tags, source_task, author, created_at, updated_at)
        values ('ten_1', 'mem_claim', 'note', 'The same text.', '${twin}', 4, '{}', 'task_hook', 'a', now(), now());
      alter table memories force row level security;`);
  });
  await copy(names.filter((name) => name.startsWith(LABELS_OF_SUBTASKS)));
  await migrate(backend, { folder, appPassword: null });

  const found = await backend.asOwner(async (connection) => {
    const forced = await connection.query({
      query: `select relname from pg_class where relforcerowsecurity and relname = any($1::text[]) order by relname`,
      params: [`{${tables.join()}}`],
    });
    await connection.script("alter table memories no force row level security");
    const { rows } = await connection.query({
      query: "select id, label::int, content_hash from memories order by id",
      params: [],
    });
    return { forced: forced.rows, rows };
  });
  const claims = new Set(
    ["hook", "mail", "below_mail", "far_below_mail", "below_hook", "far_below_hook", "twin"].map(
      (name) => `task_${name}`,
    ),
  );
  const wanted = await Promise.all(
    [...sources, "api"].toSorted().map(async (name) => {
      const label = claims.has(name) ? OUTSIDE : TENANT;
      const hash = await hashOf(name, label);
      return [`mem_${name}`, String(label), name === "task_twin" ? await sha256Hex(`${hash} mem_${name}`) : hash];
    }),
  );
  wanted.push(["mem_claim", String(OUTSIDE), twin]);
  const shown = found.rows.map((row) => Object.values(row));
  expect(new Set(shown)).toEqual(new Set(wanted));
  expect(found.forced).toHaveLength(tables.length);
});
