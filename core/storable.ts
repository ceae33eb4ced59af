/** Text from outside as it can be kept and read: without NUL and half characters. */
export function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}
