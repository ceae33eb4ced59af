/** What a supervised child and its supervisor say to each other over Node's process channel. The child's half is here. */

/** From the child. `fatal`: starting again would not help; the message is for the person at the console. */
export type ChildReport =
  | { readonly type: "ready" }
  | { readonly type: "progress"; readonly message: string }
  /** Something was lost or is wrong, and the child works on. */
  | { readonly type: "problem"; readonly message: string }
  | { readonly type: "fatal"; readonly message: string };

/** The supervisor sends this now and then; a child whose event loop runs sends `PONG` back. */
export const PING = "ping";
export const PONG = "pong";

/**
 * The GNU C library otherwise keeps freed memory in an arena for each thread, and Node has many threads
 * (https://www.gnu.org/software/libc/manual/html_node/Malloc-Tunable-Parameters.html). Other libraries ignore these.
 */
export const MALLOC_ENV = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" };

/** Tells the supervisor; without one, the console. */
export function report(message: ChildReport): void {
  if (process.send !== undefined) process.send(message);
  else console.log(message.type === "ready" ? "ready" : message.message);
}

/** Reports that there is no use in going on, and ends with status 1 once the report is out. */
export function reportFatal(message: string): void {
  if (process.send === undefined) {
    console.error(message);
    process.exit(1);
  }
  process.send({ type: "fatal", message } satisfies ChildReport, undefined, undefined, () => process.exit(1));
}

/**
 * Answers pings, and ends this process on request or when its supervisor is gone. `close` cleans up
 * first; it is not awaited when the supervisor is gone, as nobody would end a child that hangs.
 */
export function followSupervisor(close: () => Promise<void>): void {
  let closing = false;
  process.on("message", (message) => {
    if (message === PING) process.send?.(PONG);
  });
  process.on("disconnect", () => process.exit(0));
  process.on("SIGTERM", () => {
    if (closing) return;
    closing = true;
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
