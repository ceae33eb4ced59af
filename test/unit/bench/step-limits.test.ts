/** The bench raises the stored limit of its own draft tasks, and of no other. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { setMaxSteps } from "../../../bench/step-limits.ts";
import { SCHEMA } from "../../../durable-objects/task/tables.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "otto-step-limits-"));
  for (const id of ["task_a", "task_b"]) {
    withObject(id, (database) => {
      database.exec(SCHEMA);
      const facts = { id, input: "x", limits: { maxSteps: 100, maxTokens: null } };
      database.prepare("INSERT INTO task VALUES ('facts', ?)").run(JSON.stringify(facts));
    });
  }
  withObject("empty", (database) => database.exec("CREATE TABLE other (one)"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function withObject<T>(name: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(folder, `${name}.sqlite`));
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function readLimits(id: string): unknown {
  return withObject(id, (database) => {
    const row = database.prepare("SELECT value FROM task WHERE name = 'facts'").get();
    return (JSON.parse(String(row?.["value"])) as { limits: unknown }).limits;
  });
}

test("changes the step limit of the named tasks alone", () => {
  setMaxSteps(folder, { tasks: new Set(["task_a"]), maxSteps: 801, since: 0 });
  expect(readLimits("task_a")).toEqual({ maxSteps: 801, maxTokens: null });
  expect(readLimits("task_b")).toEqual({ maxSteps: 100, maxTokens: null });
});

test("fails when a named task is not stored, or was stored before", () => {
  const tasks = new Set(["task_a", "task_c"]);
  expect(() => setMaxSteps(folder, { tasks, maxSteps: 801, since: 0 })).toThrow("1 of 2 draft tasks");
  const since = Date.now() + 60_000;
  expect(() => setMaxSteps(folder, { tasks, maxSteps: 801, since })).toThrow("0 of 2 draft tasks");
});
