/**
 * A disk that fills under a started system and is freed again. The logs' part works everywhere, on /dev/full. The disk itself is a
 * small file system in memory, which only some machines let a test mount; the rules for its answers are in test/unit/http/storage-failure.test.ts.
 */
import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  rmdirSync,
  statfsSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { kill, type StartedSystem, startSystem, until } from "../drill/started-system.ts";
import { fetchApi, sendJson } from "../setup/fetch-api.ts";
import { signJson } from "../mock-servers/slack-requests.ts";

const SIZE = "400m";
const WAIT_MS = 90_000;
const TEST_MS = 300_000;
const REQUESTS_WHILE_FULL = 20;
const SLACK = "s".repeat(32);

const folder = mkdtempSync(join(tmpdir(), "otto-disk-"));
const disk = join(folder, "disk");
const isMounted = mount();
let system: StartedSystem | null = null;

function mount(): boolean {
  mkdirSync(disk);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", disk], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

afterAll(async () => {
  await system?.stop();
  if (isMounted) execFileSync("umount", [disk]);
  rmdirSync(disk);
  rmSync(folder, { recursive: true });
});

async function send({ url, key }: StartedSystem, method: string, path: string, body?: object) {
  return await sendJson(`${url}${path}`, key, method, body);
}

function supervisorOf({ stateFolder }: StartedSystem): number {
  return JSON.parse(readFileSync(join(stateFolder, "supervisor.json"), "utf8")).pid;
}

/** Writes until the disk is full. */
function fill(file: string): void {
  const descriptor = openSync(file, "a");
  try {
    for (let bytes = 1 << 20; bytes >= 512; ) {
      try {
        writeSync(descriptor, Buffer.alloc(bytes));
      } catch {
        bytes >>= 1;
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

it("works with logs that take nothing", { retry: 0, timeout: TEST_MS }, async () => {
  const logs = join(folder, "from", "logs");
  mkdirSync(logs, { recursive: true });
  for (const part of ["database", "sidecar", "runtime"]) symlinkSync("/dev/full", join(logs, `${part}.log`));
  const started = await startSystem({}, join(folder, "from"));
  system = started;
  const head = supervisorOf(started);
  const made = await send(started, "POST", "/v1/tasks?wait=30", { input: "Say hello" });
  expect(made.json).toMatchObject({ status: "completed" });
  const database = started.pidOf("database") ?? 0;
  kill(database);
  await until(() => ![null, database].includes(started.pidOf("database")), WAIT_MS, started.output);
  await until(async () => (await send(started, "GET", "/health")).json?.status === "ok", WAIT_MS, started.output);
  expect((await send(started, "GET", `/v1/tasks/${made.json.id}`)).status).toBe(200);
  expect(supervisorOf(started)).toBe(head);
  await started.stop();
  system = null;
});

it.skipIf(!isMounted)(
  "recovers without help and loses nothing (skipped because this machine lets no test mount a disk)",
  { retry: 0, timeout: TEST_MS },
  async () => {
    const started = await startSystem({ SLACK_SIGNING_SECRET: SLACK }, undefined, disk);
    system = started;
    const { output } = started;
    const filler = join(disk, "filler");
    const statusOf = async (id: string) => (await send(started, "GET", `/v1/tasks/${id}`)).json?.status as string;
    const accepted: string[] = [];
    const asks = await send(started, "POST", "/v1/tasks?wait=30", { input: "Ask a human which city" });
    expect(asks.status, asks.text).toBe(201);
    for (let index = 0; index < 3; index += 1)
      accepted.push((await send(started, "POST", "/v1/tasks", { input: `Say hello ${index}` })).json.id);
    const head = supervisorOf(started);

    fill(filler);
    expect(statfsSync(disk).bavail).toBe(0);
    await until(async () => (await send(started, "GET", "/health")).json?.disk?.status === "full", WAIT_MS, output);
    let refused = 0;
    for (let index = 0; index < REQUESTS_WHILE_FULL; index += 1) {
      fill(filler);
      const made = await send(started, "POST", "/v1/tasks", { input: "Say hello" });
      if (made.status === 201) accepted.push(made.json.id);
      else {
        expect(made.status, `${made.text}\n${output()}`).toBe(503);
        expect(Number(made.headers.get("retry-after")), made.text).toBeGreaterThan(0);
        refused += 1;
      }
      const event = {
        type: "event_callback",
        team_id: "T1",
        api_app_id: "A1",
        event_id: `Ev${index}`,
        event: { type: "message" },
      };
      const signed = await signJson(event, { secret: SLACK });
      const answer = await fetchApi(`${started.url}/slack/events`, { ...signed, signal: AbortSignal.timeout(30_000) });
      await answer.body?.cancel();
      expect([200, 503]).toContain(answer.status);
      expect(answer.status === 503 ? Number(answer.headers.get("retry-after")) : 1).toBeGreaterThan(0);
      // The database is started again on the full disk, and waits.
      const database = index === REQUESTS_WHILE_FULL / 2 ? started.pidOf("database") : null;
      if (database !== null) kill(database);
      await sleep(100);
    }
    expect(refused).toBeGreaterThan(0);
    expect(supervisorOf(started)).toBe(head);

    rmSync(filler);
    await until(async () => (await send(started, "GET", "/health")).json?.status === "ok", WAIT_MS, output);
    for (const id of accepted) await until(async () => (await statusOf(id)) === "completed", WAIT_MS, output);
    expect(await statusOf(asks.json.id)).toBe(asks.json.status);
    const after = await send(started, "POST", "/v1/tasks?wait=30", { input: "Say hello" });
    expect(after.json).toMatchObject({ status: "completed" });
    const all = [...accepted, asks.json.id, after.json.id];
    const areListed = async (): Promise<boolean> => {
      const { json } = await send(started, "GET", "/v1/tasks?limit=100");
      const ids = new Set(json?.data?.map(({ id }: { id: string }) => id));
      return all.every((id) => ids.has(id));
    };
    await until(areListed, WAIT_MS, output);
    expect(supervisorOf(started)).toBe(head);
    expect(output()).not.toContain("Stopped.");
  },
);
