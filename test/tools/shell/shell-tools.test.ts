import { beforeEach, describe, expect, it } from "vitest";
import { type FakeProgram, fakeScripts } from "../../fakes/scripts.ts";
import { MAX_CHANGED_BYTES, MAX_COPIED_BYTES, MAX_COPIED_FILES } from "../../../core/sandbox/working-copy.ts";
import type { FilesPort } from "../../../core/ports/files.ts";
import type { ScriptRequest } from "../../../core/ports/scripts.ts";
import type { CallFacts } from "../../../core/tool/tool.ts";
import executeCommand from "../../../tools/shell/execute-command.ts";
import runCommand from "../../../tools/shell/run-command.ts";
import { DEFAULT_RULES, OPEN_RULES, runTool } from "../run-tool.ts";
import { decode, encode, files, OPEN, openSandbox, read, run, seen, write } from "./shell-on-fakes.ts";

beforeEach(openSandbox);

describe("whether a command runs", () => {
  it("is off until the agent has allow_shell, as document 001 words it", async () => {
    for (const config of [{}, { allow_shell: false, allowed_commands: ["true"] }]) {
      const { result } = await run({}, undefined, { config });
      expect(result).toMatchObject({ stdout: "", returncode: -1, success: false });
      expect(result.stderr).toContain("Shell execution is disabled");
    }
    expect(seen).toEqual([]);
  });

  it.each(["git; rm -rf .", "gitfoo", "git $(rm x)", "git\nrm x", "git > out"])(
    "is no for %j under a list of git, without anything being started",
    async (command) => {
      const { result } = await run({ command }, undefined, {
        config: { allow_shell: true, allowed_commands: ["git"] },
      });
      expect(result).toMatchObject({ stdout: "", returncode: -1, success: false });
      expect(result.stderr).toContain("not permitted");
      expect(seen).toEqual([]);
    },
  );

  it("is yes for what a list admits, which the shell is given quoted", async () => {
    const config = { allow_shell: true, allowed_commands: ["git"] };
    await run({ command: "git log | git cat-file -p HEAD" }, undefined, { config });
    await run({ command: "echo $HOME > x" });
    expect(seen.map(({ argv }) => argv)).toEqual([
      ["/bin/sh", "-c", "'git' 'log' | 'git' 'cat-file' '-p' 'HEAD'"],
      ["/bin/sh", "-c", "echo $HOME > x"],
    ]);
  });
});

