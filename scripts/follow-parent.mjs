/**
 * Loaded before a program that scripts/run.mjs starts: ends the program when run.mjs is gone, which shows as the closing of
 * the channel between them. The program's own children inherit neither the channel nor a matching OTTO_RUN_PID.
 */
const GRACE_MS = 10_000;

if (process.channel !== undefined && process.env.OTTO_RUN_PID === String(process.ppid)) {
  process.once("disconnect", () => {
    process.kill(process.pid, "SIGTERM");
    setTimeout(() => process.exit(1), GRACE_MS).unref();
  });
  // The channel alone is no reason to go on living.
  process.channel.unref();
}
delete process.env.OTTO_RUN_PID;
