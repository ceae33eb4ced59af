/**
 * The model providers, a line each. Secrets, variables, checks of settings and routing of model names follow from these
 * lines. The first is the default: it also serves names without a provider.
 */
export { openai } from "./openai/provider.ts";
export { anthropic } from "./anthropic/provider.ts";
