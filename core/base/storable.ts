/** Text from outside as it can be kept and read: Postgres's text holds neither NUL nor half a surrogate pair; both stand as U+FFFD. */
export function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}
