/** The folder that holds everything that persists: its files, and the secrets that are made once and kept. */
import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { OPERATOR, makeKey } from "../../core/keys.ts";

export interface StateFolder {
  readonly root: string;
  /** The key of the local tenant. */
  readonly devKeyFile: string;
  /** The key that may make tenants. */
  readonly operatorKeyFile: string;
  readonly supervisorFile: string;
  readonly lockFile: string;
  readonly databaseFolder: string;
  readonly databaseLockFile: string;
  /** Objects and files of the runtime. */
  readonly runtimeFolder: string;
  /** Folders of the sidecar's jobs. It empties it when it starts. */
  readonly sidecarFolder: string;
  readonly buildFolder: string;
  readonly logFolder: string;
  readonly cacheFolder: string;
}

export interface Secrets {
  readonly operatorKey: string;
  /** Signs the sidecar's tokens. */
  readonly sidecarSecret: string;
  /** 32 bytes in base64: seals the secrets that tenants store. */
  readonly secretKey: string;
  /** The password of the bridge, and of the role otto_app where that role is made on a real Postgres. */
  readonly databasePassword: string;
}

/** Makes the folder, readable by its owner alone, where it is missing. */
export function openStateFolder(root: string): StateFolder {
  const at = (name: string) => join(root, name);
  const state: StateFolder = {
    root,
    devKeyFile: at("dev-key"),
    operatorKeyFile: at("operator-key"),
    supervisorFile: at("supervisor.json"),
    lockFile: at("supervisor.lock"),
    databaseFolder: at("database"),
    databaseLockFile: at("database.lock"),
    runtimeFolder: at("runtime"),
    sidecarFolder: at("sidecar"),
    buildFolder: at("build"),
    logFolder: at("logs"),
    cacheFolder: at("cache"),
  };
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const { runtimeFolder, sidecarFolder, buildFolder, logFolder, cacheFolder } = state;
  for (const folder of [runtimeFolder, sidecarFolder, buildFolder, logFolder, cacheFolder]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  return state;
}

/** Reads the state's secrets and makes those that are missing. */
export function keepSecrets(state: StateFolder): Secrets {
  const operatorKey =
    readKept(state.operatorKeyFile) ?? keep(state.operatorKeyFile, makeKey(OPERATOR, randomBytes(96)));
  const file = join(state.root, "secrets.json");
  const kept = JSON.parse(readKept(file) ?? "{}") as Partial<Omit<Secrets, "operatorKey">>;
  const secrets = {
    sidecarSecret: kept.sidecarSecret ?? randomBytes(32).toString("base64url"),
    secretKey: kept.secretKey ?? randomBytes(32).toString("base64"),
    databasePassword: kept.databasePassword ?? randomBytes(24).toString("base64url"),
  };
  if (Object.keys(kept).length < Object.keys(secrets).length) keep(file, JSON.stringify(secrets, null, 2));
  return { operatorKey, ...secrets };
}

/** The text of a file without the newline at its end; null when there is none. */
export function readKept(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim() || null;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** Writes a file that only its owner may read, whole or not at all, and returns the text. */
export function keep(path: string, text: string): string {
  const draft = `${path}.${process.pid}`;
  const file = openSync(draft, "w", 0o600);
  writeSync(file, `${text}\n`);
  fsyncSync(file);
  closeSync(file);
  chmodSync(draft, 0o600);
  renameSync(draft, path);
  return text;
}
