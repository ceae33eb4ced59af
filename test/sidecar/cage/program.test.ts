/** The sidecar's program: its report on cages for any user, and what a killed one leaves behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { removeTree } from "../../../sidecar/cage/folders.ts";
import { readProcesses, readOrNull } from "../../../sidecar/cage/processes.ts";
import { scriptFile, shell } from "../../contracts/scripts/script-request.ts";
import { killSidecars, makeFolder, type RunningSidecar, SECRET, startSidecar, runProgram } from "./program.ts";

const UNPRIVILEGED_UID = 23_456;
/** Leaves time for a busy machine. */
const LONG = { timeout: 25_000 } as const;
vi.setConfig({ testTimeout: 90_000 });
const isRoot = process.getuid?.() === 0;

/** Further programs that a test started. */
const started: ChildProcess[] = [];

afterEach(async () => {
  for (const one of started.splice(0)) await kill(one, "SIGKILL");
  await killSidecars();
});

async function start(
  folder: string,
  env: Readonly<Record<string, string>> = {},
  uid?: number,
  starter: readonly string[] = [],
): Promise<RunningSidecar> {
  return await startSidecar(env, { folder, starter, ...(uid === undefined ? {} : { uid }) });
}

async function kill(program: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = new Promise((resolve) => program.once("exit", resolve));
  program.kill(signal);
  await ended;
}

async function isolationOf({ url }: RunningSidecar): Promise<unknown> {
  const health = (await (await fetch(`${url}/health`)).json()) as { readonly isolation: unknown };
  return health.isolation;
}

/** Finds processes by a unique word in their command. */
function processesWith(word: string): readonly number[] {
  return readProcesses()
    .filter(({ pid, isZombie }) => !isZombie && readOrNull(`/proc/${pid}/cmdline`)?.includes(word) === true)
    .map(({ pid }) => pid);
}

/** Whether bubblewrap is still starting the cage. */
function isBeingBuilt(pid: number): boolean {
  return readOrNull(`/proc/${pid}/comm`) === "bwrap\n";
}

const isShell = (pid: number): boolean => readOrNull(`/proc/${pid}/comm`) === "sh\n";

const cagesIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith("otto-cages-"));

describe("a sidecar that is killed in the middle of a job", () => {
  it.each([["as it is", undefined], ...(isRoot ? [["as an ordinary user", UNPRIVILEGED_UID] as const] : [])] as const)(
    "leaves no process, and its successor removes its folders: %s",
    async (_who, uid) => {
      const folder = makeFolder(uid);
      const first = await start(folder, {}, uid);
      await isolationOf(first);
      const word = `sleep-${process.pid}-${Math.floor(performance.now())}`;
      const program = `echo half > a; (setsid sh -c 'sleep 300; : ${word}' &); sleep 300; : ${word}`;
      const lost = first.scripts.run(shell(program, { timeoutMs: 60_000, files: [scriptFile("in", "1")] }));
      await expect.poll(() => processesWith(word).length, LONG).toBeGreaterThan(1);
      await kill(first.process, "SIGKILL");
      expect(await lost).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
      // The next start kills a cage that was still starting.
      await expect.poll(() => processesWith(word).filter((pid) => !isBeingBuilt(pid)), LONG).toEqual([]);
      const [left = ""] = cagesIn(folder);
      expect(readdirSync(join(folder, left)).some((name) => name.startsWith("run-"))).toBe(true);
      const second = await start(folder, {}, uid);
      await isolationOf(second);
      await expect.poll(() => [cagesIn(folder).includes(left), processesWith(word)], LONG).toEqual([false, []]);
      expect(await runProgram(second, "echo again")).toMatchObject({ stdout: "again\n" });
      await kill(second.process, "SIGTERM");
      expect(cagesIn(folder)).toEqual([]);
    },
  );

  it.skipIf(!isRoot)(
    "leaves none, at any moment of the kill (skipped because only root can be another user)",
    async () => {
      const word = `early-${process.pid}-${Math.floor(performance.now())}`;
      const cage = fileURLToPath(new URL("../../../sidecar/cage/", import.meta.url));
      const program = `
      import { openCages } from "${cage}cages.ts";
      import { startCaged } from "${cage}start-caged.ts";
      import { DEFAULT_LIMITS } from "${cage}cage.ts";
      const cages = await openCages({ chosen: undefined });
      console.log("ready");
      const argv = ["/bin/sh", "-c", "sleep 300; : ${word}"];
      await startCaged(cages, { argv, cwd: "/tmp", env: {}, mounts: [], limits: DEFAULT_LIMITS, network: null });
      setInterval(() => undefined, 1000);
    `;
      const folder = makeFolder(UNPRIVILEGED_UID);
      // Each start ends what the one before was killed in the middle of building; the last one's is built.
      for (const delayMs of [0, 4, 8, 12, 20, 40, null]) {
        const sidecar = spawn(
          process.execPath,
          ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", program],
          {
            stdio: ["ignore", "pipe", "inherit"],
            env: { TMPDIR: folder },
            uid: UNPRIVILEGED_UID,
            gid: UNPRIVILEGED_UID,
          },
        );
        started.push(sidecar);
        await new Promise((resolve) => sidecar.stdout.once("data", resolve));
        if (delayMs !== null) await sleep(delayMs);
        else await expect.poll(() => processesWith(`: ${word}`).some(isShell), LONG).toBe(true);
        await kill(sidecar, "SIGKILL");
      }
      await expect.poll(() => processesWith(`: ${word}`), LONG).toEqual([]);
    },
    90_000,
  );

  it("leaves a living sidecar's programs and folders alone", async () => {
    const folder = makeFolder();
    const first = await start(folder);
    const slow = runProgram(first, "sleep 1; echo done");
    await expect.poll(() => cagesIn(folder).length, LONG).toBe(1);
    const second = await start(folder);
    await isolationOf(second);
    expect(await slow).toMatchObject({ stdout: "done\n" });
  });
});

