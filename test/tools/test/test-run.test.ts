import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FakeProgram, fakeScripts } from "../../fakes/scripts.ts";
import { fakeFiles } from "../../fakes/files.ts";
import type { FilesPort } from "../../../core/ports/files.ts";
import type { ScriptRequest } from "../../../core/ports/scripts.ts";
import testRun from "../../../tools/test/run.ts";
import { OPEN_RULES, runTool } from "../run-tool.ts";

const root = join(import.meta.dirname, "../../..");
const reports = join(import.meta.dirname, "../__fixtures__/test-reports");
const recorded = (name: string) => readFileSync(join(reports, name), "utf8");
const FACTS = { permissions: ["exec"], sandbox: OPEN_RULES } as const;
const VITEST_PACKAGE = JSON.stringify({ devDependencies: { vitest: "5" } });

async function filesWith(texts: Readonly<Record<string, string>>): Promise<FilesPort> {
  const files = fakeFiles();
  for (const [path, text] of Object.entries(texts)) {
    await files.write(path, new TextEncoder().encode(text), { key: path });
  }
  return files;
}

/** Calls `test.run` on a project, with what its runner is said to do. */
async function run(project: Readonly<Record<string, string>>, program: FakeProgram, given: object = {}) {
  const files = await filesWith(project);
  let request: ScriptRequest | null = null;
  const scripts = fakeScripts((work, scriptRequest) => {
    request = scriptRequest;
    return program(work, scriptRequest);
  });
  const ran = await runTool(testRun, given, { files, scripts }, FACTS);
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the result holds
  return { ...(ran as any), request: request as ScriptRequest | null, files };
}

/** Runs what is asked for with the system's own shell, in a folder with the files and the packages of this repository. */
const really: FakeProgram = (work, { argv, cwd, env, timeoutMs }) => {
  const top = mkdtempSync(join(tmpdir(), "otto-tests-"));
  const temporary = join(top, "tmp");
  mkdirSync(temporary);
  for (const [path, bytes] of work) {
    mkdirSync(dirname(join(top, "work", path)), { recursive: true });
    writeFileSync(join(top, "work", path), bytes);
  }
  symlinkSync(join(root, "node_modules"), join(top, "work", cwd, "node_modules"));
  const [program, ...given] = argv;
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
  const ran = spawnSync(program, given, {
    cwd: join(top, "work", cwd),
    env: { PATH: path, HOME: temporary, TMPDIR: temporary, ...env },
    encoding: "utf8",
    timeout: timeoutMs,
  });
  rmSync(top, { recursive: true, force: true });
  return { exitCode: ran.status, stdout: ran.stdout, stderr: ran.stderr };
};

const SUMS = `
  import { expect, test } from "vitest";
  test("adds", () => expect(1 + 1).toBe(2));
  test("subtracts", () => expect(3 - 1).toBe(1));
  test.skip("later (because it is a skipped one that is wanted)", () => {});
`;

describe("vitest, really run", () => {
  it("reports what passed, failed and was skipped, and stores none of its changes", async () => {
    const project = { "app/package.json": VITEST_PACKAGE, "app/sums.test.mjs": SUMS };
    const { result, output, request, files } = await run(project, (work, scriptRequest) => {
      const ran = really(work, scriptRequest);
      work.set("app/left-behind.txt", new Uint8Array([1]));
      return ran;
    });
    expect(result).toMatchObject({ runner: "vitest", directory: "app", passed: 1, failed: 1, skipped: 1, note: null });
    expect(result.failures).toMatchObject([{ name: "subtracts", file: "app/sums.test.mjs" }]);
    expect(result.failures[0].message).toContain("expected 2 to be 1");
    expect(output).toContain("vitest: 1 passed, 1 failed, 1 skipped");
    expect(request).toMatchObject({ cwd: "app", network: null, timeoutMs: 60_000, maxChangedBytes: 0 });
    expect((await files.stat("app/left-behind.txt")).ok).toBe(false);
  });

  it("runs the given files with the given environment", async () => {
    const wanted = `import { expect, test } from "vitest"; test("reads", () => expect(process.env.MOOD).toBe("good"));`;
    const project = { "package.json": VITEST_PACKAGE, "sums.test.mjs": SUMS, "mood.test.mjs": wanted };
    const { result } = await run(project, really, { path: "mood.test.mjs", env: { MOOD: "good" } });
    expect(result).toMatchObject({ passed: 1, failed: 0, skipped: 0, failures: [], exit_code: 0 });
  });

  it("counts a file that cannot be loaded as a failure", async () => {
    const project = { "package.json": VITEST_PACKAGE, "bad.test.mjs": "import './no-such-file.mjs';" };
    const { result } = await run(project, really);
    expect(result).toMatchObject({ passed: 0, failed: 1, failures: [{ file: "bad.test.mjs" }] });
    expect(result.failures[0].message).toContain("no-such-file");
  });

  it("says when it finds no test", async () => {
    const { result } = await run({ "package.json": VITEST_PACKAGE }, really);
    expect(result).toMatchObject({ passed: 0, failed: 0 });
    expect(result.note).toMatch(/exit code 1/);
  });
}, 60_000);

