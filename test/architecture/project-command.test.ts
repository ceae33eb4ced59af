import { expect, test } from "vitest";
import { runCommand } from "../../scripts/project-command.ts";

const MINUTE_MS = 60_000;

test("a command's end is its exit code and all that it printed", async () => {
  const script = 'console.log("out"); console.error("err"); process.exitCode = 3;';
  const end = await runCommand("node", ["-e", script], { show: false, timeoutMs: MINUTE_MS });
  expect(end.exitCode).toBe(3);
  expect(end.output).toContain("out\n");
  expect(end.output).toContain("err\n");
});

test("a command that never ends is stopped, with the processes that it started", async () => {
  const sleep = "setInterval(() => {}, 1000)";
  const script = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(sleep)}], { stdio: "inherit" });
    ${sleep};`;
  // The grandchild holds the same pipe: the end would not come while it lives.
  const end = await runCommand("node", ["-e", script], { show: false, timeoutMs: 1_000 });
  expect(end.exitCode).toBeNull();
});

test("a command that does not exist is an error", async () => {
  // EACCES where the PATH has a folder that this user may not enter.
  await expect(runCommand("no-such-command", [], { show: false, timeoutMs: MINUTE_MS })).rejects.toThrow(
    /ENOENT|EACCES/,
  );
});
