/** The embedded database as the supervisor runs it, killed in the middle of its work. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DatabaseSettings } from "../../scripts/database/serve.ts";
import { findUnusedPort } from "../mock-servers/listen.ts";

const SERVE = fileURLToPath(new URL("../../scripts/database/serve.ts", import.meta.url));
const URL_OF_APP = "postgres://otto_app:secret@database.localhost/otto";
const ROUNDS = 4;

let folder: string;
let settings: DatabaseSettings;
const started: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "otto-database-"));
  await mkdir(join(folder, "migrations"));
  await writeFile(
    join(folder, "migrations", "0001_rows.sql"),
    "CREATE TABLE written (n int PRIMARY KEY, text text); GRANT SELECT, INSERT ON written TO otto_app;" +
      "CREATE FUNCTION otto_sealing_keys() RETURNS TABLE (header text, member text) LANGUAGE sql" +
      " AS $$ SELECT null::text, null::text WHERE false $$;",
  );
  const port = await findUnusedPort();
  settings = {
    port,
    appPassword: "secret",
    migrationsFolder: join(folder, "migrations"),
    externalUrl: null,
    folder: join(folder, "database"),
    lockFile: join(folder, "lock"),
    isUsed: false,
    secretKey: Buffer.alloc(32).toString("base64"),
    oldSecretKeys: null,
  };
  neonConfig.fetchEndpoint = `http://127.0.0.1:${port}/sql`;
});

afterAll(async () => {
  for (const child of started) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

function launch(): { process: ChildProcess; ended: Promise<number | null>; output: () => string } {
  const child = spawn(process.execPath, [SERVE], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] ?? "", OTTO_DATABASE: JSON.stringify(settings) },
  });
  started.push(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { process: child, ended, output: () => text };
}

async function launchReady(): Promise<ReturnType<typeof launch>> {
  const running = launch();
  for (const end = Date.now() + 60_000; !running.output().includes("ready"); await sleep(20)) {
    if (Date.now() > end || running.process.exitCode !== null) throw new Error(`not ready: ${running.output()}`);
  }
  return running;
}

describe("the embedded database", () => {
  it("retains every row that it confirmed when it is killed while it writes", { retry: 0 }, async () => {
    const sql = neon(URL_OF_APP);
    let next = 0;
    let confirmed = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const running = await launchReady();
      const enough = confirmed + 5;
      let kill: NodeJS.Timeout | undefined;
      for (;;) {
        try {
          await sql`INSERT INTO written VALUES (${next}, ${"x".repeat(2_000)})`;
          confirmed += 1;
          if (confirmed === enough) kill = setTimeout(() => running.process.kill("SIGKILL"), 50 * round);
        } catch {
          break;
        } finally {
          next += 1;
        }
      }
      clearTimeout(kill);
      // Also when a row failed before the kill was due.
      running.process.kill("SIGKILL");
      await running.ended;
    }
    const running = await launchReady();
    const [row] =
      await sql`SELECT count(*)::int AS n, count(*) FILTER (WHERE length(text) <> 2000)::int AS torn FROM written`;
    expect(confirmed).toBeGreaterThan(ROUNDS);
    // Each kill may have come between the commit and its confirmation.
    expect(row?.["n"]).toBeGreaterThanOrEqual(confirmed);
    expect(row?.["n"]).toBeLessThanOrEqual(confirmed + ROUNDS);
    expect(row?.["torn"]).toBe(0);

    const second = launch();
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain("another process uses the database");
    running.process.kill("SIGTERM");
    expect(await running.ended).toBe(0);
  });
});
