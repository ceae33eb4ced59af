/** Workspaces of Slack in which tenants have installed the app. Expected failures are values. */
import type { AuditEntry } from "./audit.ts";
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";

/** `revoked`: the app was uninstalled at Slack, or its token taken back. */
export type SlackInstallStatus = "active" | "revoked";

/** A workspace (`T…`) of a tenant. */
export interface SlackHome {
  readonly tenant: string;
  readonly team: string;
}

/** A workspace as it is listed: everything but the bot's token. */
export interface SlackInstall {
  /** `slk_…` */
  readonly id: string;
  /** `T…` */
  readonly team: string;
  readonly teamName: string;
  /** `A…`; null: Slack did not say. */
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

/** An installation to be kept, with the bot's token sealed, in base64. */
export type NewSlackInstall = Pick<
  SlackInstall,
  "id" | "team" | "teamName" | "app" | "botUser" | "scopes" | "installedBy"
> & { readonly sealed: string };

/** An authorization that has begun. `key`: whose holder began it. */
export interface SlackAuthorization {
  readonly mark: string;
  readonly key: string;
  /** Where Slack sends the person back to. */
  readonly redirect: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A workspace is of one tenant at a time, and of a tenant once. */
export interface SlackInstallTable {
  /** Keeps it, in place of the one before of the same workspace, whose id stays. `conflict`: it is another tenant's. */
  put(tenant: string, install: NewSlackInstall, act: AuditEntry): Promise<Result<SlackInstall>>;
  get(tenant: string, id: string): Promise<Result<SlackInstall>>;
  page(tenant: string, request: PageRequest): Promise<Result<Page<SlackInstall>>>;
  /** Those that work, the latest first, at most 100. */
  active(tenant: string): Promise<Result<readonly SlackInstall[]>>;
  /** One that works, with its sealed token; `not_found` otherwise. */
  byTeam(tenant: string, team: string): Promise<Result<SlackInstall & { readonly sealed: string }>>;
  /** The tenant whose workspace this is; null: nobody's. */
  tenantOf(team: string): Promise<Result<string | null>>;
  /** Forgets it with its token, and gives what was there. */
  remove(tenant: string, id: string, act: AuditEntry): Promise<Result<SlackInstall>>;
  /** Slack has taken the token back: it is forgotten, the installation stays in the list. One that is newer than `at` stands. */
  revoke(tenant: string, team: string, at: number): Promise<Result<void>>;
  /** Keeps an authorization, and forgets those of the tenant that are over. */
  begin(tenant: string, authorization: SlackAuthorization): Promise<Result<void>>;
  /** Gives an authorization, once; null: there is none, or it is over. */
  end(tenant: string, mark: string, now: number): Promise<Result<SlackAuthorization | null>>;
}
