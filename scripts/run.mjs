/**
 * Runs one of the project's TypeScript programs: `node scripts/run.mjs scripts/start.ts`. It first installs what is
 * missing and finds a Node that can run TypeScript. It must parse on Node 20 and import no package: nothing may be
 * installed yet. Why the needed Node comes by npm: docs/decisions/0001-node-comes-with-npm.md.
 */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const MODULES = join(ROOT, "node_modules");
const LOCK_FILE = join(ROOT, "package-lock.json");
/** Holds the hash of the package-lock.json that node_modules was installed by. */
const MARK_FILE = join(MODULES, ".otto-lock");
/** Lock of the installation. Its holder created this file and touches it. */
const INSTALLING_FILE = join(ROOT, ".otto-installing");
const TOUCH_EVERY_MS = 1_000;
const STALE_AFTER_MS = 15_000;
/** The first Node that runs TypeScript as it is. */
const NEEDED_NODE = [22, 18];
const PLATFORM = `${process.platform}-${process.arch}`;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
/**
 * What was installed is compared with the lock file afterwards. Not `npm ci`: it refuses a lock file that lacks an
 * optional package of another platform, even when the registry has no such package
 * (https://github.com/npm/cli/issues/9846). No install script is needed, so none is run.
 */
const INSTALL = (
  "install --no-save --include=dev --include=optional --ignore-scripts --engine-strict=false " +
  "--no-audit --no-fund --prefer-offline --loglevel=error"
).split(" ");
const RETRIES = ["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"];
const UNREACHABLE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|network/i;

/** An installation was cut off before this one. */
let interrupted = false;

const [script, ...args] = process.argv.slice(2);
if (script === undefined) fail("Usage: node scripts/run.mjs SCRIPT.ts [arguments]");
if (!isInstalled()) await installOnce();
await run(chooseNode());

/** Whether node_modules is what package-lock.json says. */
function isInstalled() {
  const lock = read(LOCK_FILE);
  if (lock === null) fail("package-lock.json is missing: this is not a whole copy of the project.");
  const mark = markOf(lock);
  if (read(MARK_FILE) === mark) return true;
  if (!holdsWhatLockSays(lock)) return false;
  writeFileSync(MARK_FILE, mark);
  return true;
}

/** A node_modules of another machine's platform does not count. */
function markOf(lock) {
  return createHash("sha256").update(`${PLATFORM}\n${lock}`).digest("hex");
}

/** Compares with npm's own record of what it installed, for those who ran `npm install` themselves. */
function holdsWhatLockSays(lock) {
  const record = read(join(MODULES, ".package-lock.json"));
  if (record === null) return false;
  const wanted = JSON.parse(lock).packages;
  const present = JSON.parse(record).packages;
  const missing = Object.keys(wanted).some((path) => {
    if (path === "" || wanted[path].link === true) return false;
    const optional = wanted[path].optional === true || wanted[path].devOptional === true || wanted[path].peer === true;
    if (present[path] === undefined) return !optional;
    return present[path].version !== wanted[path].version;
  });
  return !missing && neededBinaries().every((path) => existsSync(join(MODULES, path)));
}

/** Programs that come as packages for one platform each, which npm treats as optional. */
function neededBinaries() {
  const workerd = {
    "linux-x64": "linux-64",
    "linux-arm64": "linux-arm64",
    "darwin-x64": "darwin-64",
    "darwin-arm64": "darwin-arm64",
  };
  const system = workerd[PLATFORM];
  if (system === undefined)
    fail(`Otto runs on Linux and macOS, on x64 and arm64; this machine is ${PLATFORM}. On Windows, use WSL.`);
  return [`@cloudflare/workerd-${system}/bin/workerd`, `@esbuild/${PLATFORM}/bin/esbuild`];
}

async function installOnce() {
  let said = false;
  while (!takeInstalling()) {
    if (!said) console.log("Another command is installing the packages; waiting for it …");
    said = true;
    await sleep(500);
  }
  try {
    if (!isInstalled()) await install();
  } finally {
    rmSync(INSTALLING_FILE, { force: true });
  }
}

