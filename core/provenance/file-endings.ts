/**
 * Endings of file names, and of names in code, that are also top-level domains. `report.md` and `user.id` in a sentence
 * are not hosts, although they may be registered. Endings that are far more often hosts (`ai`, `app`, `com`, `io`) are
 * not listed (docs/decisions/0093).
 */
const ENDINGS: ReadonlySet<string> = new Set(
  (
    "ac am build bz cab cc dot map mk ml mm mo mobi mov md nc pl pm properties ps pub py rest rs sh so target tf zip " +
    "call data id name"
  ).split(" "),
);

/** Whether a host's name ends like a file name. */
export function isFileLike(host: string): boolean {
  return ENDINGS.has(host.slice(host.lastIndexOf(".") + 1));
}
