/** Makes the secrets that are only random bytes, and the operator's key, into files that nobody else may read. */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKey, OPERATOR } from "../../core/tenant/keys.ts";
import { DeployRefused } from "./deploy-refused.ts";

export interface MadeSecrets {
  /** JSON for `--secrets-file`. DATABASE_URL is empty in it, to be filled in. */
  readonly secretsFile: string;
  /** The key that may make tenants. The Worker gets its hash only. */
  readonly operatorKeyFile: string;
}

/** Never overwrites: what is stored under one OTTO_SECRET_KEY does not open with another. Throws `DeployRefused`. */
export function makeSecrets(folder: string): MadeSecrets {
  const secretsFile = join(folder, "secrets.json");
  const operatorKeyFile = join(folder, "operator-key");
  for (const file of [secretsFile, operatorKeyFile]) {
    if (existsSync(file)) throw new DeployRefused(`${file} is there already. Use it, or move it away first.`);
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const operatorKey = createKey(OPERATOR, randomBytes(64));
  const secrets = {
    DATABASE_URL: "",
    OTTO_SECRET_KEY: randomBytes(32).toString("base64"),
    OTTO_OPERATOR_KEY_HASH: createHash("sha256").update(operatorKey).digest("hex"),
    SIDECAR_SECRET: randomBytes(32).toString("hex"),
  };
  writeFileSync(operatorKeyFile, `${operatorKey}\n`, { mode: 0o600, flag: "wx" });
  writeFileSync(secretsFile, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  return { secretsFile, operatorKeyFile };
}