/** Takes the right to install; a holder that died, with the npm that it started, loses it. */
function takeInstalling() {
  try {
    writeFileSync(INSTALLING_FILE, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  try {
    const holders = (read(INSTALLING_FILE) ?? "").split(" ").filter((text) => text !== "");
    const idleMs = Date.now() - statSync(INSTALLING_FILE).mtimeMs;
    // The first holder touches the file. Its npm may outlive it.
    const npmAtWork = holders.slice(1).some((pid) => isAlive(Number(pid)));
    if (idleMs < STALE_AFTER_MS && (holders.length === 0 || isAlive(Number(holders[0])))) return false;
    if (npmAtWork) return false;
    const aside = `${INSTALLING_FILE}.${process.pid}`;
    renameSync(INSTALLING_FILE, aside);
    rmSync(aside);
    interrupted = true;
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  return false;
}

async function install() {
  console.log("Installing the packages. The first time this takes a minute or two …");
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1_000);
  rmSync(MARK_FILE, { force: true });
  // npm takes a package that was half unpacked when it was killed for a whole one.
  if (interrupted) rmSync(MODULES, { recursive: true, force: true });
  // npm itself would try for minutes before it gave up. What it has fetched before may be enough.
  const ping = await npm(["ping", "--fetch-retries=1", "--fetch-timeout=10000", ...RETRIES], true);
  const away = ping.code !== 0 && UNREACHABLE.test(ping.output);
  if (away) console.log("The package registry does not answer; trying with what npm fetched before …");
  const wait = setInterval(() => console.log(`  … ${seconds()} s, ${countPackages()} folders so far`), 5_000);
  const { code, output } = await npm([...INSTALL, ...RETRIES, ...(away ? ["--offline"] : [])], false);
  clearInterval(wait);
  if (code !== 0) stop(explainFailure(output, away));
  const missing = neededBinaries().filter((path) => !existsSync(join(MODULES, path)));
  if (missing.length > 0) {
    stop(
      `npm left out packages that hold programs for ${PLATFORM}:\n  ${missing.join("\n  ")}\n` +
        'They are "optional" to npm. Look for omit=optional or no-optional in `npm config ls`, remove it\n' +
        "(npm config delete omit), and start again.",
    );
  }
  if (!holdsWhatLockSays(read(LOCK_FILE))) {
    stop(
      "What npm installed is not what package-lock.json says: it does not fit package.json. Run `npm install` and start again.",
    );
  }
  dropUnusableNode();
  writeFileSync(MARK_FILE, markOf(read(LOCK_FILE)));
  console.log(`Installed in ${seconds()} s.`);
}

/**
 * Runs npm on the machine's own Node, as the one in node_modules may be about to be replaced. Its words are shown, unless
 * `quiet`.
 */
function npm(npmArgs, quiet) {
  const path = (process.env.PATH ?? "").split(delimiter).filter((part) => !isInModules(part));
  const npmScript = process.env.npm_execpath ?? "";
  const byScript = /\.c?js$/.test(npmScript) && existsSync(npmScript) && !isInModules(npmScript);
  const node = process.env.npm_node_execpath ?? "";
  const [command, first] = byScript ? [node !== "" && !isInModules(node) ? node : "node", [npmScript]] : ["npm", []];
  const child = spawn(command, [...first, ...npmArgs], {
    cwd: ROOT,
    stdio: ["ignore", quiet ? "ignore" : "inherit", "pipe"],
    env: { ...process.env, PATH: path.join(delimiter) },
  });
  let output = "";
  child.stderr.on("data", (chunk) => {
    output += chunk;
    if (!quiet) process.stderr.write(chunk);
  });
  if (child.pid !== undefined) writeFileSync(INSTALLING_FILE, `${process.pid} ${child.pid}`);
  const touch = setInterval(() => utimesSync(INSTALLING_FILE, new Date(), new Date()), TOUCH_EVERY_MS);
  const passOn = (signal) => {
    child.kill(signal);
    stop(`Ended by ${signal} while the packages were being installed.`);
  };
  for (const signal of SIGNALS) process.once(signal, passOn);
  return new Promise((settle) => {
    const end = (code, more) => {
      clearInterval(touch);
      for (const signal of SIGNALS) process.off(signal, passOn);
      settle({ code, output: output + more });
    };
    child.once("error", (error) => end(1, error.message));
    child.once("close", (code, signal) => end(code ?? 1, signal ?? ""));
  });
}

function explainFailure(output, away) {
  if (/ENOENT/.test(output) && /npm/.test(output) && !/npm (error|ERR)/i.test(output)) {
    return "npm was not found. Install Node from https://nodejs.org, which brings it.";
  }
  if (away || UNREACHABLE.test(output)) {
    return (
      "The package registry is out of reach. Check the network, or the proxy and registry in `npm config ls`, and\n" +
      "start again: what was fetched already is kept."
    );
  }
  if (/E401|E403/.test(output))
    return "The package registry turned npm away. Check the registry and its login in `npm config ls`.";
  if (/ENOSPC/.test(output)) return "The disk is full: the packages take about 1 GB.";
  if (/EINTEGRITY/.test(output))
    return "A package is not what package-lock.json says. Run `npm cache verify` and start again.";
  return "npm failed; its words are above.";
}

/** On a system whose C library the packed Node was not made for (Alpine, say), npm's scripts must not find it. */
function dropUnusableNode() {
  const packed = packedNode();
  if (packed === null || nodeVersion(packed) !== null) return;
  rmSync(join(MODULES, ".bin", "node"), { force: true });
  rmSync(packed, { force: true });
}

/** The Node that came as a package, else the one that runs this, when it is new enough. */
function chooseNode() {
  const packed = packedNode();
  if (packed !== null) return packed;
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1])) return process.execPath;
  return fail(
    `Otto needs Node ${NEEDED_NODE.join(".")} or newer; this is ${process.versions.node}, and for ${PLATFORM} none comes along.\n` +
      "Install Node 24 from https://nodejs.org and start again.",
  );
}

