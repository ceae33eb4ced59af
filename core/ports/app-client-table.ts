/**
 * The apps of one tenant that people connect to: how each is reached, and the client that it knows. Expected failures
 * are values: `not_found` without the row, `too_large`, `quota_exceeded`.
 */
import type { Result } from "../base/errors.ts";
import type { Provider } from "../connections/account.ts";

/** What may be shown of an app's settings, as its provider's protocol needs them. */
export type AppClientSettings = Readonly<Record<string, unknown>>;
/** What is sealed: a client secret, or a client that was registered. */
export type AppClientSecrets = Readonly<Record<string, unknown>>;

/** A stored app. */
export interface StoredAppClient {
  /** The name of an import or an MCP server. */
  readonly app: string;
  readonly provider: Provider;
  readonly settings: AppClientSettings;
  /** Changes with every setting that a consent covers. */
  readonly settingsHash: string;
  readonly hasSecrets: boolean;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
}

export type NewAppClient = Pick<StoredAppClient, "app" | "provider" | "settings" | "settingsHash"> & {
  readonly secrets: AppClientSecrets | null;
};

/** What was read of an app before its secrets are replaced. */
export interface ReadSecrets {
  readonly settingsHash: string;
  /** Names the stored secrets; null: none. */
  readonly receipt: string | null;
}

/** `secrets` is null without any, and where they cannot be opened. */
export interface StoredSecrets extends ReadSecrets {
  readonly secrets: AppClientSecrets | null;
}

export interface AppClientTable {
  /** All of them by name. */
  all(): Promise<Result<readonly StoredAppClient[]>>;
  find(app: string): Promise<Result<StoredAppClient>>;
  /** Adds an app, or replaces its settings and secrets. */
  put(app: NewAppClient): Promise<Result<StoredAppClient>>;
  /** Its secrets, with what `replaceSecrets` compares. */
  secrets(app: string): Promise<Result<StoredSecrets>>;
  /**
   * Stores other secrets in the place of those that were read, for the same settings. False: the app's settings or
   * secrets changed meanwhile.
   */
  replaceSecrets(app: string, before: ReadSecrets, secrets: AppClientSecrets): Promise<Result<boolean>>;
  remove(app: string): Promise<Result<void>>;
}
