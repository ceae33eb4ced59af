/**
 * Completed tasks in the state of a stopped system, as their reports left them: rows of the tenant's object, rows of the index, and
 * summaries in memory. Their own objects are missing: nothing reads the object of an ended task unless somebody asks for it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../adapters/database/database.ts";
import { hashingEmbedder } from "../adapters/embeddings/hashing.ts";
import { openMemory } from "../adapters/memory/store.ts";
import { openPgvector } from "../adapters/vectors/pgvector.ts";
import type { Result } from "../core/base/errors.ts";
import { getSummaryId, type NewMemory } from "../core/memory/memory.ts";
import { TENANT } from "../core/provenance/label.ts";
import type { TaskReport } from "../core/task/rpc.ts";
import { startBridge } from "../scripts/database/bridge.ts";
import { openPglite } from "../scripts/database/pglite-backend.ts";
import { visitTables } from "../scripts/database/table-upkeep.ts";
import { makeReport } from "./made-tasks.ts";

const BATCH = 500;
const SAY_EVERY = 10_000;
const SPAN_MS = 28 * 86_400_000;
/** A password for the time of the filling: nothing else can reach the database meanwhile. */
const PASSWORD = "bench";

/** Adds tasks of the last four weeks to the tenant of a stopped system, which has completed a task of its own. */
export async function addEndedTasks(stateFolder: string, count: number, say: (line: string) => void): Promise<void> {
  const tenant = readFileSync(join(stateFolder, "dev-tenant"), "utf8").trim();
  const start = Date.now() - SPAN_MS;
  const reports = Array.from({ length: count }, (_, number) =>
    makeReport(endedInput(number), start + Math.floor((number * SPAN_MS) / count)),
  );
  addToObject(
    findObject(join(stateFolder, "runtime/do/otto-TenantObject"), tenant),
    reports.map(({ task }) => task),
  );
  await addToDatabase(join(stateFolder, "database"), tenant, reports, say);
}

/** The input of an ended task, by its number, which counts from 0. */
export function endedInput(number: number): string {
  return `Write the report number ${number} about river ${number % 97} and invoice ${number % 1009} of the customer`;
}

/** Finds the object of a tenant by its own row. */
function findObject(folder: string, tenant: string): string {
  const found = readdirSync(folder)
    .filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite")
    .map((name) => join(folder, name))
    .find((path) => withDatabase(path, (database) => readTenant(database) === tenant));
  if (found === undefined) throw new Error(`${folder} has no object of ${tenant}`);
  return found;
}

function readTenant(database: DatabaseSync): unknown {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'tenant'").get();
  return table === undefined ? null : database.prepare("SELECT id FROM tenant").get()?.["id"];
}

/** Copies the row of a completed task whose summary is stored. */
function addToObject(path: string, tasks: readonly string[]): void {
  withDatabase(path, (database) => {
    database.exec("BEGIN");
    database.exec(
      "CREATE TEMP TABLE ended AS SELECT * FROM tasks WHERE status = 'completed' AND summary = 'stored' LIMIT 1",
    );
    const rename = database.prepare("UPDATE ended SET task = ?");
    const copy = database.prepare("INSERT INTO tasks SELECT * FROM ended");
    for (const task of tasks) {
      rename.run(task);
      if (copy.run().changes !== 1) throw new Error("the tenant has no completed task with a stored summary");
    }
    database.exec("COMMIT");
  });
}

async function addToDatabase(
  folder: string,
  tenant: string,
  reports: readonly TaskReport[],
  say: (line: string) => void,
): Promise<void> {
  const backend = await openPglite(folder, (reason) => {
    throw reason;
  });
  const bridge = await startBridge({ backend, port: 0, appPassword: PASSWORD, ownerPassword: null });
  try {
    const url = `postgres://otto_app:${PASSWORD}@database.localhost/otto`;
    const database = openDatabase(url, bridge.endpoint);
    const vectors = openPgvector(url, bridge.endpoint);
    const memory = openMemory({ database, vectors, embedder: hashingEmbedder() });
    const { signal } = new AbortController();
    for (let from = 0; from < reports.length; from += BATCH) {
      const some = reports.slice(from, from + BATCH);
      mustBeOk(await database.tasks.upsert(tenant, some));
      mustBeOk(await memory.saveSummaries(tenant, some.map(toSummary), signal));
      if (from > 0 && from % SAY_EVERY === 0) say(`${from} of ${reports.length} ended tasks are stored`);
    }
    await visitTables(backend);
  } finally {
    await bridge.close();
    await backend.close();
  }
}

function toSummary({ task, view }: TaskReport): NewMemory {
  return {
    id: getSummaryId(task),
    project: null,
    kind: "summary",
    content: `Asked “${JSON.stringify(view.input)}”, the agent answered “${view.output?.text ?? ""}”.`,
    sourceTask: task,
    label: TENANT,
    tags: [],
    author: view.agent.id,
    createdAt: Date.parse(view.created_at),
  };
}

function withDatabase<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function mustBeOk(result: Result<unknown>): void {
  if (!result.ok) throw new Error(result.error.message);
}
