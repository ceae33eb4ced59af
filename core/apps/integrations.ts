/** `on`: a provider's key is set. `demo`: mock apps that reach nothing real. Everything else works without both. */
export const INTEGRATION_STATES = ["on", "demo", "integrations_unavailable"] as const;
export type IntegrationState = (typeof INTEGRATION_STATES)[number];