describe("other runners, really run", () => {
  const NODE_SUMS = `
    import { test, describe } from "node:test";
    import assert from "node:assert";
    test("adds", () => {});
    describe("numbers", () => test("subtracts", () => assert.equal(3 - 1, 1)));
    test("later", { skip: true }, () => {});
  `;

  it.each([
    ["npm", { "package.json": '{"scripts":{"test":"node --test"}}', "sums.test.mjs": NODE_SUMS }],
    ["node", { "sums.test.mjs": NODE_SUMS }],
  ])("names each failure of node's own runner, started by %s", async (runner, project) => {
    const { result } = await run(project, really);
    expect(result).toMatchObject({ runner, passed: 1, failed: 1, skipped: 1, note: null });
    expect(result.failures).toMatchObject([{ name: "subtracts" }]);
    expect(result.failures[0].message).toMatch(/2\D+1/);
  });

  it("counts every run of node's own runner that npm test starts", async () => {
    const one = (name: string) =>
      `import { test } from "node:test"; test("${name}", () => { throw new Error("${name} broke"); });`;
    const project = {
      "package.json":
        '{"scripts":{"test":"node --test a.test.mjs; node --test sums.test.mjs; node --test b.test.mjs"}}',
      "a.test.mjs": one("first"),
      "b.test.mjs": one("last"),
      "sums.test.mjs": NODE_SUMS,
    };
    const { result } = await run(project, really);
    expect(result).toMatchObject({ runner: "npm", passed: 1, failed: 3, skipped: 1 });
    expect(result.failures.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      "first",
      "last",
      "subtracts",
    ]);
  });

  it("names each failure of pytest", async () => {
    const tests =
      "import pytest\ndef test_adds(): pass\ndef test_subtracts(): assert 3 - 1 == 1\n@pytest.mark.skip\ndef test_later(): pass\n";
    const { result } = await run({ "tests/test_sums.py": tests }, really);
    expect(result).toMatchObject({ runner: "pytest", passed: 1, failed: 1, skipped: 1, note: null });
    expect(result.failures).toMatchObject([{ name: "tests.test_sums::test_subtracts", file: "tests/test_sums.py" }]);
  });
}, 60_000);

describe("a runner that is not there", () => {
  it("is named, as its script says it", async () => {
    const { failure } = await run({ "mix.exs": "" }, (work, scriptRequest) =>
      really(work, { ...scriptRequest, env: { ...scriptRequest.env, PATH: "/nowhere" } }),
    );
    expect(failure).toMatchObject({ code: "not_available" });
    expect(failure.message).toBe("mix is not installed in the container, and the project does not bring it.");
  });
});