function packedNode() {
  const path = join(MODULES, `node-${PLATFORM}`, "bin", "node");
  return existsSync(path) ? path : null;
}

function nodeVersion(path) {
  try {
    return execFileSync(path, ["--version"], { encoding: "utf8" }).trim();
  } catch {
    return null;
  }
}

/** Runs the script, forwards signals, and exits with its status. `follow-parent.mjs` ends the script when this process is killed. */
async function run(node) {
  const follow = pathToFileURL(join(ROOT, "scripts", "follow-parent.mjs")).href;
  const child = spawn(
    node,
    ["--disable-warning=ExperimentalWarning", `--import=${follow}`, resolve(ROOT, script), ...args],
    {
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      env: { ...process.env, OTTO_RUN_PID: String(process.pid) },
    },
  );
  child.once("error", (error) => fail(`${node} cannot be run: ${error.message}`));
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  watchLauncher(() => child.kill("SIGTERM"));
  child.once("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** An `npm start` that was killed does not take its script with it: this process was given to another parent then. */
function watchLauncher(onGone) {
  if (process.env.npm_lifecycle_event === undefined || process.ppid === 1) return;
  const parent = process.ppid;
  const grandparent = parentOf(parent);
  const timer = setInterval(() => {
    // npm may have a shell between itself and its script; the shell outlives npm and keeps waiting.
    if (process.ppid === parent && (grandparent === null || parentOf(parent) === grandparent)) return;
    clearInterval(timer);
    onGone();
  }, 500);
  timer.unref();
}

/** The parent of a shell; null for another program, or where the system does not tell. */
function parentOf(pid) {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null || !/\((sh|dash|bash|ash|busybox)\)/.test(stat)) return null;
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
}

function countPackages() {
  try {
    return readdirSync(MODULES).length;
  } catch {
    return 0;
  }
}

function isInModules(path) {
  return path.includes("node_modules") && (path.startsWith(ROOT) || path.endsWith(join("node_modules", ".bin")));
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function sleep(ms) {
  return new Promise((wake) => {
    setTimeout(wake, ms);
  });
}

/** Fails while this process has the right to install. */
function stop(message) {
  rmSync(INSTALLING_FILE, { force: true });
  fail(message);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
