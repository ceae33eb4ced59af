/** Programs that exceed their limits are killed with a reason, and leave nothing behind. */
import { chmod, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CageLimits } from "../../../sidecar/cage/cage.ts";
import { removeTree } from "../../../sidecar/cage/folders.ts";
import { openTestCages, type Language, type TestCages } from "./caged.ts";

const MB = 1024 ** 2;
const LIMITS: Partial<CageLimits> = {
  memoryBytes: 200 * MB,
  processes: 40,
  fileBytes: 20 * MB,
  tmpBytes: 16 * MB,
  workBytes: 60 * MB,
  workFiles: 2_000,
  wallMs: 20_000,
};

let test: TestCages;

beforeAll(async () => {
  test = await openTestCages();
});

afterAll(async () => {
  await test.close();
});

/** Runs a program and checks that nothing remains. */
async function hog(language: Language, program: string, limits: Partial<CageLimits> = {}) {
  const before = await test.remains();
  const run = await test.run(language, program, {}, { ...LIMITS, ...limits });
  expect(await test.remains()).toEqual(before);
  return run;
}

describe("memory", () => {
  it.each([
    ["python3", "held = []\nwhile True: held.append(bytearray(8_000_000))"],
    [
      "python3",
      "import os, time\nfor _ in range(8):\n  if os.fork() == 0:\n    held = bytearray(60_000_000); time.sleep(60)\ntime.sleep(60)",
    ],
    ["python3", "import mmap\nm = mmap.mmap(-1, 400_000_000)\nfor at in range(0, len(m), 4096): m[at] = 1"],
    ["node", "const held = []; for (;;) held.push(Buffer.alloc(8_000_000, 1));"],
    ["node", "const held = []; for (;;) held.push(new Array(1e6).fill(held.length));"],
  ] as const)("is bounded for %s: %s", async (language, program) => {
    const run = await hog(language, program);
    expect(run.timedOut).toBe(false);
    expect(run.exitCode).not.toBe(0);
  });

  it("is reclaimed from programs before the sidecar", async () => {
    const score = "/proc/self/oom_score_adj";
    const { stdout } = await test.run("sh", `cat ${score}; (echo 0 > ${score}) 2> /dev/null; cat ${score}`);
    const [first, second] = stdout.trim().split("\n");
    expect(first).toBe("1000");
    // Only root can make that permanent.
    if (test.cages.changesUser) expect(second).toBe("1000");
  });

  it("of all processes together is bounded, shared pages counted once", async () => {
    const shares =
      "import os, time\nheld = bytearray(90_000_000)\nfor _ in range(4):\n  if os.fork() == 0: time.sleep(0.5); os._exit(0)\nfor _ in range(4): os.wait()";
    expect((await hog("python3", shares)).exitCode).toBe(0);
  });

  it("excludes this machine's folders while the cage starts", async () => {
    const folder = await mkdtemp(join(tmpdir(), "otto-slow-"));
    await chmod(folder, 0o755);
    // Reports the first process before its mounts, and stops there.
    const slow = 'case "$*" in *stuck*) echo "{\\"child-pid\\": $$}" >&3; sleep 0.5; exit 7;; esac';
    await writeFile(join(folder, "bwrap"), `#!/bin/sh\n${slow}\nexec /usr/bin/bwrap "$@"\n`, { mode: 0o755 });
    const cages = await openTestCages({ programFolders: [folder, "/usr/bin", "/bin"] });
    try {
      const run = await cages.run("sh", "echo stuck", {}, LIMITS);
      expect([run.exitCode, run.stderr]).toEqual([7, ""]);
    } finally {
      await cages.close();
      await removeTree(folder);
    }
  });

  it("cannot be hidden in files without names", async () => {
    const hidden = `
import os, time
held = []
for at in range(12):
    fd = os.memfd_create("hidden")
    os.write(fd, b"x" * 10_000_000)
    held.append(fd)
time.sleep(30)
`;
    const run = await hog("python3", hidden);
    expect([run.exitCode, run.stderr]).toEqual([null, expect.stringContaining("deleted files")]);
  });
});

describe("what is slow to measure", () => {
  it("is bounded: mappings in memory", async () => {
    const program = `
import ctypes, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
base = libc.mmap(None, 40_000 * 4096, 0, 0x22, -1, 0)
for at in range(0, 40_000, 2): libc.mprotect(base + at * 4096, 4096, 1)
time.sleep(30)
`;
    const run = await hog("python3", program);
    expect([run.exitCode, run.stderr]).toEqual([null, expect.stringContaining("too many memory mappings")]);
  });

  it("is bounded: open files of all processes", async () => {
    const program = `
import os, time
try:
    while True: os.open("/dev/null", os.O_RDONLY)
except OSError: pass
for _ in range(30):
    if os.fork() == 0: break
time.sleep(30)
`;
    const run = await hog("python3", program);
    expect([run.exitCode, run.stderr]).toEqual([null, expect.stringContaining("8192 files open")]);
  });

  it("is bounded: memory that many processes share", async () => {
    const program = `
import os, time
held = bytearray(150_000_000)
for _ in range(30):
    if os.fork() == 0: break
time.sleep(30)
`;
    const run = await hog("python3", program);
    expect([run.exitCode, run.stderr]).toEqual([null, expect.stringContaining("of memory")]);
  });
});

