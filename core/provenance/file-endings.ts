/**
 * Ends of file names, and of names in code, that are top-level domains too. `report.md` and `user.id` in a sentence are no
 * hosts, although somebody may have registered them. Endings that people write as hosts far more often (`ai`, `app`, `com`,
 * `io`) are not here (docs/decisions/0093).
 */
const ENDINGS: ReadonlySet<string> = new Set(
  (
    "ac am build bz cab cc dot map mk ml mm mo mobi mov md nc pl pm properties ps pub py rest rs sh so target tf zip " +
    "call data id name"
  ).split(" "),
);

/** Whether a host's name could be that of a file: it ends like one. */
export function isFileLike(host: string): boolean {
  return ENDINGS.has(host.slice(host.lastIndexOf(".") + 1));
}
