/** What a program can leave in its folder, and what of it comes back. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startCaged } from "../../../sidecar/cage/start-caged.ts";
import { DEFAULT_LIMITS } from "../../../sidecar/cage/cage.ts";
import { findChanges } from "../../../sidecar/cage/changes.ts";
import { openTestCages, type TestCages } from "./caged.ts";

let test: TestCages;
let own = 0;

beforeAll(async () => {
  test = await openTestCages();
});

afterAll(async () => {
  await test.close();
});

/** Runs a program on some files, by path. */
async function changes(program: string, files: Readonly<Record<string, string>> = {}) {
  const folder = join(test.folder, `own-${(own += 1)}`);
  await mkdir(join(folder, "work"), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, "work", path, ".."), { recursive: true });
    await writeFile(join(folder, "work", path), text);
  }
  const work = Object.keys(files).map((path) => ({ path, mode: 0o644 }));
  const run = await test.run("sh", program, { folder, work });
  expect(readdirSync(test.cages.folder.path).filter((name) => name.startsWith("run-"))).toEqual([]);
  const { written, removed, refused } = run.changes;
  return { run, written, removed, refused, names: written.map(({ path }) => path).toSorted() };
}

it("brings back plain files as they are", async () => {
  const { written } = await changes("mkdir -p a/b; printf hello > a/b/c; chmod 750 a/b/c");
  expect(written).toMatchObject([{ path: "a/b/c", size: 5, mode: 0o750 }]);
  expect(readFileSync(written[0]?.from ?? "", "utf8")).toBe("hello");
});

it("takes a file for changed by what it holds, not by its time", async () => {
  const program = "touch same; printf two > new; mv new changed; printf one > x; cat x > same; rm x";
  expect((await changes(program, { same: "one", changed: "one" })).names).toEqual(["changed"]);
});

it("calls nothing removed where it cannot look", async () => {
  const before = new Map([["a", { size: 1, mode: 0o644, hash: "" }]]);
  const limits = { workFiles: 10, maxBytes: 10, maxFiles: 10 };
  await writeFile(join(test.folder, "no-folder"), "");
  await expect(findChanges(join(test.folder, "no-folder"), before, limits)).rejects.toThrow("ENOTDIR");
});

it("follows no link, wherever it leads", async () => {
  const { written, refused, removed } = await changes(
    "ln -s /etc/passwd a; ln -s /proc/self/environ b; ln -s . c; ln -s ../.. d; ln -s /skill e; rm -r sub; ln -s /usr sub",
    { "sub/kept.txt": "kept" },
  );
  expect([written, removed]).toEqual([[], []]);
  expect(refused.map(({ path }) => path).toSorted()).toEqual(["a", "b", "c", "d", "e", "sub"]);
});

it("links nothing from elsewhere, and brings a file with two names here back twice", async () => {
  const { names, run } = await changes(
    "ln /etc/passwd hard; ln /skill/x hard2; ln /proc/self/exe hard3; echo 1 > one; ln one two",
  );
  expect(names).toEqual(["one", "two"]);
  expect(run.stderr).toMatch(/hard/);
});

it("refuses sockets, pipes and whatever else is no file", async () => {
  const program = `mkfifo pipe; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'; echo 1 > file`;
  const { names, refused } = await changes(program);
  expect(names).toEqual(["file"]);
  expect(refused.map(({ path }) => path).toSorted()).toEqual(["pipe", "socket"]);
});

it("cannot be led astray by names that change all the time: it looks when the program is gone", async () => {
  const swap =
    "mkdir d; (while :; do rm -rf s; ln -s /etc s; rm s; mkdir s; echo x > s/passwd; done) & sleep 0.4; exit 0";
  const { written } = await changes(swap);
  for (const { path, from } of written) {
    expect(path).toBe("s/passwd");
    // Its last line may have been cut off between the making of a file and the writing.
    expect(["x\n", ""]).toContain(readFileSync(from, "utf8"));
  }
});

it("refuses names that no sandbox takes, by what can be shown of them", async () => {
  const program = String.raw`import os
for name in [b"new\nline", b"bell\x07", b"not\xffutf8", b"back\\slash", b"x" * 255, b"ok"]:
    open(name, "w").write("1")
os.makedirs("a" * 200 + "/" + "b" * 200 + "/" + "c" * 200 + "/" + "d" * 200 + "/" + "e" * 200 + "/" + "f" * 200)
open("a" * 200 + "/" + "b" * 200 + "/" + "c" * 200 + "/" + "d" * 200 + "/" + "e" * 200 + "/" + "f" * 200 + "/x", "w")
`;
  const run = await test.run("python3", program);
  expect(run.changes.written.map(({ path }) => path).toSorted()).toEqual(["ok", "x".repeat(255)]);
  const names = run.changes.refused.map(({ path }) => path);
  expect(names).toEqual(expect.arrayContaining(["new\uFFFDline", "bell\uFFFD", "not\uFFFDutf8", "back\\slash"]));
  expect(names.every((name) => !/\p{Cc}/u.test(name) && name.length <= 200)).toBe(true);
});

