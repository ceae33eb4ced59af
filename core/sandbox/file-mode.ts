/**
 * A file's mode: nine permission bits, as document 003's `mode=0644`. Each version stores them for programs that write
 * the file to a disk. In the sandbox itself only 0400 counts: without it, tools that show text cannot read the file.
 * The agent's rules alone decide who may write, and nothing in a sandbox runs.
 */

/** The mode of a file without one. */
export const DEFAULT_MODE = 0o644;

/** The form of a mode: three octal digits, optionally after `0` or `0o`. */
export const MODE_FORM = /^(?:0o?)?[0-7]{3}$/;

/** Parses a mode in that form. */
export function parseMode(text: string): number {
  return Number.parseInt(text.slice(-3), 8);
}

/** Formats a mode as four octal digits, such as `0644`. */
export function formatMode(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** Whether tools that show text may read the file. */
export function isReadable({ mode }: { readonly mode: number }): boolean {
  return (mode & 0o400) !== 0;
}