describe("what a command is given", () => {
  it("is the files that the agent's rules show, those of the project's folder too", async () => {
    await run({}, undefined, { sandbox: { ...OPEN_RULES, deniedPatterns: DEFAULT_RULES.deniedPatterns } });
    await run({}, undefined, { sandbox: { ...OPEN_RULES, allowedPaths: ["src"], deniedPatterns: [] } });
    await run({ files: ["src/b.txt", "project/", "src"] });
    await write("d.csv", "x");
    await run({}, undefined, { sandbox: { ...OPEN_RULES, extensions: [".csv"] } });
    expect(seen.map((request) => request.files.map(({ path }) => path))).toEqual([
      ["a.txt", "project/c.txt", "src/b.txt"],
      ["src/.env", "src/b.txt"],
      ["src/b.txt", "project/c.txt", "src/.env"],
      ["d.csv"],
    ]);
  });

  it("is a directory to run in that exists", async () => {
    await files.makeDirectory("empty", { key: "empty" });
    for (const cwd of [".", "", "src", "src/", "empty"]) await run({ cwd });
    expect(seen.map(({ cwd }) => cwd)).toEqual(["", "", "src", "src", "empty"]);
    expect(await run({ cwd: "no" })).toMatchObject({ failure: { code: "not_found", field: "cwd" } });
    expect(await run({ cwd: "a.txt" })).toMatchObject({ failure: { code: "not_found", field: "cwd" } });
    expect(await run({ cwd: "../.." })).toMatchObject({ failure: { code: "sandbox_denied", field: "cwd" } });
    expect(await run({ files: ["no"] })).toMatchObject({ failure: { code: "not_found", field: "files" } });
    expect(seen).toHaveLength(5);
  });

  it("is no more time than the agent's max_timeout and 120 s", async () => {
    await run({});
    await run({ timeout: 500 });
    await run({ timeout: 500 }, undefined, { config: { allow_shell: true, max_timeout: 5 } });
    await run({ timeout: 0.5 });
    expect(seen.map(({ timeoutMs }) => timeoutMs)).toEqual([30_000, 120_000, 5_000, 500]);
  });

  it("is the network when the settings ask for it and the agent has the permission, and then its hosts", async () => {
    const network = { allow_shell: true, network: true };
    const facts = { allowedDomains: ["example.com"] };
    await run({}, undefined, facts);
    await run({}, undefined, { ...facts, config: network });
    await run({}, undefined, { ...facts, config: network, permissions: ["exec"] });
    expect(seen.map((request) => request.network)).toEqual([null, ["example.com"], null]);
  });

  it("is bounded, and what is too much is refused before anything runs, with what to do", async () => {
    const [first] = (await files.walk("", null, 1)).ok ? [await files.stat("a.txt")] : [];
    if (first?.ok !== true) throw new Error("there is no file");
    const many = Array.from({ length: MAX_COPIED_FILES + 1 }, (_, index) => ({ ...first.value, path: `${index}.txt` }));
    const huge = [{ ...first.value, size: MAX_COPIED_BYTES + 1 }];
    for (const entries of [many, huge]) {
      const walk: FilesPort["walk"] = async () => ({ ok: true, value: { files: entries, next: null } });
      const ran = await runTool(
        runCommand,
        { command: "x" },
        { files: { ...files, walk }, scripts: fakeScripts() },
        OPEN,
      );
      expect(ran.failure).toMatchObject({ code: "too_large", field: "files", happened: "no" });
      expect(ran.failure?.message).toContain("Name the files and directories that it needs");
    }
  });

  it("is fetched a few files ahead of their turn, each once", async () => {
    for (let at = 0; at < 20; at += 1) await write(`many/${at}.txt`, `${at}`);
    const fetched: string[] = [];
    const aheads: number[] = [];
    const counting: FilesPort = {
      ...files,
      readEntry: async (entry) => {
        fetched.push(entry.path);
        return await files.readEntry(entry);
      },
    };
    const scripts = fakeScripts();
    const expected = {
      run: async (request: ScriptRequest) => {
        const opened = request.files.map((file, at) => ({
          ...file,
          open: async () => {
            const bytes = await file.open();
            aheads.push(fetched.length - at - 1);
            return bytes;
          },
        }));
        return await scripts.run({ ...request, files: opened });
      },
    };
    const command = "cat many/7.txt";
    const { result } = (await runTool(
      runCommand,
      { command, files: ["many"] },
      { files: counting, scripts: expected },
      OPEN,
    )) as any; // oxlint-disable-line typescript/no-explicit-any -- a test reads whatever the result holds
    expect(result.stdout).toBe("7");
    expect(new Set(fetched).size).toBe(20);
    expect(fetched).toHaveLength(20);
    expect(Math.max(...aheads)).toBe(4);
  });

  it("omits a file with a name that no disk accepts, and says so", async () => {
    await write(`src/${"é".repeat(128)}.txt`, "x");
    const { result } = await run({});
    expect(seen[0]?.files.map(({ path }) => path)).not.toContain(`src/${"é".repeat(128)}.txt`);
    expect(result.refused).toMatchObject([{ why: expect.stringContaining("too long for a disk") }]);
  });
});

