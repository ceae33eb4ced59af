/**
 * The sidecar's program. Environment: SIDECAR_SECRET (the key of its tokens) or SIDECAR_SECRET_FILE (a file that holds it), PORT, HOST
 * (default 127.0.0.1), SIDECAR_FOLDER (for the folders of jobs, which are removed at the start, and the ids of used tokens),
 * SIDECAR_MCP_PATHS (folders that MCP servers see), OTTO_EGRESS_ALLOW and OTTO_SCRIPT_ISOLATION. Under a supervisor it reports that it is
 * ready, answers pings, and exits when the channel to the supervisor closes. On a signal it kills its programs, removes their files and
 * exits.
 */
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { awaitWithin } from "../core/base/deadline.ts";
import { getOwn } from "../core/base/own-field.ts";
import { parseEgressAllow } from "../adapters/egress/address.ts";
import { makeSidecar } from "./app.ts";
import { closeCages, getIsolation, getCages } from "./cage/cages.ts";
import { getErrorCode } from "./cage/failures.ts";
import { removeTree } from "./cage/folders.ts";
import { makeSystemEgress } from "./egress.ts";
import { removeVariable } from "./environment.ts";
import { closeInherited } from "./inherited.ts";
import { makeJobKinds } from "./jobs/kinds.ts";
import { parseOfferedFolders, makeCagedStart } from "./mcp/in-cage.ts";
import { openServerPool } from "./mcp/server-pool.ts";
import { openUsedTokens } from "./used-tokens.ts";
import { lockOwnFolder } from "./own-folder.ts";
import { makeVersions } from "./versions.ts";

const MIN_SECRET_CHARACTERS = 32;
const DEFAULT_PORT = 8788;
/** Shorter than the supervisor's patience. */
const STOP_MS = 2_000;

closeInherited();

const secret = await readSecret();
const port = Number(process.env["PORT"] ?? DEFAULT_PORT);
const host = process.env["HOST"] ?? "127.0.0.1";

const ownFolder = await lockOwnFolder(process.env["SIDECAR_FOLDER"] ?? join(tmpdir(), `otto-sidecar-${port}`));
const folder = join(ownFolder, "jobs");
// Remove what a killed process left behind.
await removeTree(folder);

const egress = makeSystemEgress(await readSetting("OTTO_EGRESS_ALLOW", parseEgressAllow));
const offered = await readSetting("SIDECAR_MCP_PATHS", parseOfferedFolders);
const mcp = openServerPool(makeCagedStart({ cages: getCages, egress, offered }));
process.on("exit", () => {
  mcp.end();
  rmSync(folder, { recursive: true, force: true });
});
const usedTokens = openUsedTokens(join(ownFolder, "tokens"), Date.now() / 1_000);
const parts = {
  kinds: makeJobKinds({ egress }),
  folder,
  usedTokens,
  isolation: getIsolation,
  versions: makeVersions(),
  mcp,
};
const server = makeSidecar(secret, egress, parts);
server.on("error", (error) => {
  console.error(`the sidecar cannot listen on ${host}:${port}: ${error.message}`);
  process.exit(1);
});
server.listen(port, host, () => {
  console.log(`sidecar on http://${host}:${port}`);
  process.send?.({ type: "ready" });
  void logMissingIsolation();
});

/** Reads the key of the tokens, and removes it from the environment. */
async function readSecret(): Promise<string> {
  const given = process.env["SIDECAR_SECRET"] ?? "";
  if (!removeVariable("SIDECAR_SECRET"))
    return await exitWithFatal(
      "SIDECAR_SECRET cannot be removed from this process's environment; put it into a file and set SIDECAR_SECRET_FILE to its path",
    );
  const path = process.env["SIDECAR_SECRET_FILE"] ?? "";
  const [name, secret] = path === "" ? ["SIDECAR_SECRET", given] : ["SIDECAR_SECRET_FILE", await readSecretFile(path)];
  if (secret.length >= MIN_SECRET_CHARACTERS) return secret;
  return await exitWithFatal(`${name} must have at least ${MIN_SECRET_CHARACTERS} characters`);
}

async function readSecretFile(path: string): Promise<string> {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    return await exitWithFatal(`SIDECAR_SECRET_FILE cannot be read (${getErrorCode(error)})`);
  }
}

/** Parses a variable with `read`, and exits if that throws a RangeError. */
async function readSetting<T>(name: string, read: (text: string) => T): Promise<T> {
  try {
    return read(getOwn(process.env, name) ?? "");
  } catch (error) {
    if (error instanceof RangeError) return await exitWithFatal(error.message);
    throw error;
  }
}

/** Exits with an error that a person must fix. A supervisor does not restart it. */
async function exitWithFatal(message: string): Promise<never> {
  if (process.send === undefined) console.error(message);
  else await new Promise((sent) => process.send?.({ type: "fatal", message }, undefined, undefined, sent));
  return process.exit(1);
}

/** Logs why programs are refused here, if they are. */
async function logMissingIsolation(): Promise<void> {
  const { level, reason } = await getIsolation();
  if (level === "none") console.error(reason);
}

process.on("message", (message) => {
  if (message === "ping") process.send?.("pong");
});
process.on("disconnect", () => void stop());
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void stop());

/** Closes all connections before it kills programs, so that no half-finished job is reported as a result. */
async function stop(): Promise<void> {
  server.close();
  server.closeAllConnections();
  await awaitWithin(globalThis, STOP_MS, closeCages(), null);
  process.exit(0);
}
