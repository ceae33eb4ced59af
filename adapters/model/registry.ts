/**
 * The providers of models, a line each. Secrets, variables, settings checks and the routing of a model's name follow from
 * these lines. The first is the default: it also gets the names that begin with no provider.
 */
export { openai } from "./openai/provider.ts";
export { anthropic } from "./anthropic/provider.ts";