describe("the reports of other runners", () => {
  it.each([
    [
      "pytest.ini",
      "pytest.json",
      { runner: "pytest", passed: 2, failed: 2, skipped: 1 },
      {
        name: "tests.test_sums::test_subtracts",
        message: "AssertionError: three less one",
        file: "tests/test_sums.py",
      },
    ],
    [
      "Cargo.toml",
      "cargo.txt",
      { runner: "cargo", passed: 1, failed: 2, skipped: 1 },
      { name: "tests::subtracts", message: "assertion `left == right` failed: three less one" },
    ],
  ])("are read: %s", async (marker, report, counts, { message, ...first }) => {
    const { result } = await run({ [marker]: "" }, () => ({ stdout: recorded(report), exitCode: 1 }));
    expect(result).toMatchObject({ ...counts, note: null });
    expect(result.failures).toHaveLength(counts.failed);
    expect(result.failures[0]).toMatchObject(first);
    expect(result.failures[0].message).toContain(message);
  });

  it.each([
    [recorded("npm-node.txt"), [1, 1, 1]],
    ["# tests 9\n# pass 5\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 1\n", [5, 2, 2]],
    ["Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 skipped, 1 todo, 3 passed, 7 total\n", [3, 1, 3]],
    [" Test Files  1 passed (1)\n      Tests  1 failed | 2 passed | 1 skipped (4)\n", [2, 1, 1]],
    ["  3 passing (12ms)\n  1 pending\n  2 failing\n\n  1) sums:\n", [3, 2, 1]],
    ["\u001b[32m  3 passing\u001b[0m\u001b[90m (12ms)\u001b[0m\n", [3, 0, 0]],
  ])("are read of what npm test says: %j", async (stdout, [passed, failed, skipped]) => {
    const project = { "package.json": JSON.stringify({ scripts: { test: "node --test" } }) };
    const { result } = await run(project, () => ({ stdout, exitCode: failed === 0 ? 0 : 1 }));
    expect(result).toMatchObject({ runner: "npm", passed, failed, skipped });
    expect(result.failures).toHaveLength(failed === 0 ? 0 : 1);
  });

  it("are read of Go's events: tests by their subtests, and a package that does not build", async () => {
    const events = [
      { Action: "run", Package: "sums", Test: "TestAll" },
      { Action: "output", Package: "sums", Test: "TestAll/two", Output: "    sums_test.go:9: want 2\n" },
      { Action: "pass", Package: "sums", Test: "TestAll/one" },
      { Action: "fail", Package: "sums", Test: "TestAll/two" },
      { Action: "fail", Package: "sums", Test: "TestAll" },
      { Action: "skip", Package: "sums", Test: "TestLater" },
      { Action: "fail", Package: "sums" },
      { Action: "output", Package: "broken", Output: "FAIL\tbroken [build failed]\n" },
      { Action: "fail", Package: "broken" },
    ];
    const stdout = `not json\n${events.map((event) => JSON.stringify(event)).join("\n")}\n`;
    const { result } = await run({ "go.mod": "" }, () => ({ stdout, exitCode: 1 }));
    expect(result).toMatchObject({ runner: "go", passed: 1, failed: 2, skipped: 1 });
    expect(result.failures).toEqual([
      { name: "sums TestAll/two", message: "sums_test.go:9: want 2" },
      { name: "broken", message: "FAIL\tbroken [build failed]" },
    ]);
  });

  it("are read of ExUnit's text", async () => {
    const stdout = `..
  1) test adds (SumsTest)
     test/sums_test.exs:7
     Assertion with == failed
     code:  assert 1 + 1 == 3
     left:  2

Finished in 0.03 seconds
1 doctest, 5 tests, 1 failure, 2 skipped
`;
    const { result } = await run({ "mix.exs": "", "test/sums_test.exs": "" }, () => ({ stdout, exitCode: 2 }));
    expect(result).toMatchObject({ runner: "mix", passed: 2, failed: 1, skipped: 2 });
    expect(result.failures).toMatchObject([{ name: "test adds (SumsTest)", file: "test/sums_test.exs" }]);
    expect(result.failures[0].message).toContain("left:  2");
  });

  it("are read to their end, whatever a test makes of them", async () => {
    const hostile = [
      "---- a stdout ----\n",
      "  1) x\n",
      "Tests: 1 a, 1 a, ",
      "\n \n",
      '{"Action":"fail","Package":"p","Test":"a/b"}\n',
    ];
    for (const marker of ["Cargo.toml", "mix.exs", "go.mod"]) {
      for (const part of hostile) {
        const stdout = part.repeat(Math.floor(1_000_000 / part.length));
        expect(await run({ [marker]: "" }, () => ({ stdout, exitCode: 1 }))).toHaveProperty("result");
      }
    }
  });
});

