/** Whether the Worker has the secrets that it needs, by their names: nobody can read their values back. */
import { SECRET_NAMES, SECRETS, type SecretName, TEST_SWITCHES } from "../../core/secrets.ts";

export interface SecretsVerdict {
  /** A line for each that is missing or may not be there, with what to do. Empty: it can be deployed. */
  readonly problems: readonly string[];
  /** A line for each optional one that is not set, with what that means. */
  readonly leftOut: readonly string[];
}

/** `set` are the names of the Worker's secrets, those about to be uploaded included; `vars` are those of its variables. */
export function judgeSecrets(set: Iterable<string>, vars: Iterable<string>): SecretsVerdict {
  const there = new Set(set);
  const needed = new Set<SecretName>(SECRET_NAMES.filter((name) => SECRETS[name].required));
  if (there.has("SIDECAR_URL") || new Set(vars).has("SIDECAR_URL")) needed.add("SIDECAR_SECRET");
  const absent = SECRET_NAMES.filter((name) => !there.has(name));
  return {
    problems: [
      ...absent.filter((name) => needed.has(name)).map((name) => `${line(name)}\n    npx wrangler secret put ${name}`),
      ...[...TEST_SWITCHES, "OTTO_MODE"]
        .filter((name) => there.has(name))
        .map((name) => `${name}: it may not be a secret of the Worker\n    npx wrangler secret delete ${name}`),
    ],
    leftOut: absent.filter((name) => !needed.has(name)).map(line),
  };
}

function line(name: SecretName): string {
  return `${name}: ${SECRETS[name].purpose}`;
}
