/** The versions of the programs that scripts find here. They are read once, one after another, and nothing waits for them. */
import { execFile } from "node:child_process";

/** What one program may take to say its version. */
const TIMEOUT_MS = 5_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** By name: the program, and the words that make it tell. */
const PROGRAMS: Readonly<Record<string, readonly [program: string, word: string]>> = {
  python3: ["python3", "--version"],
  pandoc: ["pandoc", "--version"],
  rg: ["rg", "--version"],
  git: ["git", "--version"],
  ssh: ["ssh", "-V"],
  bwrap: ["bwrap", "--version"],
};

/** A version, or null for a program that is not there or does not say. What was not read yet is left out. */
export type Versions = Readonly<Record<string, string | null>>;

/** The system's own, as programs in a cage have them. */
const PATH = "/usr/local/bin:/usr/bin:/bin";

/** Gives what is known; the first to ask has the versions read. `path`: where programs are looked for. */
export function makeVersions(path = PATH, timeoutMs = TIMEOUT_MS): () => Versions {
  const known = new Map<string, string | null>([["node", process.versions.node]]);
  let isReading = false;

  async function readAll(): Promise<void> {
    for (const [name, [program, word]] of Object.entries(PROGRAMS))
      known.set(name, await tell(program, word, path, timeoutMs));
  }

  return () => {
    if (!isReading) void readAll();
    isReading = true;
    return Object.fromEntries(known);
  };
}

/** The first number with a dot in what it says. It gets no environment but its path: it could show it. */
function tell(program: string, word: string, path: string, timeout: number): Promise<string | null> {
  const options = { timeout, killSignal: "SIGKILL", maxBuffer: MAX_OUTPUT_BYTES, env: { PATH: path } } as const;
  return new Promise((resolve) => {
    execFile(program, [word], options, (error, stdout, stderr) => {
      const [version = null] = error === null ? (/\d+\.\d[\w.+~-]*/.exec(stdout || stderr) ?? []) : [];
      resolve(version);
    });
  });
}
