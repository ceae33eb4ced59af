/** Every setting that cannot be right. */
import { checkAddress, type Env, readVariable, set } from "./bindings.ts";
import { checkEndpoint } from "./database.ts";
import { publicUrlFromEnv } from "./deployment.ts";
import { mailDomain, mailSettings } from "./mail.ts";
import { embeddingModel } from "./memory.ts";
import { modelApi } from "./model.ts";
import { scriptIsolation } from "./sidecar.ts";
import { searchSettings } from "./search.ts";
import { checkSecret, settingsFromEnv } from "./settings.ts";
import { slackSettings } from "./slack.ts";
import { egressAllow } from "./web.ts";
import { SECRET_NAMES, type SecretName, SECRETS } from "./worker-secrets.ts";
import { MODEL_PROVIDERS } from "../model/providers.ts";
import type { SecretRow } from "../../core/secrets/worker-secrets.ts";

/**
 * Every setting that cannot be right, a sentence each that names it and never holds its value, and every required
 * secret that is missing. Empty: the Worker can work. `ofChannels`: the secrets that the channels have of their own.
 */
export function settingProblems(env: Env, ofChannels: Readonly<Record<string, SecretRow>> = {}): readonly string[] {
  const isNeeded = (name: SecretName) =>
    SECRETS[name].required || (name === "SIDECAR_SECRET" && set(env.SIDECAR_URL) !== null);
  const missing = SECRET_NAMES.filter((name) => isNeeded(name) && set(env[name]) === null);
  const checks: readonly (() => unknown)[] = [
    ...SECRET_NAMES.map((name) => () => checkSecret(env, name)),
    () => settingsFromEnv(env),
    () => checkEndpoint(env),
    () => checkAddress(env.SIDECAR_URL, "SIDECAR_URL"),
    ...MODEL_PROVIDERS.map(
      ({ url }) =>
        () =>
          checkAddress(env[url], url),
    ),
    () => egressAllow(env),
    () => modelApi(env),
    () => scriptIsolation(env),
    () => checkAddress(env.SEARCH_BASE_URL, "SEARCH_BASE_URL"),
    () => searchSettings(env),
    () => embeddingModel(env),
    () => slackSettings(env),
    () => mailSettings(env),
    () => mailDomain(env),
    () => publicUrlFromEnv(env),
  ];
  const wrong = checks.flatMap((check) => messageOf(check));
  return [
    ...missing.map((name) => `${name} is not set: ${SECRETS[name].purpose}`),
    ...new Set(wrong),
    ...Object.entries(ofChannels).flatMap(([name, row]) => channelProblem(env, name, row)),
  ];
}

function channelProblem(env: Env, name: string, { required, purpose, form, fits }: SecretRow): string[] {
  const value = readVariable(env, name);
  if (value === null) return required ? [`${name} is not set: ${purpose}`] : [];
  return fits(value) ? [] : [`${name} has to be ${form}`];
}

function messageOf(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (thrown) {
    if (thrown instanceof RangeError) return [thrown.message];
    throw thrown;
  }
}
