/** The secrets of a deployed Worker, without the keys of models: `adapters/env/worker-secrets.ts` adds those of the registry. */
import { MAX_OLD_KEYS } from "./key-ring.ts";

export interface SecretRow {
  /** The Worker does not work without a required one. */
  readonly required: boolean;
  readonly purpose: string;
  /** The form of a value, after “it has to be”. Values are never quoted. */
  readonly form: string;
  readonly fits: (value: string) => boolean;
}

const MIN_SIDECAR_SECRET_CHARACTERS = 32;

/** A value that goes into a header of a request. */
export const HEADER_WORD = {
  form: "what a header can hold: characters of ASCII, and no space",
  fits: (value: string): boolean => /^[\x21-\x7e]+$/.test(value),
};

export const PLATFORM_SECRETS = {
  DATABASE_URL: {
    required: true,
    purpose: "the connection string of the role that row-level security binds, postgres://otto_app:…",
    form: "a connection string, postgres://role:password@host/database",
    fits: isConnectionString,
  },
  OTTO_SECRET_KEY: {
    required: true,
    purpose: "32 bytes in base64, which seal what tenants store",
    form: "32 bytes in base64, 44 characters",
    fits: (value) => /^[A-Za-z0-9+/]{43}=$/.test(value),
  },
  OTTO_SECRET_KEYS_OLD: {
    required: false,
    purpose: "earlier values of OTTO_SECRET_KEY, comma separated, which only open what they sealed",
    form: `at most ${MAX_OLD_KEYS} keys of 32 bytes in base64, 44 characters each, separated by commas`,
    fits: areKeys,
  },
  OTTO_OPERATOR_KEY_HASH: {
    required: true,
    purpose: "the SHA-256, in hex, of the key that may create tenants",
    form: "a SHA-256 in hex, 64 characters",
    fits: (value) => /^[0-9a-f]{64}$/i.test(value),
  },
  SIDECAR_SECRET: {
    required: false,
    purpose: "32 characters or more, shared with the sidecar; without it no tool makes a request to the web",
    form: `${MIN_SIDECAR_SECRET_CHARACTERS} characters or more`,
    fits: (value) => value.length >= MIN_SIDECAR_SECRET_CHARACTERS,
  },
  SEARCH_API_KEY: {
    required: false,
    purpose: "the key of the search engine that SEARCH_PROVIDER names",
    ...HEADER_WORD,
  },
  COMPOSIO_API_KEY: {
    required: false,
    purpose: "the key of Composio, which describes apps and their actions; without it the catalogue of apps is empty",
    ...HEADER_WORD,
  },
  SLACK_SIGNING_SECRET: {
    required: false,
    purpose: "the key with which Slack signs its requests; without it they are rejected",
    ...HEADER_WORD,
  },
  SLACK_CLIENT_SECRET: {
    required: false,
    purpose: "the secret of the Slack app, with which it is installed in a workspace",
    ...HEADER_WORD,
  },
  RESEND_API_KEY: {
    required: false,
    purpose: "the key of Resend, which sends mail",
    ...HEADER_WORD,
  },
  SMTP_URL: {
    required: false,
    purpose: "the SMTP server that sends mail without Resend",
    form: "smtp://user:password@host:port or smtps://…",
    fits: (value) => /^smtps?:$/.test(URL.parse(value)?.protocol ?? ""),
  },
} as const satisfies Record<string, SecretRow>;

/** Variables for development and tests, which a deployed Worker must not have. OTTO_MODE has to be production there. */
export const TEST_SWITCHES: readonly string[] = ["OTTO_EGRESS_ALLOW", "OTTO_DATABASE_ENDPOINT", "OTTO_DEMO_APPS"];

function areKeys(value: string): boolean {
  const keys = value.split(",");
  return keys.length <= MAX_OLD_KEYS && keys.every((key) => /^[A-Za-z0-9+/]{43}=$/.test(key.trim()));
}

/** Whether Neon's driver can read it: it wants a role, a password, a host and a database. */
function isConnectionString(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) return false;
  return url.username !== "" && url.password !== "" && url.hostname !== "" && url.pathname.length > 1;
}
