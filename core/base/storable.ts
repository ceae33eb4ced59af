/**
 * Makes outside text storable: replaces NUL and half surrogate pairs, which Postgres's text cannot contain, with
 * U+FFFD.
 */
export function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}
