/** A started system whose state is lost or damaged between two starts: one sentence, nothing overwritten, and the way back works. */
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type StartedSystem, startSystem } from "../drill/started-system.ts";
import { sendJson } from "../setup/fetch-api.ts";
import { getRefusal, runWhileUp, type Variables } from "../setup/ended-system.ts";
import "../setup/provided-context.ts";

/** Health is answered while the database is created. */
const CREATED_WITHIN_MS = 30_000;

let system: StartedSystem;
beforeAll(async () => {
  system = await startSystem({}, inject("endedState"));
  await system.end();
});

afterAll(() => system.stop());

const at = (...path: string[]) => join(system.stateFolder, ...path);

const whileUp = async <T>(work: (key: string) => Promise<T>, more: Variables = {}): Promise<T> =>
  await runWhileUp(system, work, more);
const refusalOf = async (more: Variables = {}): Promise<string> => await getRefusal(system, more);

async function send(key: string, method: string, path: string, body?: object) {
  return await sendJson(`${system.url}${path}`, key, method, body);
}

describe("the database", () => {
  it.each([
    ["pg_control truncated", (folder: string) => truncateSync(join(folder, "global", "pg_control"), 100)],
    ["PG_VERSION lost", (folder: string) => rmSync(join(folder, "PG_VERSION"))],
    ["its catalogues lost", (folder: string) => rmSync(join(folder, "base"), { recursive: true })],
    [
      "its log overwritten",
      (folder: string) => {
        for (const name of readdirSync(join(folder, "pg_wal")).filter((file) => /^[0-9A-F]{24}$/.test(file)))
          writeFileSync(join(folder, "pg_wal", name), Buffer.alloc(statSync(join(folder, "pg_wal", name)).size, 7));
      },
    ],
  ])("is refused in a sentence, left as it is, and works when it is restored: %s", async (_, damage) => {
    const backup = at("backup");
    cpSync(at("database"), backup, { recursive: true });
    damage(at("database"));
    expect(await refusalOf()).toMatch(
      /the database in \S+ is damaged and was left as it is .*restore that folder from a backup/,
    );
    rmSync(at("database"), { recursive: true });
    renameSync(backup, at("database"));
    await whileUp(async (key) => expect((await send(key, "GET", "/v1/tasks")).status).toBe(200));
  });

  it("restarts its creation if that was interrupted", async () => {
    renameSync(at("database"), at("moved"));
    mkdirSync(at("database"));
    writeFileSync(at("database", "PG_VERSION"), "18\n");
    writeFileSync(at("database.creating"), "");
    try {
      await whileUp(async (key) => {
        await expect
          .poll(async () => (await send(key, "GET", "/health")).json, {
            timeout: CREATED_WITHIN_MS,
          })
          .toMatchObject({ database: "ok" });
      });
    } finally {
      rmSync(at("database"), { recursive: true });
      renameSync(at("moved"), at("database"));
    }
  });
});

describe("a lock", () => {
  it.each(["supervisor.lock", "database.lock"])("that is damaged is named, and can be removed: %s", async (name) => {
    writeFileSync(at(name), "x".repeat(4_096));
    expect(await refusalOf()).toContain(`${name} is damaged: remove it`);
    rmSync(at(name));
  });
});

describe("the build of the Worker", () => {
  it("is made again when a file of it is truncated", async () => {
    const [build = ""] = readdirSync(at("build"));
    const bundle = readdirSync(at("build", build)).find((name) => name.endsWith(".worker.mjs")) ?? "";
    const { size } = statSync(at("build", build, bundle));
    truncateSync(at("build", build, bundle), Math.floor(size / 2));
    await whileUp(async () => expect(system.output()).toContain("bundling the Worker again: its files are damaged"));
    expect(statSync(at("build", build, bundle)).size).toBe(size);
    await whileUp(async () => expect(system.output()).not.toContain("bundling"));
  });
});
