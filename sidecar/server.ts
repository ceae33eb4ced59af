/**
 * The sidecar as a program. Environment: SIDECAR_SECRET (the key of its tokens) or SIDECAR_SECRET_FILE (a file that holds it), PORT,
 * HOST (127.0.0.1 unless said otherwise), SIDECAR_FOLDER (holds the folders of jobs, which are removed at the start, and the ids of
 * used tokens), SIDECAR_MCP_PATHS (folders that MCP servers see), OTTO_EGRESS_ALLOW and OTTO_SCRIPT_ISOLATION. Under a supervisor it
 * reports that it is ready, answers pings, and ends when the channel to the supervisor closes. When it is told to end, it ends what
 * runs and removes what that left.
 */
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { awaitWithin } from "../core/base/deadline.ts";
import { getOwn } from "../core/base/own-field.ts";
import { parseEgressAllow } from "../adapters/egress/address.ts";
import { makeSidecar } from "./app.ts";
import { closeTheCages, isolation, theCages } from "./cage/cages.ts";
import { codeOf } from "./cage/failures.ts";
import { removeTree } from "./cage/folders.ts";
import { systemEgress } from "./egress.ts";
import { removeVariable } from "./environment.ts";
import { closeInherited } from "./inherited.ts";
import { jobKinds } from "./jobs/kinds.ts";
import { readOffered, startInCage } from "./mcp/in-cage.ts";
import { openKeeper } from "./mcp/server-pool.ts";
import { openUsedTokens } from "./used-tokens.ts";
import { takeOwnFolder } from "./own-folder.ts";
import { makeVersions } from "./versions.ts";

const MIN_SECRET_CHARACTERS = 32;
const DEFAULT_PORT = 8788;
/** A supervisor does not wait for long. */
const STOP_MS = 2_000;

closeInherited();

const secret = await readSecret();
const port = Number(process.env["PORT"] ?? DEFAULT_PORT);
const host = process.env["HOST"] ?? "127.0.0.1";

const ownFolder = await takeOwnFolder(process.env["SIDECAR_FOLDER"] ?? join(tmpdir(), `otto-sidecar-${port}`));
const folder = join(ownFolder, "jobs");
// What a process left that was killed in the middle of a job.
await removeTree(folder);

const egress = systemEgress(await setting("OTTO_EGRESS_ALLOW", parseEgressAllow));
const offered = await setting("SIDECAR_MCP_PATHS", readOffered);
const mcp = openKeeper(startInCage({ cages: theCages, egress, offered }));
process.on("exit", () => {
  mcp.end();
  rmSync(folder, { recursive: true, force: true });
});
const usedTokens = openUsedTokens(join(ownFolder, "tokens"), Date.now() / 1_000);
const parts = { kinds: jobKinds({ egress }), folder, usedTokens, isolation, versions: makeVersions(), mcp };
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

/** The key of the tokens. From here on, neither this process nor the kernel shows it in an environment. */
async function readSecret(): Promise<string> {
  const given = process.env["SIDECAR_SECRET"] ?? "";
  if (!removeVariable("SIDECAR_SECRET"))
    return await endForGood(
      "SIDECAR_SECRET cannot be removed from this process's environment here; put it into a file and name that in SIDECAR_SECRET_FILE",
    );
  const path = process.env["SIDECAR_SECRET_FILE"] ?? "";
  const [name, secret] = path === "" ? ["SIDECAR_SECRET", given] : ["SIDECAR_SECRET_FILE", await readSecretFile(path)];
  if (secret.length >= MIN_SECRET_CHARACTERS) return secret;
  return await endForGood(`${name} must have at least ${MIN_SECRET_CHARACTERS} characters`);
}

async function readSecretFile(path: string): Promise<string> {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    return await endForGood(`SIDECAR_SECRET_FILE cannot be read (${codeOf(error)})`);
  }
}

/** A variable as `read` understands it. What it refuses with a RangeError ends this program. */
async function setting<T>(name: string, read: (text: string) => T): Promise<T> {
  try {
    return read(getOwn(process.env, name) ?? "");
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
  await awaitWithin(globalThis, STOP_MS, closeTheCages(), null);
  process.exit(0);
}
