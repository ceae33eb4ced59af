/**
 * A child of the supervisor: hosts wrangler's watch mode and ticks the cron. Settings come as JSON in OTTO_RUNTIME.
 * Wrangler is started by its script, as ending `npx wrangler` would leave workerd alive.
 */
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { followSupervisor, report } from "./child-channel.ts";
import { WRANGLER_ENV, wranglerScript } from "./wrangler.ts";

/** What OTTO_RUNTIME holds. */
export interface WatchSettings {
  readonly root: string;
  readonly port: number;
  /** The Worker's variables, as NAME="value" lines. */
  readonly varsFile: string;
  readonly persistFolder: string;
}

const TICK_EVERY_MS = 60_000;
const LOOK_EVERY_MS = 100;

const { root, port, varsFile, persistFolder } = JSON.parse(process.env["OTTO_RUNTIME"] ?? "") as WatchSettings;
delete process.env["OTTO_RUNTIME"];
const origin = `http://127.0.0.1:${port}`;

const args = [
  "dev",
  "--ip",
  "127.0.0.1",
  "--port",
  String(port),
  "--persist-to",
  persistFolder,
  "--env-file",
  varsFile,
];
const wrangler = spawn(process.execPath, [wranglerScript(), ...args, "--show-interactive-dev-session=false"], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
  env: { ...process.env, ...WRANGLER_ENV },
});
const ended = new Promise<void>((resolve) => {
  wrangler.once("exit", () => resolve());
});
let closing = false;
followSupervisor(async () => {
  closing = true;
  wrangler.kill("SIGTERM");
  await ended;
});
// A wrangler that is gone, or whose host is going, takes the other with it.
process.on("exit", () => wrangler.kill("SIGTERM"));
void ended.then(() => {
  if (!closing) process.exit(1);
});

while (!(await answers("/health"))) await sleep(LOOK_EVERY_MS);
report({ type: "ready" });
setInterval(() => void answers("/cdn-cgi/handler/scheduled"), TICK_EVERY_MS);

async function answers(path: string): Promise<boolean> {
  try {
    const response = await fetch(origin + path);
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
