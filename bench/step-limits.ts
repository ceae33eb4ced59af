/**
 * Tasks that may make more steps than the product allows. No setting and no request gives them that: the bench changes the stored facts of
 * its own draft tasks while the system is stopped.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

interface StoredFacts {
  readonly id: string;
  readonly limits: Readonly<Record<string, unknown>>;
}

/** Sets the maximum number of steps of these tasks, whose objects were stored in the folder after `since`. */
export function setMaxSteps(
  folder: string,
  {
    tasks,
    maxSteps,
    since,
  }: { readonly tasks: ReadonlySet<string>; readonly maxSteps: number; readonly since: number },
): void {
  const changed = readdirSync(folder)
    .filter((name) => name.endsWith(".sqlite") && statSync(join(folder, name)).mtimeMs >= since)
    .filter((name) => setInObject(join(folder, name), tasks, maxSteps));
  if (changed.length !== tasks.size)
    throw new Error(`${folder} contains ${changed.length} of ${tasks.size} draft tasks`);
}

/** False for the object of another task. */
function setInObject(path: string, tasks: ReadonlySet<string>, maxSteps: number): boolean {
  const database = new DatabaseSync(path);
  try {
    const table = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'task'").get();
    if (table === undefined) return false;
    const facts = database.prepare("SELECT value FROM task WHERE name = 'facts'").get()?.["value"];
    const stored = JSON.parse(String(facts ?? "null")) as StoredFacts | null;
    if (stored === null || !tasks.has(stored.id)) return false;
    const text = JSON.stringify({ ...stored, limits: { ...stored.limits, maxSteps } });
    database.prepare("UPDATE task SET value = ? WHERE name = 'facts'").run(text);
    return true;
  } finally {
    database.close();
  }
}
