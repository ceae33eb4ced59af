/**
 * The mode of a file: nine permission bits, as document 003's `mode=0644`. They are kept with each version for whoever lays
 * the file on a disk. In the sandbox itself one of them counts: a file whose owner may not read it (0400 is not set) is read
 * by no tool that shows text. Who may write is a matter of the agent's rules alone, and nothing in a sandbox runs.
 */

/** The mode of a file whose writer gave none. */
export const DEFAULT_MODE = 0o644;

/** How a mode is written: three octal digits, with `0` or `0o` before them or not. */
export const MODE_FORM = /^(?:0o?)?[0-7]{3}$/;

/** The bits of a mode in that form. */
export function parseMode(text: string): number {
  return Number.parseInt(text.slice(-3), 8);
}

/** Four octal digits, such as `0644`. */
export function showMode(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** Whether tools that show text may read the file. */
export function isReadable({ mode }: { readonly mode: number }): boolean {
  return (mode & 0o400) !== 0;
}