describe("what a command changed", () => {
  it("goes back, with a word on each file", async () => {
    const { result, output } = await run({}, (work) => {
      work.set("a.txt", encode("new"));
      work.set("made/d.txt", encode("made"));
      work.delete("src/b.txt");
      return { stdout: "done\n" };
    });
    expect(result).toMatchObject({ stdout: "done\n", returncode: 0, success: true, note: null, refused: [] });
    expect(result.changed).toEqual([
      { path: "a.txt", change: "written" },
      { path: "made/d.txt", change: "written" },
      { path: "src/b.txt", change: "removed" },
    ]);
    expect([await read("a.txt"), await read("made/d.txt"), await read("src/b.txt")]).toEqual(["new", "made", null]);
    expect(output).toContain("a.txt (written), made/d.txt (written), src/b.txt (removed)");
  });

  it("goes back also when it failed, and happens once for a call", async () => {
    const key = "the-call";
    const program: FakeProgram = (work) => {
      work.set("a.txt", encode(`${decode(work.get("a.txt"))}+`));
      return { exitCode: 3, stderr: "no" };
    };
    const { result } = await run({}, program, { key });
    expect(result).toMatchObject({ returncode: 3, success: false, stderr: "no", changed: [{ path: "a.txt" }] });
    await run({}, program, { key });
    expect(await read("a.txt")).toBe("a.txt+");
  });

  it("is held in memory until it is back, and no longer", async () => {
    const seenThen: boolean[] = [];
    let isLetGo = false;
    const apply: FilesPort["apply"] = async (...given) => {
      seenThen.push(isLetGo);
      return await files.apply(...given);
    };
    const scripts = fakeScripts((work, { inUse }) => {
      void inUse?.then(() => (isLetGo = true));
      work.set("a.txt", encode("new"));
      return undefined;
    });
    await runTool(runCommand, { command: "x" }, { files: { ...files, apply }, scripts }, OPEN);
    expect([...seenThen, isLetGo]).toEqual([false, true]);
  });

  it("is empty if not all of it can be returned, and the note says why", async () => {
    const huge = await run({}, (work) => void work.set("huge.bin", new Uint8Array(MAX_CHANGED_BYTES + 1)));
    expect(huge.result).toMatchObject({ changed: [], refused: [{ path: "huge.bin" }] });
    expect(huge.result.note).toBe("Nothing that the command changed was kept: too much was written");
    const sandbox = { ...OPEN_RULES, deniedPatterns: [".env*"] };
    const denied = await run({}, (work) => void work.set(".env", encode("x")), { sandbox });
    expect(denied.result.note).toBe("Nothing that the command changed was kept: File access denied by sandbox: .env");
  });

  it("is named and refused where the rules deny it, and the rest goes back", async () => {
    const sandbox = { ...OPEN_RULES, deniedPatterns: [".env*"], allowedPaths: ["src"] };
    const program: FakeProgram = (work) => {
      for (const path of ["src/.env", "src/new.txt", "a.txt", "../x", "src/a\u0001b"]) work.set(path, encode("x"));
      return undefined;
    };
    const { result, output } = await run({}, program, { sandbox });
    expect(result.changed).toEqual([{ path: "src/new.txt", change: "written" }]);
    expect(result.refused.map(({ path }: { path: string }) => path)).toEqual([
      "src/.env",
      "a.txt",
      "../x",
      "src/a\u0001b",
    ]);
    expect(output).toContain("src/.env: File access denied by sandbox\n");
    expect([await read("src/.env"), await read("a.txt")]).toEqual(["src/.env", "a.txt"]);
  });

  it("never replaces a file through another spelling of its path", async () => {
    const { result } = await run({}, (work) => void work.set("sandbox:/a.txt", encode("other")));
    expect(result.changed).toEqual([]);
    expect(result.refused).toEqual([
      { path: "sandbox:/a.txt", why: 'path: a path must be in its canonical form: write "a.txt"' },
    ]);
    expect(await read("a.txt")).toBe("a.txt");
  });

  it.each<[string, Partial<CallFacts>, string]>([
    [
      "allow_write is false",
      { sandbox: { ...OPEN_RULES, allowWrite: false } },
      "Write access is disabled (allow_write=False).",
    ],
    ["it lacks the permission", { permissions: ["exec"] }, "The agent does not have the permission write."],
  ])("is dropped when the agent may not write, as %s, and the result says so", async (_what, facts, why) => {
    const program: FakeProgram = (work) => {
      work.set("a.txt", encode("new"));
      return { stdout: "read it" };
    };
    const { result } = await run({}, program, facts);
    expect(result).toMatchObject({ stdout: "read it", changed: [], refused: [{ path: "a.txt", why }] });
    expect(result.note).toContain(why);
    expect(await read("a.txt")).toBe("a.txt");
    expect((await run({}, undefined, facts)).result.note).toBeNull();
  });

  it("is dropped completely if another call changed one of the files meanwhile, which is named", async () => {
    const { result, output } = await run({}, async (work) => {
      await write("a.txt", "meanwhile");
      await write("new.txt", "meanwhile");
      work.set("a.txt", encode("new"));
      work.set("new.txt", encode("new"));
      work.set("other.txt", encode("new"));
      work.delete("src/b.txt");
      return undefined;
    });
    expect(result).toMatchObject({ changed: [], refused: [{ path: "a.txt" }, { path: "new.txt" }] });
    expect(output).toContain("Nothing that the command changed was kept: a.txt is at version 2, not 1");
    expect([await read("a.txt"), await read("src/b.txt"), await read("other.txt")]).toEqual([
      "meanwhile",
      "src/b.txt",
      null,
    ]);
  });

  it("is dropped completely if it does not fit, and the files that the cage withheld are named", async () => {
    const huge: FakeProgram = (work) => {
      work.set("huge.bin", new Uint8Array(MAX_CHANGED_BYTES + 1));
      work.delete("a.txt");
      return undefined;
    };
    expect((await run({}, huge)).result).toMatchObject({ changed: [], refused: [{ path: "huge.bin" }] });
    const apply: FilesPort["apply"] = async () => ({
      ok: false,
      error: { code: "quota_exceeded", message: "The sandbox would hold 9 bytes, and no more than 8 fit." },
    });
    const scripts = fakeScripts((work) => {
      work.set("a.txt", encode("new"));
      return undefined;
    });
    const ran = await runTool(runCommand, { command: "x" }, { files: { ...files, apply }, scripts }, OPEN);
    expect(ran.result).toMatchObject({ changed: [], note: expect.stringContaining("no more than 8 fit") });
    const half: FilesPort["apply"] = async () => ({
      ok: false,
      error: { code: "outcome_unknown", message: "Some of the changes may have been made." },
    });
    const unknown = await runTool(runCommand, { command: "x" }, { files: { ...files, apply: half }, scripts }, OPEN);
    expect(unknown.result).toMatchObject({ changed: [], note: "Some of the changes may have been made." });
    expect(await read("a.txt")).toBe("a.txt");
  });
});

