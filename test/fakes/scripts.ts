/** A fake cage: each program is a function over the files of its work folder. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { runInMemory } from "./shell-in-memory.ts";
import type { ScriptFile, ScriptRequest, ScriptRun, ScriptsPort } from "../../core/ports/scripts.ts";

/** The files of the work folder by path, for the program to change. */
export type WorkFolder = Map<string, Uint8Array>;

/** A program, and how its run differs from a success without output. */
export type FakeProgram = (
  work: WorkFolder,
  request: ScriptRequest,
) => Partial<ScriptRun> | undefined | Promise<Partial<ScriptRun> | undefined>;

/** Creates a cage that runs this program for every command. Runs those of `shell-in-memory.ts` when omitted. */
export function fakeScripts(program?: FakeProgram): ScriptsPort {
  return {
    async run(request) {
      if (program === undefined) return await runInMemory(request);
      const before = new Map<string, { readonly bytes: Uint8Array; readonly mode: number }>();
      for (const file of request.files) {
        const read = await readFile(file);
        if (!read.ok) return read;
        before.set(file.path, { bytes: read.value, mode: file.mode });
      }
      const work: WorkFolder = new Map(Array.from(before, ([path, { bytes }]) => [path, bytes.slice()]));
      const said = await program(work, request);
      const changed = [...work].filter(([path, bytes]) => !isEqual(before.get(path)?.bytes, bytes));
      const written = changed.map(([path, bytes]) => {
        return { path, size: bytes.length, mode: before.get(path)?.mode ?? 0o644, bytes };
      });
      const size = written.reduce((sum, file) => sum + file.size, 0);
      const isTooMuch = size > request.maxChangedBytes;
      return ok({
        exitCode: 0,
        signal: null,
        timedOut: false,
        stdout: "",
        stderr: "",
        truncated: false,
        durationMs: 1,
        written: isTooMuch ? [] : written,
        removed: isTooMuch ? [] : [...before.keys()].filter((path) => !work.has(path)),
        refused: isTooMuch ? written.map(({ path }) => ({ path, why: "too much was written" })) : [],
        ...said,
      });
    },
  };
}

async function readFile(file: ScriptFile): Promise<Result<Uint8Array>> {
  const opened = await file.open();
  if (!opened.ok) return opened;
  const bytes = new Uint8Array(await new Response(opened.value).arrayBuffer());
  return bytes.length === file.size ? ok(bytes) : failed("internal", `${file.path} does not have the stated size.`);
}

function isEqual(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one?.length === other.length && one.every((byte, index) => byte === other[index]);
}
