/** Programs that run in the sidecar's cage, on files that go in and come back. */
import type { Result } from "../base/errors.ts";

/** A file that goes in. `path` is relative; `mode` is nine permission bits; `size` is in bytes, and `open` gives as many. */
export interface ScriptFile {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  /** Of its bytes, lower-case hex. Without it the file is read once more, to be hashed. */
  readonly sha256?: string;
  open(): Promise<Result<ReadableStream<Uint8Array>>>;
}

/** One run of a program. */
export interface ScriptRequest {
  /** What runs, without a shell unless it names one: `["/bin/sh", "-c", command]`. A program below `/skill/` is one of `skill`. */
  readonly argv: readonly [string, ...string[]];
  /** Inside the work folder; "" is its root. */
  readonly cwd: string;
  /** Beside the cage's own PATH, HOME, LANG and TMPDIR. Nothing else is in the program's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Of stdout and of stderr each; the beginning is kept. */
  readonly maxOutputBytes: number;
  /** Hosts that it may reach, as `core/web/host-pattern.ts` reads them; null: no network. */
  readonly network: readonly string[] | null;
  /** The work folder, `/work`, which the program may change. */
  readonly files: readonly ScriptFile[];
  /** What stands at `/skill`, for reading. */
  readonly skill: readonly ScriptFile[];
  /** Of what comes back. When more was written, nothing of it comes back: all of it is in `refused`. */
  readonly maxChangedBytes: number;
  /** Settles when `written` is not needed any more: until then other results may have to wait for memory. */
  readonly inUse?: Promise<unknown>;
  readonly signal: AbortSignal;
}

/** A file that is new, or other than what went in. */
export interface WrittenByScript {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  readonly bytes: Uint8Array;
}

/**
 * What a run did. Of `exitCode` and `signal`, the one that ended the program is not null: `signal` when it was killed from outside, by its
 * time or another limit. A program that signal n ended otherwise has exit code 128 + n, as a shell reports it.
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
  /** Files that went in and are there no longer. */
  readonly removed: readonly string[];
  /** What does not come back: links, sockets, devices, names that no sandbox takes, and what is beyond a limit. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

/**
 * Runs programs without rights, secrets or network beyond the request's, and leaves nothing behind. A program that fails
 * is a run. Failures: `not_available` (there is no cage here, and the message says what is missing), `rate_limited` (all
 * places are taken), `too_large`, `invalid_input`, `upstream_failed`, `timeout`; `happened` is "no" when it surely
 * did not begin. Never throws.
 */
export interface ScriptsPort {
  run(request: ScriptRequest): Promise<Result<ScriptRun>>;
}