it("takes two names that a sandbox cannot tell apart for one", async () => {
  const { names, refused } = await changes(
    "printf 1 > \"$(printf 'a\\314\\210')\"; printf 2 > \"$(printf '\\303\\244')\"",
  );
  expect([names, refused.length]).toEqual([["ä"], 1]);
});

it("takes the rights of a user from a file that would give them to others", async () => {
  const { written } = await changes("cp /bin/true t; chmod 6755 t");
  expect(written).toMatchObject([{ path: "t", mode: 0o755 }]);
});

it("reads what the program shut, and removes it", async () => {
  const { names } = await changes("mkdir shut; echo 1 > shut/in; chmod 000 shut/in shut; echo 2 > own; chmod 000 own");
  expect(names).toEqual(["own", "shut/in"]);
});

it("brings nothing back of too many files, of too many bytes, or of more than it looks at", async () => {
  const many = await test.run("sh", "i=0; while [ $i -lt 1200 ]; do echo 1 > f$i; i=$((i+1)); done");
  expect(many.changes.written).toEqual([]);
  expect(many.changes.refused).toHaveLength(201);
  expect(many.changes.refused[0]?.why).toContain("More than 1000 files");
  const large = await test.run("sh", "head -c 2000000 /dev/zero > big; echo 1 > small");
  expect(large.changes).toMatchObject({
    written: [],
    refused: [{ why: expect.stringContaining("1000000 bytes") }, {}],
  });
  const swarm = await test.run("python3", "for at in range(3000): open(f'f{at}', 'w')", {}, { workFiles: 500 });
  expect(swarm.changes.written).toEqual([]);
  expect(swarm.changes.removed).toEqual([]);
  expect(swarm.changes.refused).toMatchObject([{ path: "", why: expect.stringContaining("500 files") }]);
});

it("removes a tree that is deeper than any path", async () => {
  const deep = "import os\nfor _ in range(60):\n  os.mkdir('d' * 200)\n  os.chdir('d' * 200)\n";
  const run = await test.run("python3", deep);
  expect(run.changes.written).toEqual([]);
  expect(readdirSync(test.cages.folder.path).filter((name) => name.startsWith("run-"))).toEqual([]);
});

it("puts what was written outside the program's reach, with the sidecar as its keeper", async () => {
  const { written } = await changes("echo 1 > a");
  const from = written[0]?.from ?? "";
  expect([existsSync(from), statSync(from).isFile()]).toEqual([true, true]);
});

it("shows what lies where no other user may pass, as programs of the sidecar can", async () => {
  const shut = join(test.folder, "shut");
  await mkdir(join(shut, "parts"), { recursive: true, mode: 0o700 });
  await writeFile(join(shut, "parts", "a.txt"), "from a shut folder");
  for (const _ of [1, 2]) {
    const started = await startCaged(test.cages, {
      argv: ["cat", "/parts/a.txt"],
      cwd: "/tmp",
      env: {},
      mounts: [{ from: join(shut, "parts"), at: "/parts", writable: false }],
      limits: DEFAULT_LIMITS,
      network: null,
    });
    if (!started.ok) throw new Error(started.error.message);
    expect(await text(started.value.stdout)).toBe("from a shut folder");
    await started.value.ended;
  }
});

it("lets a program that stays hear and answer, until it is killed", async () => {
  const started = await startCaged(test.cages, {
    argv: ["python3", "-uc", "import sys\nfor line in sys.stdin: sys.stdout.write(line.upper())"],
    cwd: "/tmp",
    env: {},
    mounts: [],
    limits: DEFAULT_LIMITS,
    network: null,
  });
  if (!started.ok) throw new Error(started.error.message);
  const { stdin, stdout } = started.value;
  for (const word of ["one", "two"]) {
    const answer = new Promise<string>((resolve) => stdout.once("data", (chunk: Buffer) => resolve(chunk.toString())));
    stdin.write(`${word}\n`);
    expect(await answer).toBe(`${word.toUpperCase()}\n`);
  }
  expect(await started.value.kill("It is idle.")).toEqual({
    exitCode: null,
    killed: "It is idle.",
    endedFromOutside: false,
    timedOut: false,
  });
});
