/** `on`: a provider's key is set. `demo`: mock apps that reach nothing real. Everything else works without both. */
export const INTEGRATION_STATES = ["on", "demo", "integrations_unavailable"] as const;
export type IntegrationState = (typeof INTEGRATION_STATES)[number];

/** Whose key serves a tenant: its own, the operator's, that of the demo apps, or none. */
export const KEY_OWNERS = ["own", "operator", "demo", "none"] as const;
export type KeyOwner = (typeof KEY_OWNERS)[number];
