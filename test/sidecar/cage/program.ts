/** The sidecar as a program, for tests that look at it from outside. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openScripts } from "../../../adapters/sidecar/scripts.ts";
import type { ScriptRequest, ScriptRun, ScriptsPort } from "../../../core/ports/scripts.ts";
import { removeTree } from "../../../sidecar/cage/folders.ts";
import { shell } from "../../contracts/scripts/script-request.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import { findUnusedPort } from "../../mock-servers/listen.ts";

const SERVER = fileURLToPath(new URL("../../../sidecar/server.ts", import.meta.url));
export const SECRET = "a-secret-for-this-test-of-32-characters";

export interface RunningSidecar {
  readonly scripts: ScriptsPort;
  readonly url: string;
  readonly process: ChildProcess;
  /** What it wrote to its standard error. */
  readonly stderr: () => string;
}

const started: ChildProcess[] = [];
const folders: string[] = [];

/** A folder that every user may pass through. */
export function makeFolder(uid?: number): string {
  const folder = mkdtempSync(join(tmpdir(), "otto-program-"));
  folders.push(folder);
  chmodSync(folder, 0o711);
  if (uid !== undefined) chownSync(folder, uid, uid);
  return folder;
}

/** `starter`: a command that starts the one after it. Resolves when it listens. */
export async function startSidecar(
  env: Readonly<Record<string, string>> = {},
  { folder = makeFolder(), uid, starter = [] }: { folder?: string; uid?: number; starter?: readonly string[] } = {},
): Promise<RunningSidecar> {
  const port = env["PORT"] ?? String(await findUnusedPort());
  const command = [...starter, process.execPath, "--disable-warning=ExperimentalWarning", SERVER];
  const program = spawn(command[0] ?? "", command.slice(1), {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { SIDECAR_SECRET: SECRET, PORT: port, TMPDIR: folder, ...env },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  started.push(program);
  let stderr = "";
  program.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await new Promise<void>((resolve, reject) => {
    program.stdout?.once("data", () => resolve());
    program.once("exit", () => reject(new Error(`it ended: ${stderr}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  const scripts = openScripts({ sidecar: connectSidecar(url, SECRET), tenant: "t1" });
  return { scripts, url, process: program, stderr: () => stderr };
}

export async function endSidecar({ process: program }: RunningSidecar, signal: NodeJS.Signals): Promise<void> {
  await end(program, signal);
}

async function end(program: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = new Promise((resolve) => program.once("exit", resolve));
  program.kill(signal);
  await ended;
}

/** Ends every sidecar of a test, and removes the folders that it made. */
export async function killSidecars(): Promise<void> {
  for (const one of started.splice(0)) await end(one, "SIGTERM");
  for (const folder of folders.splice(0)) await removeTree(folder);
}

/** Runs a command of a shell; throws when it did not start. */
export async function runProgram(
  { scripts }: RunningSidecar,
  command: string,
  more: Partial<ScriptRequest> = {},
): Promise<ScriptRun> {
  const ran = await scripts.run(shell(command, more));
  if (!ran.ok) throw new Error(ran.error.message);
  return ran.value;
}
