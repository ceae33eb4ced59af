/** `run_command` on fakes: a sandbox with four files, and a program in the place of the shell. */
import { fakeFiles } from "../../fakes/files.ts";
import { type FakeProgram, fakeScripts } from "../../fakes/scripts.ts";
import type { FilesPort } from "../../../core/ports/files.ts";
import type { ScriptRequest } from "../../../core/ports/scripts.ts";
import type { CallFacts } from "../../../core/tool/tool.ts";
import runCommand from "../../../tools/shell/run-command.ts";
import { OPEN_RULES, runTool } from "../run-tool.ts";

/** The facts of an agent that may run any command on any file. */
export const OPEN: Partial<CallFacts> = {
  permissions: ["read", "write", "exec", "network"],
  sandbox: OPEN_RULES,
  config: { allow_shell: true },
};

/** The sandbox of the running test. */
export let files: FilesPort = fakeFiles();
/** The requests that the shell received in the running test. */
export let seen: ScriptRequest[] = [];

/** Starts a test with a new sandbox. */
export async function openSandbox(): Promise<void> {
  files = fakeFiles();
  seen = [];
  for (const path of ["a.txt", "src/b.txt", "src/.env", "project/c.txt"]) await write(path, path);
}

export const encode = (text: string) => new TextEncoder().encode(text);
export const decode = (bytes: Uint8Array | undefined) => (bytes === undefined ? null : new TextDecoder().decode(bytes));

export async function write(path: string, text: string): Promise<void> {
  await files.write(path, encode(text), { key: crypto.randomUUID() });
}

/** Reads a file; null if it does not exist. */
export async function read(path: string): Promise<string | null> {
  const found = await files.read(path, 1_000);
  return found.ok ? decode(found.value.bytes) : null;
}

/** Calls `run_command` with a program in the place of the shell. */
export async function run(given: object, program: FakeProgram = () => undefined, facts: Partial<CallFacts> = {}) {
  const scripts = fakeScripts((work, request) => {
    seen.push(request);
    return program(work, request);
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the result holds
  return (await runTool(runCommand, { command: "true", ...given }, { files, scripts }, { ...OPEN, ...facts })) as any;
}
