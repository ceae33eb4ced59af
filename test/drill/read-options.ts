/** How a program's options are read: what is wrong with them is said in one line. */

/** Gives what `read` gives. When it throws, prints its message and ends the program with status 1. */
export function readOptions<Options>(read: () => Options): Options {
  try {
    return read();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}

/** The whole number that a text is. Throws when it is none, or less than `least`. */
export function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least) throw new Error(`--${name} ${text} is no whole number from ${least} on`);
  return value;
}
