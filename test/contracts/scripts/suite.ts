/** What every cage does, whatever is behind it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failed } from "../../../core/base/errors.ts";
import type { ScriptFile, ScriptRequest, ScriptRun, ScriptsPort } from "../../../core/ports/scripts.ts";
import { scriptFile, shell } from "./script-request.ts";

/** Where the work folder is in the cage. */
const WORK = "/work";

export interface ScriptsUnderTest {
  readonly scripts: ScriptsPort;
  close(): Promise<void>;
}

export function scriptsContract(name: string, open: () => Promise<ScriptsUnderTest>): void {
  describe(`scripts: ${name}`, () => {
    let cage: ScriptsUnderTest;
    beforeAll(async () => {
      cage = await open();
    });
    afterAll(() => cage.close());

    async function ran(command: string, more: Partial<ScriptRequest> = {}): Promise<ScriptRun> {
      const run = await cage.scripts.run(shell(command, more));
      if (!run.ok) throw new Error(run.error.message);
      return run.value;
    }
    const texts = (run: ScriptRun) =>
      Object.fromEntries(run.written.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]));

    it("returns a program's output and exit code", async () => {
      const run = await ran("echo hello; echo oh >&2; exit 3");
      expect(run).toMatchObject({ exitCode: 3, signal: null, timedOut: false, stdout: "hello\n", stderr: "oh\n" });
      expect([run.truncated, run.written, run.removed, run.refused]).toEqual([false, [], [], []]);
    });

    it("calls a program that fails a run", async () => {
      expect(await ran("no-such-program")).toMatchObject({ exitCode: 127 });
    });

    it("gives files to the program, and back what it changed", async () => {
      const files = [scriptFile("a.txt", "one\n"), scriptFile("sub/b.txt", "two\n"), scriptFile("c.txt", "three\n")];
      const run = await ran("cat a.txt; echo 2 > sub/b.txt; rm c.txt; echo new > d.txt; echo one > a.txt", { files });
      expect(run).toMatchObject({ exitCode: 0, stdout: "one\n", removed: ["c.txt"], refused: [] });
      expect(texts(run)).toEqual({ "sub/b.txt": "2\n", "d.txt": "new\n" });
    });

    it("retains modes, and reports a changed mode as a change", async () => {
      const files = [scriptFile("run.sh", "echo hi\n", 0o644), scriptFile("own.sh", "echo\n", 0o755)];
      const run = await ran("chmod 755 run.sh", { files });
      expect(run.written.map(({ path, mode }) => [path, mode])).toEqual([["run.sh", 0o755]]);
    });

    it("starts in the given folder, with the given environment", async () => {
      const files = [scriptFile("sub/b.txt", "two\n")];
      const run = await ran("pwd; cat b.txt; printenv OWN; printenv SIDECAR_SECRET", {
        cwd: "sub",
        env: { OWN: "mine" },
        files,
      });
      expect(run).toMatchObject({ stdout: `${WORK}/sub\ntwo\nmine\n`, exitCode: 1 });
    });

    it("shows a skill's files, which are not part of the work", async () => {
      const run = await ran("cat /skill/data.txt", { skill: [scriptFile("data.txt", "from the skill\n", 0o600)] });
      expect(run).toMatchObject({ stdout: "from the skill\n", written: [], removed: [] });
    });

    it("returns the start of an output that is too long", async () => {
      const run = await ran("echo äöü; echo more", { maxOutputBytes: 3 });
      expect(run).toMatchObject({ stdout: "ä", truncated: true, exitCode: 0 });
    });

    it("ends a program after its time", async () => {
      const run = await ran("echo first > a.txt; sleep 30; echo second", { timeoutMs: 3_000 });
      expect(run).toMatchObject({ timedOut: true, exitCode: null, signal: "SIGKILL", stdout: "" });
      expect(texts(run)).toEqual({ "a.txt": "first\n" });
    });

    it("brings nothing back when more was written than may come", async () => {
      const files = [scriptFile("c.txt", "three\n")];
      const run = await ran("echo 1234567890 > a.txt; echo x > b.txt; rm c.txt", { files, maxChangedBytes: 10 });
      expect(run).toMatchObject({ written: [], removed: [] });
      expect(run.refused.map(({ path }) => path).toSorted()).toEqual(["a.txt", "b.txt"]);
    });

    it("refuses links", async () => {
      const run = await ran("ln -s /etc/passwd stolen");
      expect(run).toMatchObject({ written: [], refused: [{ path: "stolen" }] });
    });

    it("hands on why a file cannot be read, and has not begun", async () => {
      const gone: ScriptFile = { path: "a", size: 3, mode: 0o644, open: async () => failed("not_found", "No a.") };
      const run = await cage.scripts.run(shell("echo", { files: [gone] }));
      expect(run).toMatchObject({ ok: false, error: { code: "not_found", message: "No a." } });
    });
  });
}
