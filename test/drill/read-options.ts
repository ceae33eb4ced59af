/** Reads a program's options, and reports an error in one line. */

/** Returns the result of `read`. If it throws, prints its message and exits with status 1. */
export function readOptions<Options>(read: () => Options): Options {
  try {
    return read();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}

/** Parses an integer. Throws if the text is not one or is less than `least`. */
export function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least) throw new Error(`--${name} ${text} is not an integer of at least ${least}`);
  return value;
}
