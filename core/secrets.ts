/**
 * The secrets of a deployed Worker: one list for the Worker, which reads them, and for `npm run deploy`, which checks that
 * they are there before it changes anything.
 */

interface SecretRow {
  /** Without a required one the Worker refuses to work. */
  readonly required: boolean;
  readonly purpose: string;
}

export const SECRETS = {
  DATABASE_URL: {
    required: true,
    purpose: "the connection string of the role that row-level security binds, postgres://otto_app:…",
  },
  OTTO_SECRET_KEY: { required: true, purpose: "32 bytes in base64, which seal what tenants store" },
  OTTO_OPERATOR_KEY_HASH: { required: true, purpose: "the SHA-256, in hex, of the key that may make tenants" },
  SIDECAR_SECRET: {
    required: false,
    purpose: "32 characters or more, shared with the sidecar; without it no tool makes a request to the web",
  },
  OPENAI_API_KEY: {
    required: false,
    purpose: "the key of the model's server; without it and without OPENAI_BASE_URL the demo model answers",
  },
} as const satisfies Record<string, SecretRow>;

export type SecretName = keyof typeof SECRETS;

/** In the order of the table. */
export const SECRET_NAMES = Object.keys(SECRETS) as SecretName[];

/** Variables for development and tests, which a deployed Worker must not have. OTTO_MODE has to be production there. */
export const TEST_SWITCHES: readonly string[] = ["OTTO_EGRESS_ALLOW", "OTTO_DATABASE_ENDPOINT"];
