/**
 * The registered providers with their variables, and the provider of a model's name. Imports no package: scripts read
 * it too.
 */
import type { ModelProvider } from "./provider.ts";
import * as registry from "./registry.ts";

type Providers = typeof registry;
type ProviderName = Providers[keyof Providers]["name"];

/** The secret of a provider, for example `ANTHROPIC_API_KEY`. */
export type ModelSecretName = `${Uppercase<ProviderName>}_API_KEY`;
/** The variable with the address of a provider's server, for example `ANTHROPIC_BASE_URL`. */
export type ModelUrlName = `${Uppercase<ProviderName>}_BASE_URL`;
/** The variables of models in the environment; an empty one counts as unset. */
export type ModelVariables = Readonly<Partial<Record<ModelSecretName | ModelUrlName | "OTTO_MODEL", string>>>;

/** The model of the default provider when OTTO_MODEL names none. */
const DEFAULT_MODEL = "gpt-5-mini";

/** A provider with the names of its variables. */
export interface RegisteredProvider extends ModelProvider {
  readonly secret: ModelSecretName;
  readonly url: ModelUrlName;
}

/** Serves every name that does not start with another provider. */
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

/** A model and the provider that serves it; `model` is its name there. */
export interface ServedModel {
  readonly provider: RegisteredProvider;
  readonly model: string;
}

/** True when a provider has a key or an address. */
function isConfigured(variables: ModelVariables, { secret, url }: RegisteredProvider): boolean {
  return Boolean(variables[secret]) || Boolean(variables[url]);
}

/**
 * Finds the provider of a model; null if none is configured for its name. `anthropic/claude-…` is the model `claude-…`
 * of Anthropic once Anthropic is configured. Every other name goes to the default provider unchanged: gateways use
 * names with a slash too.
 */
export function findProvider(variables: ModelVariables, name: string): ServedModel | null {
  const provider = findNamedProvider(name);
  if (provider !== null && isConfigured(variables, provider))
    return { provider, model: name.slice(provider.name.length + 1) };
  return isConfigured(variables, DEFAULT_PROVIDER) ? { provider: DEFAULT_PROVIDER, model: name } : null;
}

/** The provider at the start of a model's name; null for the default provider, whose models have no prefix. */
export function findNamedProvider(name: string): RegisteredProvider | null {
  return MODEL_PROVIDERS.find((known) => known !== DEFAULT_PROVIDER && name.startsWith(`${known.name}/`)) ?? null;
}

/** The default model; null if no server is configured for it, and the demo model replies. */
export function getDefaultModel(variables: ModelVariables): (ServedModel & { readonly name: string }) | null {
  const name = variables.OTTO_MODEL || DEFAULT_MODEL;
  const served = findProvider(variables, name);
  return served === null ? null : { ...served, name };
}
