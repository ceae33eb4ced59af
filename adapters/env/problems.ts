/** Finds every invalid setting. */
import { readAppsSettings } from "./apps.ts";
import { checkAddress, type Env, readVariable, readText } from "./bindings.ts";
import { checkEndpoint } from "./database.ts";
import { publicUrlFromEnv } from "./deployment.ts";
import { directoryFromEnv } from "./directory.ts";
import { readMailDomain, readMailSettings } from "./mail.ts";
import { readEmbeddingModel } from "./memory.ts";
import { readModelApi } from "./model.ts";
import { readScriptIsolation } from "./sidecar.ts";
import { readSearchSettings } from "./search.ts";
import { checkSecret, settingsFromEnv } from "./settings.ts";
import { readSlackSettings } from "./slack.ts";
import { readEgressAllow } from "./egress.ts";
import { SECRET_NAMES, type SecretName, SECRETS } from "./worker-secrets.ts";
import { MODEL_PROVIDERS } from "../model/providers.ts";
import type { SecretRow } from "../../core/secrets/worker-secrets.ts";

/**
 * Lists every invalid setting and every missing required secret, each as a sentence that names it and never contains
 * its value. Empty if the Worker can run. `ofChannels`: the secrets of the channels.
 */
export function findSettingProblems(env: Env, ofChannels: Readonly<Record<string, SecretRow>> = {}): readonly string[] {
  const isNeeded = (name: SecretName) =>
    SECRETS[name].required || (name === "SIDECAR_SECRET" && readText(env.SIDECAR_URL) !== null);
  const missing = SECRET_NAMES.filter((name) => isNeeded(name) && readText(env[name]) === null);
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
    () => readEgressAllow(env),
    () => readModelApi(env),
    () => readScriptIsolation(env),
    () => checkAddress(env.SEARCH_BASE_URL, "SEARCH_BASE_URL"),
    () => readSearchSettings(env),
    () => readAppsSettings(env),
    () => directoryFromEnv(env),
    () => readEmbeddingModel(env),
    () => readSlackSettings(env),
    () => readMailSettings(env),
    () => readMailDomain(env),
    () => publicUrlFromEnv(env),
  ];
  const wrong = checks.flatMap((check) => catchMessage(check));
  return [
    ...missing.map((name) => `${name} is not set: ${SECRETS[name].purpose}`),
    ...new Set(wrong),
    ...Object.entries(ofChannels).flatMap(([name, row]) => findChannelProblem(env, name, row)),
  ];
}

function findChannelProblem(env: Env, name: string, { required, purpose, form, fits }: SecretRow): string[] {
  const value = readVariable(env, name);
  if (value === null) return required ? [`${name} is not set: ${purpose}`] : [];
  return fits(value) ? [] : [`${name} has to be ${form}`];
}

function catchMessage(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (thrown) {
    if (thrown instanceof RangeError) return [thrown.message];
    throw thrown;
  }
}
