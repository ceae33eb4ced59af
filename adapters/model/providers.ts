/**
 * The providers of the registry with their variables, and which of them a model's name leads to. Imports no package:
 * the scripts read it too.
 */
import type { ModelProvider } from "./provider.ts";
import * as registry from "./registry.ts";

type Providers = typeof registry;
type ProviderName = Providers[keyof Providers]["name"];

/** The secret of a provider, for example `ANTHROPIC_API_KEY`. */
export type ModelSecretName = `${Uppercase<ProviderName>}_API_KEY`;
/** The variable with the address of a provider's server, for example `ANTHROPIC_BASE_URL`. */
export type ModelUrlName = `${Uppercase<ProviderName>}_BASE_URL`;
/** The variables of models, as the environment has them; an empty one counts as not set. */
export type ModelVariables = Readonly<Partial<Record<ModelSecretName | ModelUrlName | "OTTO_MODEL", string>>>;

/** The model of the default provider when OTTO_MODEL names none. */
const DEFAULT_MODEL = "gpt-5-mini";

/** A provider with the names of its variables. */
export interface RegisteredProvider extends ModelProvider {
  readonly secret: ModelSecretName;
  readonly url: ModelUrlName;
}

/** The one that gets every name that begins with no other provider. */
const DEFAULT_PROVIDER = register(registry.openai);

/** The default first. */
export const MODEL_PROVIDERS: readonly RegisteredProvider[] = [
  DEFAULT_PROVIDER,
  ...Object.values<ModelProvider>(registry)
    .filter((provider) => provider !== registry.openai)
    .map(register),
];

function register(provider: ModelProvider): RegisteredProvider {
  const prefix = provider.name.toUpperCase() as Uppercase<ProviderName>;
  return { ...provider, secret: `${prefix}_API_KEY`, url: `${prefix}_BASE_URL` };
}

/** A model and the provider that serves it. `model`: its name there. */
export interface ServedModel {
  readonly provider: RegisteredProvider;
  readonly model: string;
}

/** True when a provider has a key or an address. */
function isSetUp(variables: ModelVariables, { secret, url }: RegisteredProvider): boolean {
  return Boolean(variables[secret]) || Boolean(variables[url]);
}

/**
 * Finds who serves a model; null when nobody is set up for its name. `anthropic/claude-…` is the model `claude-…` of
 * Anthropic once Anthropic is set up. Every other name goes to the default provider as it is written: gateways have
 * names with a slash too.
 */
export function findServer(variables: ModelVariables, name: string): ServedModel | null {
  const provider = providerInName(name);
  if (provider !== null && isSetUp(variables, provider))
    return { provider, model: name.slice(provider.name.length + 1) };
  return isSetUp(variables, DEFAULT_PROVIDER) ? { provider: DEFAULT_PROVIDER, model: name } : null;
}

/** The provider whose name begins a model's name; null for the default one, whose models have none before them. */
export function providerInName(name: string): RegisteredProvider | null {
  return MODEL_PROVIDERS.find((known) => known !== DEFAULT_PROVIDER && name.startsWith(`${known.name}/`)) ?? null;
}

/** The model of an agent that names none; null: no server is set up for one, and the demo model answers. */
export function defaultModel(variables: ModelVariables): (ServedModel & { readonly name: string }) | null {
  const name = variables.OTTO_MODEL || DEFAULT_MODEL;
  const served = findServer(variables, name);
  return served === null ? null : { ...served, name };
}
