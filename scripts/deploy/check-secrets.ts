/** The secrets of a deployment: those that the Worker has, by name, and those of `--secrets-file`, by value. */
import { readFileSync } from "node:fs";
import { SECRET_NAMES, SECRETS } from "../../adapters/env/worker-secrets.ts";
import { DeployRefused, refuseAny } from "./deploy-refused.ts";
import { judgeSecrets, judgeSecretValues } from "./judge-secrets.ts";
import { type Wrangler, wordsOf } from "./wrangler-command.ts";

export interface SecretsAtHand {
  /** The names of the Worker's secrets; null where nobody was asked. */
  readonly there: readonly string[] | null;
  readonly secretsFile: string | null;
  /** The names of the Worker's variables. */
  readonly vars: readonly string[];
  /** The role that owns the database; null: not known. */
  readonly owner: string | null;
}

const FIRST_TIME =
  "\nFor the first upload: npm run deploy -- --make-secrets, fill in the file, then --secrets-file with its path.";

/** Gives lines to say. Throws `DeployRefused` for what the Worker would lack or lose, and for a value that is wrong. */
export function checkSecrets({ there, secretsFile, vars, owner }: SecretsAtHand): string[] {
  if (there === null && secretsFile === null) return listOfSecrets();
  const given = secretsFile === null ? new Map<string, string>() : readSecrets(secretsFile);
  const isFirst = (there ?? []).length === 0 && given.size === 0;
  const { problems, leftOut } = judgeSecrets([...(there ?? []), ...given.keys()], vars);
  refuseAny("Secrets", problems, isFirst ? FIRST_TIME : "");
  refuseAny(`--secrets-file: ${secretsFile}`, judgeSecretValues(given, { there: there ?? [], owner }));
  return [...leftOut.map((line) => `  not set, and not needed: ${line}`), "  every required secret is there"];
}

/** The names of the Worker's secrets; none while there is no such Worker. `worker` is its name. */
export async function listSecrets(wrangler: Wrangler, worker: string): Promise<string[]> {
  const listed = await wrangler(["secret", "list", "--format", "json"]);
  if (listed.exitCode !== 0) {
    // Wrangler 4.164 says nothing else for programs to read.
    if (`${listed.stdout}\n${listed.stderr}`.includes(`Worker "${worker}" not found.`)) return [];
    throw new DeployRefused(
      `Cloudflare was not asked for the Worker's secrets. Log in (npx wrangler login, or CLOUDFLARE_API_TOKEN).\n${wordsOf(listed)}`,
    );
  }
  const names = parseNames(listed.stdout);
  if (names === null) throw new DeployRefused(`The list of the Worker's secrets cannot be read.\n${wordsOf(listed)}`);
  return names;
}

function parseNames(json: string): string[] | null {
  try {
    const rows = JSON.parse(json) as readonly { readonly name?: unknown }[];
    const names = rows.map(({ name }) => name);
    return names.every((name) => typeof name === "string") ? names : null;
  } catch {
    return null;
  }
}

function listOfSecrets(): string[] {
  const wanted = SECRET_NAMES.map(
    (name) => `  ${SECRETS[name].required ? "required" : "optional"}  ${name}: ${SECRETS[name].purpose}`,
  );
  return [
    ...wanted,
    "  npm run deploy -- --make-secrets makes those that are random",
    "  which of them are set was not looked up: that takes an account",
  ];
}

/** Those that have a value. */
function readSecrets(file: string): ReadonlyMap<string, string> {
  try {
    const secrets = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>;
    const isGiven = (pair: [string, unknown]): pair is [string, string] =>
      typeof pair[1] === "string" && pair[1] !== "";
    return new Map(Object.entries(secrets).filter(isGiven));
  } catch {
    // What the parser says could quote a secret.
    throw new DeployRefused(`--secrets-file: ${file} cannot be read as a JSON object of strings.`);
  }
}
