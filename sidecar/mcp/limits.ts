/** Limits of MCP servers that run as processes. Times are milliseconds. */

/** Processes of one tenant, and of all. A new one replaces the one that has been idle longest. */
export const MAX_PROCESSES_PER_TENANT = 8;
export const MAX_PROCESSES = 32;
/** A process without requests for this long is stopped. */
export const IDLE_MS = 10 * 60_000;
/** From the start of a process to the end of its greeting. Leaves time for a server that installs itself first. */
export const GREETING_MS = 60_000;
/** The pause between two starts doubles with each consecutive death, within these limits. */
export const MIN_RESTART_MS = 1_000;
export const MAX_RESTART_MS = 30_000;
/** A process that lived this long resets the count of consecutive deaths. */
export const STABLE_AFTER_MS = 60_000;
/** After this many consecutive deaths it is not started for `COOLDOWN_MS`. */
export const MAX_DEATHS = 5;
export const COOLDOWN_MS = 5 * 60_000;
/** Concurrent requests of one process. */
export const MAX_PENDING = 64;
/** Limits one line that a process writes. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** Limits what it writes between two answers that answers no request. */
export const MAX_STRAY_BYTES = 4 * 1024 * 1024;
/** Limits the input that waits for a process that does not read. */
export const MAX_UNREAD_BYTES = 32 * 1024 * 1024;
/** How much of the end of its standard error is stored for messages. */
export const MAX_STDERR_BYTES = 4 * 1024;
