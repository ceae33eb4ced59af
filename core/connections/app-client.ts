/** An app that people connect to, and Otto as a client of its provider. */
import type { OwnerRule, Provider } from "./account.ts";

/** What anyone may know of an app. Its client's secret is in `ProviderSettings`. */
export interface AppClient {
  readonly app: string;
  readonly provider: Provider;
  /** The name that people read. */
  readonly title: string;
  readonly per: OwnerRule;
  readonly kind: "oauth2" | "api_key" | "bearer" | "basic" | "mcp" | "composio";
  readonly scopes: readonly string[];
  readonly fields: readonly { readonly name: string; readonly label: string; readonly hint?: string }[];
  /** The only hosts that receive the credentials. */
  readonly hosts: readonly string[];
  readonly settingsHash: string;
  /** Why nobody can connect it now, in a sentence for people. Absent if people can. */
  readonly unavailable?: string;
}

/** True for an MCP server that Otto uses through one grant: an administrator authorizes it, and nobody connects an account. */
export function hasServerGrant({ provider, per }: Pick<AppClient, "provider" | "per">): boolean {
  return provider === "mcp" && per === "shared";
}

/** Otto's registration at a provider. */
export interface OAuthClient {
  readonly id: string;
  readonly secret: string | null;
}

/** A client that Otto registered (RFC 7591). It belongs to one issuer and one redirect URL. */
export interface RegisteredClient extends OAuthClient {
  readonly issuer: string;
  readonly redirectUrl: string;
  /** When the secret expires, in milliseconds; null: never. */
  readonly expiresAt: number | null;
  /** How the client authenticates, if the server said it. */
  readonly method: string | null;
}

/** Where a provider is: an issuer that describes itself (RFC 8414), or the addresses of its endpoints. */
export type ProviderAddress =
  | { readonly kind: "issuer"; readonly issuer: string }
  | {
      readonly kind: "endpoints";
      readonly authorization: string;
      readonly token: string;
      readonly revocation: string | null;
    };

/** How Otto reaches the provider of one app. Contains secrets: for adapters only. */
export interface ProviderSettings {
  /** Null for apps with keys. */
  readonly at: ProviderAddress | null;
  /** The tenant's own client; null: Otto registers. */
  readonly client: OAuthClient | null;
  readonly registered: RegisteredClient | null;
  /** More fields of the authorization request, such as `access_type`. */
  readonly params: Readonly<Record<string, string>>;
  /** What the tokens are for (RFC 8707); absent: what the provider names for the app's hosts, if it does. */
  readonly resource?: string;
  /** The header, or `?name` in the query, that holds the credential. */
  readonly header: string;
}