it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("leaves nothing after a signal during a job: %s", async (signal) => {
  const folder = makeFolder();
  const sidecar = await start(folder, { SIDECAR_FOLDER: join(folder, "own") });
  const word = `end-${process.pid}-${Math.floor(performance.now())}`;
  const program = `(setsid sh -c 'i=0; while :; do i=$((i+1)); echo > f$i; rm -f f$((i-50)); done; : ${word}' &); sleep 300; : ${word}`;
  const lost = sidecar.scripts.run(shell(program, { timeoutMs: 60_000, files: [scriptFile("in", "1")] }));
  await expect.poll(() => processesWith(word).length, LONG).toBeGreaterThan(1);
  await kill(sidecar.process, signal);
  expect(await lost).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
  await expect.poll(() => processesWith(word), LONG).toEqual([]);
  expect([cagesIn(folder), existsSync(join(folder, "own", "jobs"))]).toEqual([[], false]);
});

describe.skipIf(!isRoot)("a sidecar of an ordinary user (skipped because only root can start one)", () => {
  it("isolates programs too, all as its own user", async () => {
    const folder = makeFolder(UNPRIVILEGED_UID);
    const sidecar = await start(folder, {}, UNPRIVILEGED_UID);
    expect(await isolationOf(sidecar)).toMatchObject({
      level: "bubblewrap",
      reason: expect.stringContaining("the sidecar's user"),
    });
    const attempt = `cat /proc/*/environ | grep -a ${SECRET}; ls ${folder}; kill -9 ${sidecar.process.pid ?? 0}; kill -9 -1; echo x > /usr/x`;
    const attempts = await runProgram(sidecar, attempt);
    expect([attempts.stdout, attempts.exitCode]).not.toEqual(["", 0]);
    expect(attempts.stdout).not.toContain(SECRET);
    expect(sidecar.process.exitCode).toBeNull();
    const files = [scriptFile("a.txt", "one\n")];
    const ran = await runProgram(sidecar, "cat a.txt; echo two > b.txt; mkdir d; echo 3 > d/c; chmod 000 d", { files });
    expect(ran).toMatchObject({ stdout: "one\n", exitCode: 0 });
    expect(ran.written.map(({ path }) => path).toSorted()).toEqual(["b.txt", "d/c"]);
    const bomb = await runProgram(sidecar, "b() { b | b & }; b; sleep 20", { timeoutMs: 1_000 });
    expect(bomb.timedOut).toBe(true);
    expect(await runProgram(sidecar, "echo alive")).toMatchObject({ stdout: "alive\n" });
    await expect
      .poll(() => readdirSync(join(folder, cagesIn(folder)[0] ?? "")).filter((name) => name.startsWith("run-")), LONG)
      .toEqual([]);
  });

  it("counts files that programs hide from their own user", async () => {
    const sidecar = await start(makeFolder(UNPRIVILEGED_UID), {}, UNPRIVILEGED_UID);
    const python = async (program: string) =>
      await runProgram(sidecar, "", { argv: ["python3", "-c", program], timeoutMs: 100_000 });
    const shut =
      "import os, time\nfor d in range(25):\n  os.mkdir(f'{d}')\n  for f in range(1000): open(f'{d}/{f}', 'w')\n  os.chmod(f'{d}', 0)\ntime.sleep(60)";
    expect(await python(shut)).toMatchObject({ timedOut: false, stderr: expect.stringContaining("20000 files") });
    const hidden = "import ctypes, time\nctypes.CDLL(None).prctl(4, 0)\ntime.sleep(60)";
    expect(await python(hidden)).toMatchObject({
      timedOut: false,
      stderr: expect.stringContaining("hides its open files"),
    });
  }, 150_000);

  it("refuses programs without a cage, even if the operator chose the container", async () => {
    const sidecar = await start(makeFolder(UNPRIVILEGED_UID), { OTTO_SCRIPT_ISOLATION: "container" }, UNPRIVILEGED_UID);
    expect(await isolationOf(sidecar)).toMatchObject({ level: "none", reason: expect.stringContaining("as root") });
    expect(await sidecar.scripts.run(shell("echo"))).toMatchObject({ ok: false, error: { code: "not_available" } });
  });
});

