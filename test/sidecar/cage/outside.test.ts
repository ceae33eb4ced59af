/** Programs that something outside ends: their unfinished changes are not applied. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Result } from "../../../core/base/errors.ts";
import { readOrNull, readProcesses } from "../../../sidecar/cage/processes.ts";
import { type CagedRun, type CagedRunRequest, runCaged } from "../../../sidecar/cage/run-caged.ts";
import { DEFAULT_LIMITS } from "../../../sidecar/cage/cage.ts";
import { openTestCages, type TestCages } from "./caged.ts";

/** Leaves time for a busy machine. */
const LONG = { timeout: 25_000 } as const;
vi.setConfig({ testTimeout: 60_000 });
let test: TestCages;
let runs = 0;

beforeAll(async () => {
  test = await openTestCages();
});

afterAll(async () => {
  await test.close();
});

/** Starts a program of `sh` on the file `in`; `word` is on its command line. */
async function begin(program: string, more: Partial<CagedRunRequest> = {}) {
  const folder = join(test.folder, `outside-${(runs += 1)}`);
  const word = `outside-${process.pid}-${runs}`;
  await mkdir(join(folder, "work"), { recursive: true });
  await writeFile(join(folder, "work", "in"), "1");
  const ran = runCaged(test.cages, {
    argv: ["sh", "-c", `${program}; : ${word}`],
    cwd: "",
    env: {},
    folder,
    work: [{ path: "in" }],
    skill: [],
    limits: { ...DEFAULT_LIMITS, wallMs: 50_000 },
    network: null,
    maxOutputBytes: 10_000,
    maxChangedBytes: 1_000_000,
    maxChangedFiles: 1_000,
    signal: new AbortController().signal,
    ...more,
  });
  return { ran, word };
}

/** The processes of a program by what runs in them: bubblewrap, the cage's first process, the program itself. */
function processesWith(word: string): readonly { readonly pid: number; readonly name: string; readonly uid: number }[] {
  return readProcesses()
    .filter(({ pid }) => readOrNull(`/proc/${pid}/cmdline`)?.includes(word) === true)
    .map(({ pid, uid }) => ({ pid, uid, name: (readOrNull(`/proc/${pid}/cmdline`) ?? "").split("\0")[0] ?? "" }));
}

async function untilItSleeps(word: string): Promise<void> {
  await expect.poll(() => processesWith(word).some(({ name }) => name === "sh"), LONG).toBe(true);
}

function expectNothingApplied(ran: Result<CagedRun>): void {
  const message = expect.stringContaining("None of its changes were applied") as string;
  expect(ran).toMatchObject({ ok: false, error: { code: "upstream_failed", message } });
}

describe("a program that something outside kills", () => {
  it.each<[string, (word: string) => void]>([
    [
      "alone",
      (word) =>
        kill(
          processesWith(word).filter(({ name }) => name === "sh"),
          "SIGKILL",
        ),
    ],
    [
      "by a signal that it could handle",
      (word) =>
        kill(
          processesWith(word).filter(({ name }) => name === "sh"),
          "SIGTERM",
        ),
    ],
    ["with its whole cage", (word) => kill(processesWith(word), "SIGKILL")],
    [
      "by its cage's first process",
      (word) =>
        kill(
          processesWith(word).filter(({ name }) => name === "/bin/sh"),
          "SIGKILL",
        ),
    ],
  ])("%s, changes no file", async (_how, end) => {
    const { ran, word } = await begin("rm in; echo half > out; sleep 40");
    await untilItSleeps(word);
    end(word);
    expectNothingApplied(await ran);
  });

  it("behind its way to the network, changes no file", async () => {
    const network = { hosts: [], egress: test.egress };
    const { ran, word } = await begin("echo half > out; sleep 40", { network });
    await untilItSleeps(word);
    kill(
      processesWith(word).filter(({ name }) => name === "sh"),
      "SIGKILL",
    );
    expectNothingApplied(await ran);
  });

  it("by taking its folder away, removes no file of the task's", async () => {
    const { ran, word } = await begin("echo half > /tmp/out; sleep 2");
    await untilItSleeps(word);
    const [own = ""] = readdirSync(test.cages.folder.path).filter((name) => name.startsWith("run-"));
    await rename(join(test.cages.folder.path, own, "work"), join(test.folder, `taken-${runs}`));
    expectNothingApplied(await ran);
  });
});

function kill(processes: readonly { readonly pid: number }[], signal: NodeJS.Signals): void {
  expect(processes.length).toBeGreaterThan(0);
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended with the one before it.
    }
  }
}

describe("a program that ends on its own", () => {
  it.each([
    ["with the exit code of a killed one", "exit 137", 137],
    ["because a program that it started was killed", "sh -c 'kill -9 $$'", 137],
    ["by a fault of its own", "kill -SEGV $$", 139],
  ])("%s, keeps its changes", async (_how, program, exitCode) => {
    const { ran } = await begin(`echo whole > out; ${program}; exit $?`);
    const done = await ran;
    if (!done.ok) throw new Error(done.error.message);
    expect(done.value.exitCode).toBe(exitCode);
    expect(done.value.changes.written.map(({ path }) => path)).toEqual(["out"]);
  });
});
