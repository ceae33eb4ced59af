/** `on`: a provider's key is set. `demo`: mock apps that reach nothing real. Everything else works without both. */
export const INTEGRATION_STATES = ["on", "demo", "integrations_unavailable"] as const;
export type IntegrationState = (typeof INTEGRATION_STATES)[number];

/** Why nothing of the provider works without its key. Clients of document 002 know this sentence. */
export const NO_PROVIDER_MESSAGE = "Integrations are disabled — no Composio API key is configured.";
