/** The sentences that name damaged files of objects, on databases that are damaged in ways of a disk. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeDamage } from "../../../scripts/supervisor/damaged-objects.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "otto-damaged-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The file of an object with some rows, whose log is in it. */
function make(kind: string, name: string): string {
  const path = join(folder, "do", `otto-${kind}`, `${name}.sqlite`);
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT); BEGIN");
  const insert = database.prepare("INSERT INTO rows (text) VALUES (?)");
  for (let row = 0; row < 500; row += 1) insert.run("x".repeat(200));
  database.exec("COMMIT");
  database.close();
  return path;
}

function overwrite(path: string, from: number, to: number): void {
  writeFileSync(path, readFileSync(path).fill(7, from, to));
}

it.each<[string, (path: string) => void]>([
  ["its beginning is overwritten", (path) => overwrite(path, 0, 100)],
  ["its middle is overwritten", (path) => overwrite(path, 40_000, 60_000)],
  ["it is cut in the middle", (path) => truncateSync(path, 50_000)],
])("names the file when %s, and no other, and changes nothing", async (_, damage) => {
  const [damaged, whole] = [make("TaskObject", "damaged"), make("TaskObject", "whole")];
  damage(damaged);
  const before = readFileSync(damaged);
  const sentences = await describeDamage(folder);
  expect(sentences).toEqual([
    expect.stringMatching(
      /^the state of a task is damaged and was left as it is: \S+damaged\.sqlite\. Stop Otto and restore it/,
    ),
  ]);
  expect(sentences[0]).not.toContain(whole);
  expect(readFileSync(damaged)).toEqual(before);
  expect(readdirSync(dirname(damaged)).toSorted()).toEqual(["damaged.sqlite", "whole.sqlite"]);
});

it.each([
  ["TaskObject", "a task", "the task is then listed as lost"],
  ["TenantObject", "a tenant", "rebuilt from the database"],
  ["ScheduleObject", "a schedule", "created again from the database"],
  ["SandboxObject", "the files of a task or project", "those files are then lost"],
  ["InboxObject", "an inbox", "did not process"],
  ["OutboxObject", "an outbox", "did not send"],
  ["Else", "an object", "what it stored is then lost"],
])("says what follows when the file of a %s is moved away", async (kind, name, movedAway) => {
  overwrite(make(kind, "one"), 0, 100);
  const [sentence] = await describeDamage(folder);
  expect(sentence).toContain(`the state of ${name} is damaged`);
  expect(sentence).toContain(movedAway);
});

it("has a sentence for each kind, and one where no file can be named", async () => {
  make("TaskObject", "whole");
  expect(await describeDamage(folder)).toEqual([expect.stringContaining(`a file in ${folder}`)]);
  for (const kind of ["TaskObject", "TenantObject"]) overwrite(make(kind, "damaged"), 0, 100);
  expect(await describeDamage(folder)).toHaveLength(2);
});
