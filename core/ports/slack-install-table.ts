/** The Slack workspaces in which tenants have installed the app. Expected failures are values. */
import type { AuditEntry } from "./audit.ts";
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";

/** `revoked`: the app was uninstalled at Slack, or its token revoked. */
export type SlackInstallStatus = "active" | "revoked";

/** A workspace (`T…`) of a tenant. */
export interface SlackHome {
  readonly tenant: string;
  readonly team: string;
}

/** A workspace in a list, without the bot's token. */
export interface SlackInstall {
  /** `slk_…` */
  readonly id: string;
  /** `T…` */
  readonly team: string;
  readonly teamName: string;
  /** `A…`; null if unknown. */
  readonly app: string | null;
  /** `U…` */
  readonly botUser: string;
  readonly scopes: readonly string[];
  readonly status: SlackInstallStatus;
  /** A key's id. */
  readonly installedBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** An installation to store, with the bot's encrypted token in base64. */
export type NewSlackInstall = Pick<
  SlackInstall,
  "id" | "team" | "teamName" | "app" | "botUser" | "scopes" | "installedBy"
> & { readonly sealed: string };

/** A pending authorization. `key` is the key that began it. */
export interface SlackAuthorization {
  readonly mark: string;
  readonly key: string;
  /** The URL to which Slack redirects the person. */
  readonly redirect: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A workspace belongs to one tenant at a time, and to it once. */
export interface SlackInstallTable {
  /**
   * Stores an installation, or replaces the one of the same workspace, whose id stays. `conflict`: it is another
   * tenant's.
   */
  put(tenant: string, install: NewSlackInstall, act: AuditEntry): Promise<Result<SlackInstall>>;
  get(tenant: string, id: string): Promise<Result<SlackInstall>>;
  page(tenant: string, request: PageRequest): Promise<Result<Page<SlackInstall>>>;
  /** The active ones, the latest first, at most 100. */
  active(tenant: string): Promise<Result<readonly SlackInstall[]>>;
  /** The active one of a workspace, with its encrypted token; `not_found` otherwise. */
  findByTeam(tenant: string, team: string): Promise<Result<SlackInstall & { readonly sealed: string }>>;
  /** Returns the tenant of a workspace; null if none. */
  findTenant(team: string): Promise<Result<string | null>>;
  /** Deletes an installation with its token, and returns it. */
  remove(tenant: string, id: string, act: AuditEntry): Promise<Result<SlackInstall>>;
  /**
   * Slack revoked the token: deletes it and keeps the installation in the list. Skips an installation newer than `at`.
   */
  revoke(tenant: string, team: string, at: number): Promise<Result<void>>;
  /** Stores an authorization, and deletes the tenant's expired ones. */
  begin(tenant: string, authorization: SlackAuthorization): Promise<Result<void>>;
  /** Takes an authorization, once; null if unknown or expired. */
  end(tenant: string, mark: string, now: number): Promise<Result<SlackAuthorization | null>>;
}
