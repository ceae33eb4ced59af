/** The account of an outside app through which one call acts, and what is needed where there is no usable one. */

/** Who stores the tokens of a connection, and by which protocol they were given. */
export const PROVIDERS = ["composio", "oauth", "key", "mcp"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Also a database of the tenant, which an administrator adds and nobody connects. */
export const ACCOUNT_PROVIDERS = [...PROVIDERS, "database"] as const;
type AccountProvider = (typeof ACCOUNT_PROVIDERS)[number];

/** Whose connections a tool may use. */
export const OWNER_RULES = ["person", "shared", "either"] as const;
export type OwnerRule = (typeof OWNER_RULES)[number];

/** `shared` is the tenant's. */
export type AccountOwner =
  | { readonly kind: "person"; readonly id: string; readonly name: string }
  | { readonly kind: "shared" };

/** Returns the id of the person who owns an account; null for a shared one. */
export function getOwnerPerson(owner: AccountOwner): string | null {
  return owner.kind === "person" ? owner.id : null;
}

/** The account through which one call acts. `formatAccount` drops `consent` and `delegates`. */
export interface Account {
  /** `con_…`, or `dbs_…` of a database. */
  readonly connection: string;
  readonly app: string;
  readonly provider: AccountProvider;
  readonly owner: AccountOwner;
  /** How the app names it, such as a mail address; null if it did not say. */
  readonly label: string | null;
  /** Counts the consents of the connection: another number may be another mailbox. */
  readonly consent: number;
  /** True if others who may approve may decide in the owner's place. */
  readonly delegates: boolean;
}

/** An account as the API, the ledger and cards show it. */
export type AccountView = Omit<Account, "consent" | "delegates">;

export function formatAccount({ connection, app, provider, owner, label }: Account): AccountView {
  return { connection, app, provider, owner, label };
}

/** What a tool needs an account for. A tool without it acts through none. */
export interface ToolApp {
  /** The name of an import or an MCP server, or a toolkit. */
  readonly app: string;
  readonly provider: Provider;
  /** Whose connections its assignment allows. */
  readonly owner: OwnerRule;
  /** The scopes that its call needs; empty: unknown. */
  readonly scopes: readonly string[];
}

/**
 * True for the one grant of an MCP server. The server's own row stores its tokens, and an administrator authorizes the
 * server: nobody connects this account by a link.
 */
export function isServerGrant({ provider, owner }: Pick<Account, "provider" | "owner">): boolean {
  return provider === "mcp" && owner.kind === "shared";
}

/** Why there is no usable account. */
export const CONNECT_REASONS = ["missing", "expired", "revoked", "scopes", "unattended"] as const;
export type ConnectReason = (typeof CONNECT_REASONS)[number];

/** A connection that a person has to make, renew or allow. */
export interface ConnectNeed {
  readonly app: string;
  readonly reason: ConnectReason;
  /** Who has to connect; null: shared, an administrator. */
  readonly person: string | null;
}
