/** A started system whose objects lost their files, or have damaged ones: what a caller reads, and the way back. */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { STATE_LOST } from "../../core/task/lost.ts";
import { type StartedSystem, startSystem, until } from "../drill/started-system.ts";
import { sendJson } from "../setup/fetch-api.ts";
import "../setup/provided-context.ts";

const WAIT_MS = 30_000;

let system: StartedSystem;
beforeAll(async () => {
  system = await startSystem({}, inject("endedState"));
});

afterAll(() => system.stop());

async function send(key: string, method: string, path: string, body?: object) {
  return await sendJson(`${system.url}${path}`, key, method, body);
}

async function listed(key: string): Promise<string[]> {
  const { json } = await send(key, "GET", "/v1/tasks?limit=100");
  return json.data.map(({ id }: { id: string }) => id);
}

/** A task that has ended and is listed. `mark` is in its input. */
async function endedTask(key: string, mark: string): Promise<string> {
  const made = await send(key, "POST", "/v1/tasks?wait=30", { input: `Say hello, ${mark}` });
  expect(made).toMatchObject({ status: 201, json: { status: "completed" } });
  await until(async () => (await listed(key)).includes(made.json.id), WAIT_MS, system.output);
  return made.json.id as string;
}

const newMark = () => `mark ${randomBytes(8).toString("hex")}`;
const parts = (file: string) => [file, `${file}-wal`, `${file}-shm`].filter((part) => existsSync(part));

/** The file of the task's object, by what the task's input has in it. */
function fileWith(mark: string): string {
  const files = readdirSync(join(system.stateFolder, "runtime"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.includes("TaskObject") && entry.name.endsWith(".sqlite"))
    .map((entry) => join(entry.parentPath, entry.name));
  const found = files.filter((file) => parts(file).some((part) => readFileSync(part).includes(mark)));
  expect(found, files.join("\n")).toHaveLength(1);
  return found[0] ?? "";
}

/** Damages the state between two starts. */
async function whileDown(work: () => void): Promise<string> {
  await system.end();
  work();
  return await system.startAgain();
}

it("a lost file is reported, its task stays listed, and works again when the file is restored", async () => {
  const mark = newMark();
  const id = await endedTask(system.key, mark);
  const moved: (readonly [string, string])[] = [];
  let key = await whileDown(() => {
    for (const part of parts(fileWith(mark))) moved.push([part, `${part}.moved`]);
    for (const [from, to] of moved) renameSync(from, to);
  });
  const lost = await send(key, "GET", `/v1/tasks/${id}`);
  expect(lost).toMatchObject({ status: 410, json: { code: "gone", detail: STATE_LOST } });
  expect(await listed(key)).toContain(id);

  key = await whileDown(() => {
    for (const [from, to] of moved) {
      rmSync(from, { force: true });
      renameSync(to, from);
    }
  });
  expect(await send(key, "GET", `/v1/tasks/${id}`)).toMatchObject({ status: 200, json: { status: "completed" } });

  key = await whileDown(() => {
    for (const [file] of moved) rmSync(file, { force: true });
  });
  expect(await send(key, "DELETE", `/v1/tasks/${id}`)).toMatchObject({ status: 200 });
  expect(await send(key, "GET", `/v1/tasks/${id}`)).toMatchObject({ status: 404 });
  expect(await listed(key)).not.toContain(id);
});

it("a damaged file is reported in a sentence that names it, and stops no other task", async () => {
  const [mark, other] = [newMark(), newMark()];
  const [id, healthy] = [await endedTask(system.key, mark), await endedTask(system.key, other)];
  let file = "";
  const key = await whileDown(() => {
    file = fileWith(mark);
    for (const part of parts(file)) writeFileSync(part, Buffer.alloc(statSync(part).size, 7));
  });
  for (const path of ["", "/ledger"]) {
    const damaged = await send(key, "GET", `/v1/tasks/${id}${path}`);
    expect(damaged).toMatchObject({ status: 500, json: { code: "internal" } });
    expect(damaged.json.detail).toMatch(/is damaged and was left as it is\. .* restore it from a backup/);
  }
  const sentence = `the state of a task is damaged and was left as it is: ${file}. Stop Otto and restore it`;
  await until(() => system.output().includes(sentence), WAIT_MS, system.output);
  expect(system.output()).not.toMatch(/stack: |\bat async /);
  expect(await send(key, "GET", `/v1/tasks/${healthy}`)).toMatchObject({ status: 200 });
  await endedTask(key, newMark());
  expect(await listed(key)).toEqual(expect.arrayContaining([id, healthy]));
  expect(readFileSync(file).subarray(0, 100)).toEqual(Buffer.alloc(100, 7));

  // Moved away, it is a lost one, which can be erased.
  const again = await whileDown(() => {
    for (const part of parts(file)) rmSync(part);
  });
  expect(await send(again, "GET", `/v1/tasks/${id}`)).toMatchObject({ status: 410 });
});
