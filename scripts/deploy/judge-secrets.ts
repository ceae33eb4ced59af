/**
 * Whether the Worker has the secrets that it needs, by their names, because nobody can read their values back; and whether
 * the values that are about to be uploaded are right.
 */
import { SECRET_NAMES, SECRETS, type SecretName, findSecretProblem } from "../../adapters/env/worker-secrets.ts";
import { TEST_SWITCHES } from "../../core/secrets/worker-secrets.ts";

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

/**
 * What is wrong with the values in a file of secrets: a line each, which never holds a value. `there` are the names of the
 * Worker's secrets, `owner` is the role that owns the database, where they are known.
 */
export function judgeSecretValues(
  given: ReadonlyMap<string, string>,
  { there, owner }: { readonly there: readonly string[]; readonly owner: string | null },
): string[] {
  const problems = SECRET_NAMES.flatMap((name) => {
    const value = given.get(name);
    return value === undefined ? [] : (findSecretProblem(name, value) ?? []);
  });
  if (there.includes("OTTO_SECRET_KEY") && given.has("OTTO_SECRET_KEY") && !given.has("OTTO_SECRET_KEYS_OLD"))
    problems.push(
      "OTTO_SECRET_KEY: the Worker has one, and what tenants sealed with it would not open with another; take it out of the file, or add the earlier one as OTTO_SECRET_KEYS_OLD",
    );
  const role = URL.parse(given.get("DATABASE_URL") ?? "")?.username;
  if (owner !== null && role === owner)
    problems.push("DATABASE_URL: it has the role of the database's owner; the Worker's has to be otto_app");
  return problems;
}

function line(name: SecretName): string {
  return `${name}: ${SECRETS[name].purpose}`;
}
