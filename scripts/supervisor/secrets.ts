/** The secrets of a state: created once, and stored in its folder. */
import { randomBytes } from "node:crypto";
import { getOwn } from "../../core/base/own-field.ts";
import { OPERATOR, findKeyOwner, createKey } from "../../core/tenant/keys.ts";
import { type SecretName, findSecretProblem } from "../../adapters/env/worker-secrets.ts";
import { CannotRun } from "./cannot-run.ts";
import { type StateFolder, keep, readKept } from "./state-folder.ts";

export interface Secrets {
  readonly operatorKey: string;
  /** Signs the sidecar's tokens. */
  readonly sidecarSecret: string;
  /** 32 bytes in base64: seals the secrets that tenants store. */
  readonly secretKey: string;
  /** Earlier such keys, comma separated, which only open; null: none. */
  readonly oldSecretKeys: string | null;
  /** The password of the bridge, and of the role otto_app where that role is made on a real Postgres. */
  readonly databasePassword: string;
}

interface OpenedSecrets {
  readonly secrets: Secrets;
  /** Stores what was created. Called once the database has shown that no stored value needs another key; null: all was stored. */
  readonly save: (() => void) | null;
}

const STORED = ["sidecarSecret", "secretKey", "databasePassword"] as const;
type Stored = Partial<Record<(typeof STORED)[number], string>>;

/**
 * Reads the state's secrets and creates those that are missing. OTTO_SECRET_KEY and OTTO_SECRET_KEYS_OLD in `env` replace the
 * state's own key. Throws `CannotRun` for a damaged file and for a text that is not a key.
 */
export function openSecrets(state: StateFolder, env: NodeJS.ProcessEnv): OpenedSecrets {
  const stored = readStored(state.secretsFile);
  const given = readGiven(env, "OTTO_SECRET_KEY");
  const made: Stored = {
    sidecarSecret: stored.sidecarSecret ?? randomBytes(32).toString("base64url"),
    databasePassword: stored.databasePassword ?? randomBytes(24).toString("base64url"),
    ...(stored.secretKey === undefined && given !== null ? {} : { secretKey: stored.secretKey ?? makeSecretKey() }),
  };
  const isWhole = Object.keys(made).every((name) => Object.hasOwn(stored, name));
  const { sidecarSecret = "", databasePassword = "", secretKey = "" } = made;
  return {
    secrets: {
      operatorKey: openOperatorKey(state),
      sidecarSecret,
      secretKey: given ?? secretKey,
      oldSecretKeys: readGiven(env, "OTTO_SECRET_KEYS_OLD"),
      databasePassword,
    },
    save: isWhole ? null : () => void keep(state.secretsFile, JSON.stringify(made, null, 2)),
  };
}

/** Any operator key works: the Worker learns its hash at each start. So a damaged one is replaced. */
function openOperatorKey(state: StateFolder): string {
  const stored = readKept(state.operatorKeyFile);
  if (stored !== null && findKeyOwner(stored) === OPERATOR) return stored;
  return keep(state.operatorKeyFile, createKey(OPERATOR, randomBytes(96)));
}

function makeSecretKey(): string {
  return randomBytes(32).toString("base64");
}

function readStored(file: string): Stored {
  const stored = parse(readKept(file) ?? "{}");
  if (stored !== null && STORED.every((name) => isStorable(name, getOwn(stored, name))))
    return Object.fromEntries(STORED.flatMap((name) => readEntry(stored, name)));
  throw new CannotRun(
    `${file} is damaged: restore it from a backup, or remove it if no secret was stored with the key that it held.`,
  );
}

function isStorable(name: (typeof STORED)[number], value: unknown): boolean {
  if (value === undefined) return true;
  return typeof value === "string" && (name !== "secretKey" || findSecretProblem("OTTO_SECRET_KEY", value) === null);
}

function readEntry(stored: Readonly<Record<string, unknown>>, name: string): [string, string][] {
  const value = getOwn(stored, name);
  return typeof value === "string" ? [[name, value]] : [];
}

/** Null for what is no JSON object. */
function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function readGiven(env: NodeJS.ProcessEnv, name: SecretName): string | null {
  const value = env[name] ?? "";
  if (value === "") return null;
  const problem = findSecretProblem(name, value);
  if (problem !== null) throw new CannotRun(`${problem}.`);
  return value;
}
