/**
 * A mock authorization server of one MCP server: RFC 9728 and RFC 8414 metadata, registration, an `authorize` page that consents at once,
 * and tokens. It verifies PKCE and the redirect URI, and gives any client with a secret a token.
 */
import { createHash, randomUUID } from "node:crypto";

/** The used part of a request. */
export interface AuthorityRequest {
  readonly path: string;
  readonly text: string;
}

export interface AuthorityReply {
  readonly status: number;
  readonly body?: unknown;
  readonly location?: string;
}

interface Grant {
  readonly challenge: string;
  readonly redirect: string;
}

/** `base` is its URL, `resource` the protected MCP server. */
export class McpAuthority {
  private readonly base: string;
  private readonly resource: string;
  private readonly grants = new Map<string, Grant>();
  private readonly tokens = new Set<string>();
  private readonly refreshTokens = new Set<string>();
  readonly clients: Readonly<Record<string, unknown>>[] = [];
  private refusesClients = false;

  constructor(base: string, resource: string) {
    this.base = base;
    this.resource = resource;
  }

  accepts(authorization: string | undefined): boolean {
    return this.tokens.has(authorization?.replace(/^Bearer /, "") ?? "");
  }

  /** Expires every access token. Refresh tokens stay valid. */
  expire(): void {
    this.tokens.clear();
  }

  /** Ends every grant, and refuses clients that authenticate as themselves. */
  revoke(): void {
    this.expire();
    this.refreshTokens.clear();
    this.refusesClients = true;
  }

  /** Accepts clients that authenticate as themselves again. */
  admit(): void {
    this.refusesClients = false;
  }

  /** Null for a path that is not its own. */
  answer({ path, text }: AuthorityRequest): AuthorityReply | null {
    const url = new URL(path, this.base);
    const at = (place: string) => url.pathname === new URL(`${this.base}${place}`).pathname;
    if (at("/metadata")) return ok({ resource: this.resource, authorization_servers: [this.base] });
    if (url.pathname === `/.well-known/oauth-authorization-server${new URL(this.base).pathname}`)
      return ok(this.metadata());
    if (at("/register")) return this.register(JSON.parse(text) as Record<string, unknown>);
    if (at("/authorize")) return this.authorize(url.searchParams);
    if (at("/token")) return this.token(new URLSearchParams(text));
    return null;
  }

  private metadata(): Record<string, unknown> {
    return {
      issuer: this.base,
      authorization_endpoint: `${this.base}/authorize`,
      token_endpoint: `${this.base}/token`,
      registration_endpoint: `${this.base}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
    };
  }

  private register(client: Record<string, unknown>): AuthorityReply {
    this.clients.push(client);
    return { status: 201, body: { ...client, client_id: randomUUID() } };
  }

  private authorize(query: URLSearchParams): AuthorityReply {
    const redirect = query.get("redirect_uri") ?? "";
    const code = randomUUID();
    this.grants.set(code, { challenge: query.get("code_challenge") ?? "", redirect });
    const back = new URL(redirect);
    back.searchParams.set("code", code);
    back.searchParams.set("state", query.get("state") ?? "");
    return { status: 302, location: back.href };
  }

  private token(form: URLSearchParams): AuthorityReply {
    if (form.get("grant_type") === "refresh_token") {
      return this.refreshTokens.delete(form.get("refresh_token") ?? "") ? this.issue() : refuse("invalid_grant");
    }
    if (form.get("grant_type") === "client_credentials")
      return this.refusesClients ? refuse("invalid_client") : this.issue();
    const grant = this.grants.get(form.get("code") ?? "");
    this.grants.delete(form.get("code") ?? "");
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight = grant?.challenge === proof && grant.redirect === form.get("redirect_uri");
    return isRight ? this.issue() : refuse("invalid_grant");
  }

  private issue(): AuthorityReply {
    const [access, refresh] = [`canary-access-${randomUUID()}`, `canary-refresh-${randomUUID()}`];
    this.tokens.add(access);
    this.refreshTokens.add(refresh);
    return ok({ access_token: access, refresh_token: refresh, token_type: "Bearer", expires_in: 3600 });
  }
}

function ok(body: unknown): AuthorityReply {
  return { status: 200, body };
}

function refuse(error: string): AuthorityReply {
  return { status: 400, body: { error } };
}
