/**
 * The secrets of a deployed Worker: one list for the Worker, which reads them, and for `npm run deploy`, which checks that
 * they are there, and those that it uploads by their values, before it changes anything. Imports no package.
 */
import { HEADER_WORD, PLATFORM_SECRETS, type SecretRow } from "../../core/secrets/worker-secrets.ts";
import { MODEL_PROVIDERS, type ModelSecretName, type RegisteredProvider } from "../model/providers.ts";

export type SecretName = keyof typeof PLATFORM_SECRETS | ModelSecretName;

export const SECRETS: Readonly<Record<SecretName, SecretRow>> = { ...PLATFORM_SECRETS, ...modelSecrets() };

/** In the order of the table. */
export const SECRET_NAMES = Object.keys(SECRETS) as SecretName[];

/** The problem of a secret's value, in a sentence without the value; null for a valid one. */
export function findSecretProblem(name: SecretName, value: string): string | null {
  const { fits, form } = SECRETS[name];
  return fits(value) ? null : `${name} has to be ${form}`;
}

function modelSecrets(): Record<ModelSecretName, SecretRow> {
  const rows = MODEL_PROVIDERS.map((provider) => [provider.secret, modelSecret(provider)] as const);
  return Object.fromEntries(rows) as Record<ModelSecretName, SecretRow>;
}

function modelSecret({ label, url }: RegisteredProvider): SecretRow {
  const purpose = `the key of ${label}, or of the server at ${url}; without any provider of models the demo model answers`;
  return { required: false, purpose, ...HEADER_WORD };
}
