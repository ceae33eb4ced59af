/**
 * The secrets of a deployed Worker: one list for the Worker and for `npm run deploy`, which checks them before it
 * changes anything. Imports no package.
 */
import { HEADER_WORD, PLATFORM_SECRETS, type SecretRow } from "../../core/secrets/worker-secrets.ts";
import { MODEL_PROVIDERS, type ModelSecretName, type RegisteredProvider } from "../model/providers.ts";

export type SecretName = keyof typeof PLATFORM_SECRETS | ModelSecretName;

export const SECRETS: Readonly<Record<SecretName, SecretRow>> = { ...PLATFORM_SECRETS, ...listModelSecrets() };

/** In the order of the table. */
export const SECRET_NAMES = Object.keys(SECRETS) as SecretName[];

/** Describes what is wrong with a secret, naming it but never containing its value; null if nothing is. */
export function findSecretProblem(name: SecretName, value: string): string | null {
  const { fits, form } = SECRETS[name];
  return fits(value) ? null : `${name} has to be ${form}`;
}

function listModelSecrets(): Record<ModelSecretName, SecretRow> {
  const rows = MODEL_PROVIDERS.map((provider) => [provider.secret, describeModelSecret(provider)] as const);
  return Object.fromEntries(rows) as Record<ModelSecretName, SecretRow>;
}

function describeModelSecret({ label, url }: RegisteredProvider): SecretRow {
  const purpose = `the key of ${label}, or of the server at ${url}; without any model provider the demo model replies`;
  return { required: false, purpose, ...HEADER_WORD };
}
