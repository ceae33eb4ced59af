/** Reads the versions of the programs that scripts find here: once, in the background, one after another. */
import { execFile } from "node:child_process";

/** Time limit of one program. */
const TIMEOUT_MS = 5_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** By name: the program, and the option that prints its version. */
const PROGRAMS: Readonly<Record<string, readonly [program: string, word: string]>> = {
  python3: ["python3", "--version"],
  pandoc: ["pandoc", "--version"],
  rg: ["rg", "--version"],
  git: ["git", "--version"],
  ssh: ["ssh", "-V"],
  bwrap: ["bwrap", "--version"],
};

/** Versions by name. Null for a program that is missing or prints none; absent until it was read. */
export type Versions = Readonly<Record<string, string | null>>;

/** The system's folders, as in a cage. */
const PATH = "/usr/local/bin:/usr/bin:/bin";

/** Returns the versions known so far; the first call starts reading. `path` is where to search for programs. */
export function makeVersions(path = PATH, timeoutMs = TIMEOUT_MS): () => Versions {
  const known = new Map<string, string | null>([["node", process.versions.node]]);
  let isReading = false;

  async function readAll(): Promise<void> {
    for (const [name, [program, word]] of Object.entries(PROGRAMS))
      known.set(name, await readVersion(program, word, path, timeoutMs));
  }

  return () => {
    if (!isReading) void readAll();
    isReading = true;
    return Object.fromEntries(known);
  };
}

/** Extracts the first dotted number from the output. The program gets no environment but PATH, since it could print it. */
function readVersion(program: string, word: string, path: string, timeout: number): Promise<string | null> {
  const options = { timeout, killSignal: "SIGKILL", maxBuffer: MAX_OUTPUT_BYTES, env: { PATH: path } } as const;
  return new Promise((resolve) => {
    execFile(program, [word], options, (error, stdout, stderr) => {
      const [version = null] = error === null ? (/\d+\.\d[\w.+~-]*/.exec(stdout || stderr) ?? []) : [];
      resolve(version);
    });
  });
}