describe("processes", () => {
  it("are bounded: a fork bomb ends at its time limit, and the machine keeps working", async () => {
    const run = await hog("sh", "bomb() { bomb | bomb & }; bomb; sleep 60", { wallMs: 1_500 });
    expect(run.timedOut).toBe(true);
  });

  it("of one program do not use another's limit", async () => {
    const many =
      "import os, time\nfor _ in range(30):\n  if os.fork() == 0: time.sleep(1); os._exit(0)\nfor _ in range(30): os.wait()";
    const runs = await Promise.all([test.run("python3", many, {}, LIMITS), test.run("python3", many, {}, LIMITS)]);
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  });

  it("that spin end at their time limit", async () => {
    expect(await hog("sh", "while :; do :; done", { wallMs: 500 })).toMatchObject({ timedOut: true });
    expect(await hog("sh", "while :; do :; done", { cpuSeconds: 1 })).toMatchObject({
      timedOut: false,
      exitCode: 128 + 9,
    });
  });
});

describe("the disk", () => {
  it.each([
    ["one file", "head -c 200000000 /dev/zero > big", /./],
    ["many files", "i=0; while :; do head -c 10000000 /dev/zero > f$i; i=$((i+1)); done", /took more than \d+ bytes/],
    ["many small files", "i=0; while :; do : > f$i; i=$((i+1)); done", /more than 2000 files/],
    ["many folders", "i=0; while :; do mkdir $(seq -f $i-%g 200); i=$((i+1)); done", /more than 2000 files/],
    [
      "deep folders",
      "d=$(printf %0200d 7); while mkdir $d 2>/dev/null && cd -P $d; do :; done; sleep 20",
      /nested too deeply/,
    ],
    [
      "deleted files",
      'for i in 3 4 5 6 7 8 9; do eval "exec $i>gone$i"; head -c 15000000 /dev/zero >&$i; rm gone$i; done; sleep 20',
      /deleted files/,
    ],
    [
      "memory in /tmp",
      "head -c 15000000 /dev/zero > /tmp/a; head -c 15000000 /dev/zero > /dev/shm/b; head -c 15000000 /dev/zero > /tmp/c",
      /No space left/,
    ],
  ] as const)("is bounded: %s", async (_what, program, why) => {
    const run = await hog("sh", program);
    expect(run.timedOut).toBe(false);
    expect(run.exitCode).not.toBe(0);
    expect(run.stderr).toMatch(why);
  });

  it("bounds mapped deleted files", async () => {
    const program = `
import mmap, os, time
held = []
for at in range(12):
    with open("f", "w+b") as f:
        f.truncate(10_000_000); held.append(mmap.mmap(f.fileno(), 0)); held[-1].write(b"x" * 10_000_000)
    os.unlink("f")
time.sleep(30)
`;
    expect((await hog("python3", program)).stderr).toContain("deleted files");
  });

  it("counts a sparse file by its allocated size, and does not return it if it is too large", async () => {
    const run = await hog("sh", "truncate -s 19000000 sparse");
    expect(run).toMatchObject({ exitCode: 0, changes: { written: [], refused: [{ path: "sparse" }] } });
    expect((await hog("sh", "truncate -s 10000000000 sparse")).exitCode).not.toBe(0);
  });
});

describe("output", () => {
  it.each([
    ["stdout", "head -c 50000000 /dev/zero | tr '\\0' x"],
    ["stderr", "head -c 50000000 /dev/zero | tr '\\0' x >&2"],
    ["both", "(head -c 30000000 /dev/zero | tr '\\0' x >&2) & head -c 30000000 /dev/zero | tr '\\0' x; wait"],
  ])("is truncated, and the program exits normally: %s", async (_what, program) => {
    const run = await hog("sh", program);
    expect([run.exitCode, run.truncated]).toEqual([0, true]);
    expect(Math.max(run.stdout.length, run.stderr.length)).toBe(10_000);
  });

  it("can be closed while the program continues", async () => {
    const run = await hog("sh", "exec >&- 2>&-; sleep 0.3; echo done > after; exit 5");
    expect(run).toMatchObject({ exitCode: 5, changes: { written: [{ path: "after" }] } });
  });

  it("with invalid UTF-8 is decoded as far as possible", async () => {
    expect((await hog("sh", "printf 'a\\377b\\0c'")).stdout).toBe("a\uFFFDb\0c");
  });
});

it("output and input can be reopened by name", async () => {
  const run = await hog(
    "sh",
    "echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/fd/2; cat /dev/stdin; echo $?",
  );
  expect(run).toMatchObject({ exitCode: 0, stdout: "a\nc\n0\n", stderr: "b\nc\n" });
});
