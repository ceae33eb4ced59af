/** What a caged program is given, and what comes of it. */
import type { Readable, Writable } from "node:stream";
import type { ProxyRules } from "./proxy.ts";

/** How well this process can shut programs in. `reason`: in words for an operator. */
export interface Isolation {
  readonly level: "bubblewrap" | "container" | "none";
  readonly reason: string;
}

export interface CageLimits {
  /** Of all its processes together; a single one may reserve twice as much. */
  readonly memoryBytes: number;
  readonly processes: number;
  readonly openFiles: number;
  /** Of one file that it writes. */
  readonly fileBytes: number;
  /** Of one process; null: none. */
  readonly cpuSeconds: number | null;
  /** From its start to its end; null: it may live on. */
  readonly wallMs: number | null;
  /** Of /tmp, which is memory. /dev/shm has as much. */
  readonly tmpBytes: number;
  /** Of each folder that it may write to, with all that was there before. */
  readonly workBytes: number;
  readonly workFiles: number;
}

export const USUAL_LIMITS: CageLimits = {
  memoryBytes: 1024 ** 3,
  processes: 128,
  openFiles: 512,
  fileBytes: 256 * 1024 ** 2,
  cpuSeconds: null,
  wallMs: null,
  tmpBytes: 128 * 1024 ** 2,
  workBytes: 512 * 1024 ** 2,
  workFiles: 20_000,
};

/** A folder or a file of this machine, and where the program sees it. */
export interface Mount {
  /**
   * Absolute. The program's user has to reach it. What is only read and lies where nobody else may pass is copied once for
   * all cages, so give no folder of a single job that way.
   */
  readonly from: string;
  /** Absolute, below none of the cage's own places but `/`. */
  readonly at: string;
  /** Then all below `from` becomes the program's user's. */
  readonly writable: boolean;
}

export interface CageSpec {
  /** The program by its path in the cage, or by a name on its PATH: `node`, `python3`. No shell reads it. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute, in the cage. */
  readonly cwd: string;
  /**
   * Beside PATH, HOME, LANG and TMPDIR, which it may replace. Nothing of the sidecar's own environment is there. Names are of
   * letters, digits and `_`.
   */
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly limits: CageLimits;
  /** `empty`: it ends at once, and nothing can be written to it. Otherwise it is a stream, which programs cannot open by name. */
  readonly stdin?: "empty";
  /** What it reaches by the proxy that its environment names; null: no network. */
  readonly network: ProxyRules | null;
}

export interface CagedEnd {
  /** As a shell reports it: 128 + n for a program that signal n ended. Null: this sidecar killed it, or its cage. */
  readonly exitCode: number | null;
  /** Why this sidecar killed it, in words for anyone; null: it did not. */
  readonly killed: string | null;
  /** Neither the program nor this sidecar ended it, but another process of the machine, or the kernel when memory ran out. */
  readonly endedFromOutside: boolean;
  /** It was killed because its time was over. */
  readonly timedOut: boolean;
}

export interface CagedProcess {
  readonly stdin: Writable;
  /** Has to be read: a full pipe holds the program up. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program and every process that it started are gone. Never rejects. */
  readonly ended: Promise<CagedEnd>;
  /** Kills all of them. `why` is told as `killed`; only the first word counts. */
  readonly kill: (why: string) => Promise<CagedEnd>;
}