it("closes inherited descriptors for programs, and keeps its channel to the supervisor", async () => {
  const leak =
    "import os, sys\nfor fd in (60, 251, 900): os.dup2(os.open('/dev/null', os.O_RDONLY), fd)\nos.execv(sys.argv[1], sys.argv[1:])";
  const sidecar = await start(makeFolder(), {}, undefined, ["python3", "-c", leak]);
  const list = `python3 -c 'import os; print([n for n in os.listdir("/proc/self/fd") if int(n) > 2 and os.path.exists("/proc/self/fd/" + n)])'`;
  expect(await runProgram(sidecar, list)).toMatchObject({ stdout: "[]\n", stderr: "" });
  expect(await runProgram(sidecar, list, { network: [] })).toMatchObject({ stdout: "[]\n", stderr: "" });
  const answers: unknown[] = [];
  sidecar.process.on("message", (message) => answers.push(message));
  sidecar.process.send("ping");
  await expect.poll(() => answers, LONG).toContain("pong");
});

describe("a sidecar without a writable folder", () => {
  it("reopens its cages when their folder was deleted", async () => {
    const folder = makeFolder();
    const sidecar = await start(folder);
    expect(await runProgram(sidecar, "echo before")).toMatchObject({ stdout: "before\n" });
    for (const name of cagesIn(folder)) await removeTree(join(folder, name));
    expect(await runProgram(sidecar, "echo after")).toMatchObject({ stdout: "after\n" });
    await kill(sidecar.process, "SIGTERM");
    expect(cagesIn(folder)).toEqual([]);
  });

  it("starts no program while the cages' folder is missing, and recovers afterwards", async () => {
    const folder = join(makeFolder(), "not-there-yet");
    const sidecar = await start(folder, { SIDECAR_FOLDER: makeFolder() });
    expect(await isolationOf(sidecar)).toMatchObject({ level: "none", reason: expect.stringContaining("ENOENT") });
    const error = { code: "not_available", happened: "no" };
    expect(await sidecar.scripts.run(shell("echo"))).toMatchObject({ ok: false, error });
    mkdirSync(folder, { mode: 0o711 });
    expect(await runProgram(sidecar, "echo there")).toMatchObject({ stdout: "there\n" });
  });

  it("starts no job whose files it cannot store", async () => {
    const file = join(makeFolder(), "a-file");
    writeFileSync(file, "");
    const sidecar = await start(makeFolder(), { SIDECAR_FOLDER: file });
    const message = expect.stringContaining("SIDECAR_FOLDER is not writable") as string;
    const error = { code: "upstream_failed", message, happened: "no" };
    expect(await sidecar.scripts.run(shell("echo"))).toMatchObject({ ok: false, error });
  });
});

describe("the operator's choice", () => {
  it.skipIf(!isRoot)(
    "of the container gives each program a user of its own (skipped because only root can change users)",
    async () => {
      const folder = makeFolder();
      const sidecar = await start(folder, { OTTO_SCRIPT_ISOLATION: "container" });
      expect(await isolationOf(sidecar)).toMatchObject({ level: "container" });
      const files = [scriptFile("a.txt", "one\n")];
      const skill = [scriptFile("run.sh", "#!/bin/sh\necho from the skill\n", 0o755)];
      const argv = ["/skill/run.sh"] as const;
      expect(await runProgram(sidecar, "", { argv, skill })).toMatchObject({ stdout: "from the skill\n", exitCode: 0 });
      const ran = await runProgram(sidecar, "id -u; cat a.txt; echo two > b.txt; (setsid sleep 300 &); rm a.txt", {
        files,
      });
      expect(ran).toMatchObject({ exitCode: 0, removed: ["a.txt"], written: [{ path: "b.txt" }] });
      expect(Number(ran.stdout.split("\n")[0])).toBeGreaterThanOrEqual(61_000);
      // The loader reports each program that starts; none of them runs as root.
      const told = await runProgram(sidecar, "exec /bin/true", { env: { LD_DEBUG: "files", PATH: "/bin" } });
      const begun = [...told.stderr.matchAll(/initialize program: (\S+)/g)].map(([, begins]) => begins);
      expect(begun).toEqual(["/bin/sh", "/bin/true"]);
      const peek = await runProgram(sidecar, `cat /proc/${sidecar.process.pid ?? 0}/environ; ls ${folder}; echo over`);
      expect(peek.stdout).toBe("over\n");
      await expect
        .poll(
          () => readdirSync(join(folder, cagesIn(folder)[0] ?? "")).filter((name) => /^(run|tmp)-/.test(name)),
          LONG,
        )
        .toEqual([]);
    },
  );

  it("of an unknown value refuses every program", async () => {
    const sidecar = await start(makeFolder(), { OTTO_SCRIPT_ISOLATION: "none-of-these" });
    expect(await isolationOf(sidecar)).toMatchObject({ level: "none" });
    expect(await sidecar.scripts.run(shell("echo"))).toMatchObject({ ok: false, error: { code: "not_available" } });
  });
});
