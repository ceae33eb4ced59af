/**
 * The sidecar as a program. Environment: SIDECAR_SECRET (the key of its tokens), PORT, HOST (127.0.0.1 unless said
 * otherwise), SIDECAR_FOLDER (where jobs have their folders; it is emptied at the start), SIDECAR_MCP_PATHS (folders that
 * MCP servers see), OTTO_EGRESS_ALLOW and OTTO_SCRIPT_ISOLATION. Under a supervisor it reports that it is ready, answers
 * pings, and ends when the channel to the supervisor closes. When it is told to end, it ends what runs and removes what that left.
 */
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseEgressAllow } from "../adapters/egress/address.ts";
import { makeSidecar } from "./app.ts";
import { closeTheCages, isolation, theCages } from "./cage/cages.ts";
import { removeTree } from "./cage/folders.ts";
import { systemEgress } from "./egress.ts";
import { closeInherited } from "./inherited.ts";
import { jobKinds } from "./jobs/kinds.ts";
import { readOffered, startInCage } from "./mcp/in-cage.ts";
import { openKeeper } from "./mcp/keeper.ts";
import { makeVersions } from "./versions.ts";

const MIN_SECRET_CHARACTERS = 32;
const DEFAULT_PORT = 8788;
/** A supervisor does not wait for long. */
const STOP_MS = 2_000;

closeInherited();

const secret = process.env["SIDECAR_SECRET"] ?? "";
if (secret.length < MIN_SECRET_CHARACTERS)
  await endForGood(`SIDECAR_SECRET must have at least ${MIN_SECRET_CHARACTERS} characters`);
const port = Number(process.env["PORT"] ?? DEFAULT_PORT);
const host = process.env["HOST"] ?? "127.0.0.1";

const folder = join(process.env["SIDECAR_FOLDER"] ?? join(tmpdir(), `otto-sidecar-${port}`), "jobs");
// What a process left that was killed in the middle of a job.
await removeTree(folder);

const egress = systemEgress(await setting("OTTO_EGRESS_ALLOW", parseEgressAllow));
const offered = await setting("SIDECAR_MCP_PATHS", readOffered);
const mcp = openKeeper(startInCage({ cages: theCages, egress, offered }));
process.on("exit", () => {
  mcp.end();
  rmSync(folder, { recursive: true, force: true });
});
const parts = { kinds: jobKinds({ egress }), folder, isolation, versions: makeVersions(), mcp };
const server = makeSidecar(secret, egress, parts);
server.on("error", (error) => {
  console.error(`the sidecar cannot listen on ${host}:${port}: ${error.message}`);
  process.exit(1);
});
server.listen(port, host, () => {
  console.log(`sidecar on http://${host}:${port}`);
  process.send?.({ type: "ready" });
  void tellIsolation();
});

/** A variable as `read` understands it. What it refuses with a RangeError ends this program. */
async function setting<T>(name: string, read: (text: string) => T): Promise<T> {
  try {
    return read(process.env[name] ?? "");
  } catch (error) {
    if (error instanceof RangeError) return await endForGood(error.message);
    throw error;
  }
}

/** Ends with what a person has to mend. A supervisor does not start it again. */
async function endForGood(message: string): Promise<never> {
  if (process.send === undefined) console.error(message);
  else await new Promise((told) => process.send?.({ type: "fatal", message }, undefined, undefined, told));
  return process.exit(1);
}

/** A line where somebody reads along, when programs are refused here. */
async function tellIsolation(): Promise<void> {
  const { level, reason } = await isolation();
  if (level === "none") console.error(reason);
}

process.on("message", (message) => {
  if (message === "ping") process.send?.("pong");
});
process.on("disconnect", () => void stop());
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void stop());

/** Nobody hears of the jobs under way any more, before their programs are ended: what is half done is no result. */
async function stop(): Promise<void> {
  server.close();
  server.closeAllConnections();
  await Promise.race([closeTheCages(), pause(STOP_MS)]);
  process.exit(0);
}