describe("a run without a report", () => {
  it.each([
    [{ exitCode: 1, stderr: "a mistake in the configuration" }, 1, "ended before it reported"],
    [{ exitCode: 0, stderr: "" }, 0, "did not say how many tests ran"],
  ])("%j is reported unchanged", async (said, failed, note) => {
    const { result } = await run({ "pytest.ini": "" }, () => said);
    expect(result).toMatchObject({ passed: 0, failed, skipped: 0, note: expect.stringContaining(note) });
    expect(result.failures.map(({ message }: { message: string }) => message)).toEqual(
      failed === 0 ? [] : [said.stderr],
    );
  });

  it("that takes too long is a failure of the call", async () => {
    const { failure } = await run({ "pytest.ini": "" }, () => ({ timedOut: true, exitCode: null }), { timeout_ms: 5 });
    expect(failure).toMatchObject({ code: "timeout", message: "The tests did not end within 5 ms." });
  });
});

describe("the project", () => {
  const runnerOf = async (paths: readonly string[], path?: string) => {
    const project = Object.fromEntries(paths.map((one) => [one, one.endsWith("package.json") ? VITEST_PACKAGE : ""]));
    const { result, failure } = await run(project, () => undefined, path === undefined ? {} : { path });
    return failure === undefined ? `${result.runner} ${result.directory}` : failure.code;
  };

  it.each([
    [["package.json", "pyproject.toml"], undefined, "vitest "],
    [["package.json", "pyproject.toml"], "tests/test_a.py::test_x", "pytest "],
    [["package.json", "web/package.json"], "web/a.test.ts", "vitest web"],
    [["package.json", "web/package.json"], "other/a.test.ts", "vitest "],
    [["a/b/mix.exs", "z/go.mod"], undefined, "go z"],
    [["a/b/mix.exs", "z/go.mod"], "a/b/test/x_test.exs", "mix a/b"],
    [["src/vitest.config.mts"], undefined, "vitest src"],
    [["tests/test_a.py"], undefined, "pytest "],
    [["lib/a_test.py"], undefined, "pytest "],
    [["node_modules/x/package.json", "node_modules/x/Cargo.toml"], undefined, "not_found"],
    [["test/sums.js", "lib/sums.js"], undefined, "node "],
    [["lib/sums.test.ts"], undefined, "node "],
    [["pytest.ini", "web/a.test.js"], undefined, "pytest "],
    [["notes.md", "main.py"], undefined, "not_found"],
  ])("of %j for %s is %s", async (paths, path, expected) => {
    expect(await runnerOf(paths, path)).toBe(expected);
  });

  it.each([
    ['{"scripts":{"test":"node --test"}}', "npm"],
    ['{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}', undefined],
    ['{"scripts":{"test":"x"},"dependencies":{"vitest":"1"}}', "vitest"],
    ["not json", undefined],
    ['{"scripts":[]}', undefined],
  ])("with the package.json %s has the runner %s", async (text, expected) => {
    const { result } = await run({ "package.json": text }, () => undefined);
    expect(result?.runner).toBe(expected);
  });

  it("gets a path as an argument of its own, after everything that the runner reads as an option", async () => {
    const argvOf = async (marker: string, path: string) =>
      (await run({ [marker]: "" }, () => undefined, { path })).request?.argv;
    expect((await argvOf("a/pytest.ini", "a/tests/test_x.py"))?.slice(3)).toEqual(["sh", "tests/test_x.py"]);
    expect((await argvOf("go.mod", "pkg/sums/sums_test.go"))?.slice(3)).toEqual(["sh", "./pkg/sums"]);
    expect((await argvOf("go.mod", "sums_test.go"))?.slice(3)).toEqual(["sh", "./"]);
    const { failure } = await run({ "pytest.ini": "" }, () => undefined, { path: "--rootdir=/" });
    expect(failure).toMatchObject({ code: "invalid_input", field: "path" });
    const reserved = await run({ "pytest.ini": "" }, () => undefined, { env: { PATH: "." } });
    expect(reserved.failure).toMatchObject({ code: "invalid_input", field: "env" });
  });
});
