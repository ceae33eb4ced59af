/** Programs that run in the sidecar's cage, on files that are sent in and returned. */
import type { Result } from "../base/errors.ts";

/**
 * An input file. `path` is relative; `mode` is nine permission bits; `size` is in bytes, and `open` returns as many.
 */
export interface ScriptFile {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  /** SHA-256 of its bytes in lower-case hex. Without it the file is read twice, to hash it. */
  readonly sha256?: string;
  open(): Promise<Result<ReadableStream<Uint8Array>>>;
}

/** One run of a program. */
export interface ScriptRequest {
  /**
   * The program and its arguments, without a shell unless it names one: `["/bin/sh", "-c", command]`. A program below
   * `/skill/` is one of `skill`. `python` is python3.
   */
  readonly argv: readonly [string, ...string[]];
  /** Inside the work folder; "" is its root. */
  readonly cwd: string;
  /** Environment variables besides the cage's own PATH, HOME, LANG and TMPDIR. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The limit of stdout and of stderr each; the start is kept. */
  readonly maxOutputBytes: number;
  /** Hosts that it may reach, in the format of `core/web/host-pattern.ts`; null for no network. */
  readonly network: readonly string[] | null;
  /** The work folder, `/work`, which the program may change. */
  readonly files: readonly ScriptFile[];
  /**
   * The read-only files at `/skill`, in a folder per skill, which has a SKILL.md: those of the last skill are linked into
   * the working directory where it lacks them, those of a single one into `/skill`.
   */
  readonly skill: readonly ScriptFile[];
  /** The limit of returned bytes. If more was written, nothing is returned and all of it is in `refused`. */
  readonly maxChangedBytes: number;
  /** Settles when `written` is no longer needed; until then other results may wait for memory. */
  readonly inUse?: Promise<unknown>;
  readonly signal: AbortSignal;
}

/** A new or changed file. */
export interface WrittenByScript {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  readonly bytes: Uint8Array;
}

/**
 * The result of a run. Of `exitCode` and `signal`, the one that ended the program is not null: `signal` when it was
 * killed from outside, by its timeout or another limit. A program that ended by signal n otherwise has exit code 128 +
 * n, as in a shell.
 */
export interface ScriptRun {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** True when stdout or stderr was cut. */
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly written: readonly WrittenByScript[];
  /** Input files that the program removed. */
  readonly removed: readonly string[];
  /** Files that are not returned: links, sockets, devices, invalid names, and files beyond a limit. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

/**
 * Runs programs without permissions, secrets or network beyond the request's, and leaves nothing behind. A program that
 * fails is a run. Failures: `not_available` (no cage; the message says what is missing), `rate_limited` (all cages are
 * busy), `too_large`, `invalid_input`, `upstream_failed`, `timeout`; `happened` is "no" when it did not begin. Never
 * throws.
 */
export interface ScriptsPort {
  run(request: ScriptRequest): Promise<Result<ScriptRun>>;
}