describe("how a command ended", () => {
  it.each([
    [
      { timedOut: true, exitCode: null, signal: "SIGKILL", stderr: "half" },
      -1,
      "half\nCommand timed out after 30 seconds",
    ],
    [{ exitCode: null, signal: "SIGSEGV" }, -1, "Command was ended by SIGSEGV"],
    [{ exitCode: 2, stderr: "bad\n" }, 2, "bad\n"],
  ])("is reported for %j", async (said, returncode, stderr) => {
    expect((await run({}, () => said)).result).toMatchObject({ returncode, stderr, success: false });
  });

  it("is a failure of the call when the cage could not run it", async () => {
    const error = { code: "not_available", message: "There is no cage.", happened: "no" } as const;
    const scripts = { run: async () => ({ ok: false, error }) as const };
    expect((await runTool(runCommand, { command: "x" }, { files, scripts }, OPEN)).failure).toEqual(error);
  });
});

describe("execute_command", () => {
  it("gives document 002's names, and less of the output", async () => {
    const requests: ScriptRequest[] = [];
    const scripts = fakeScripts((_, request) => {
      requests.push(request);
      return { stdout: "x", truncated: true, durationMs: 12 };
    });
    for (const tool of [executeCommand, runCommand]) {
      const ran = await runTool(tool, { command: "x" }, { files, scripts }, OPEN);
      expect(ran.output).toContain("The output was longer and is cut.");
      if (tool === executeCommand) {
        expect(ran.result).toMatchObject({
          stdout: "x",
          exit_code: 0,
          success: true,
          duration_ms: 12,
          truncated: true,
        });
      }
    }
    expect(requests.map(({ maxOutputBytes }) => maxOutputBytes)).toEqual([51_200, 102_400]);
  });
});
