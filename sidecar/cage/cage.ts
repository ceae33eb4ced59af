/** The input and the result of a caged program. */
import type { Readable, Writable } from "node:stream";
import type { ProxyRules } from "./proxy.ts";

/** How well this process can isolate programs. `reason` explains the level to an operator. */
export interface Isolation {
  readonly level: "bubblewrap" | "container" | "none";
  readonly reason: string;
}

export interface CageLimits {
  /** Limits all its processes together. A single one may reserve twice as much. */
  readonly memoryBytes: number;
  readonly processes: number;
  readonly openFiles: number;
  /** Limits one file that it writes. */
  readonly fileBytes: number;
  /** Limits each process. Null means unlimited. */
  readonly cpuSeconds: number | null;
  /** Limits the time from start to exit. Null means unlimited. */
  readonly wallMs: number | null;
  /** Limits /tmp, which is in memory, and /dev/shm each. */
  readonly tmpBytes: number;
  /** Limits each writable folder, including the files that were there before. */
  readonly workBytes: number;
  readonly workFiles: number;
}

export const DEFAULT_LIMITS: CageLimits = {
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

/** A folder or a file of this machine, mounted into a cage. */
export interface Mount {
  /**
   * Absolute. A read-only mount that the program's user cannot reach is copied once and shared by all cages, so never mount a folder of a
   * single job read-only from a private folder.
   */
  readonly from: string;
  /** Absolute, and outside the folders that the cage itself provides. */
  readonly at: string;
  /** Changes the owner of everything below `from` to the program's user. */
  readonly writable: boolean;
}

export interface CageSpec {
  /** The program by its path in the cage or by a name on its PATH (`node`, `python3`). No shell interprets it. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute, in the cage. */
  readonly cwd: string;
  /**
   * Added to PATH, HOME, LANG and TMPDIR, which it may replace. The sidecar's own environment is not inherited. Names consist of
   * letters, digits and `_`.
   */
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly limits: CageLimits;
  /** `empty` closes it at once. Otherwise it is a stream, which programs cannot open by name. */
  readonly stdin?: "empty";
  /** The hosts that it reaches through the proxy in its environment. Null means no network. */
  readonly network: ProxyRules | null;
}

export interface CagedEnd {
  /** As a shell reports it: 128 + n for signal n. Null if this sidecar killed the program or its cage. */
  readonly exitCode: number | null;
  /** Why this sidecar killed it, as a public message. Null if it did not. */
  readonly killed: string | null;
  /** True if another process of the machine ended it, or the kernel when memory ran out. */
  readonly endedFromOutside: boolean;
  /** True if it was killed at its time limit. */
  readonly timedOut: boolean;
}

export interface CagedProcess {
  readonly stdin: Writable;
  /** The caller must read it: a full pipe blocks the program. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program and every process that it started have ended. Never rejects. */
  readonly ended: Promise<CagedEnd>;
  /** Kills all of them. The first `why` becomes `killed`. */
  readonly kill: (why: string) => Promise<CagedEnd>;
}
