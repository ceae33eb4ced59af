/** What MCP servers that run as processes may take. Times are milliseconds. */

/** Processes of one tenant, and of all. A new one takes the place of the one that has been idle longest. */
export const MAX_PROCESSES_EACH = 8;
export const MAX_PROCESSES = 32;
/** A process that nobody has asked anything for so long is ended. */
export const IDLE_MS = 10 * 60_000;
/** From the start of a process to the end of its greeting. One that installs itself first takes its time. */
export const GREETING_MS = 60_000;
/** The wait between one start and the next doubles with each death in a row, from this to that. */
export const MIN_RESTART_MS = 1_000;
export const MAX_RESTART_MS = 30_000;
/** A process that lived so long begins the row anew. */
export const STABLE_MS = 60_000;
/** After so many deaths in a row it is not started for a while. */
export const MAX_DEATHS = 5;
export const GIVEN_UP_MS = 5 * 60_000;
/** Requests that one process has before it at once. */
export const MAX_PENDING = 64;
/** Of one line that a process writes. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** Of all that it writes between two answers and that answers nobody. */
export const MAX_STRAY_BYTES = 4 * 1024 * 1024;
/** What waits for a process that does not read. */
export const MAX_UNREAD_BYTES = 32 * 1024 * 1024;
/** What is kept of its standard error, for messages. */
export const MAX_STDERR_BYTES = 4 * 1024;
