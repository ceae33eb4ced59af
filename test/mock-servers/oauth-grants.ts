/**
 * The grants of a mock authorization server, without HTTP: clients, codes with PKCE, tokens that rotate with reuse detection, and counts.
 * The fake of the port for authorizations uses it too, so that both sides refuse the same things.
 */
import { createHash, randomUUID } from "node:crypto";

/** Somebody with an account at the app. `key` is an API key of the account. */
export interface AppUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly key: string;
}

export const APP_USERS: readonly AppUser[] = [
  { id: "ana", name: "Ana", email: "ana@acme.example", key: "canary-key-ana" },
  { id: "ben", name: "Ben", email: "ben@acme.example", key: "canary-key-ben" },
];

/** How tokens are given. */
export interface GrantRules {
  /** Seconds in `expires_in`; null: none is named, and tokens never expire. */
  readonly lifetimeS: number | null;
  /** True: each refresh gives a new refresh token, and a second use of an old one ends the grant. */
  readonly rotates: boolean;
  /** How long the last refresh token may be used again. */
  readonly graceMs: number;
  readonly givesRefreshTokens: boolean;
}

const USUAL_RULES: GrantRules = { lifetimeS: 3_600, rotates: true, graceMs: 0, givesRefreshTokens: true };

export interface MockClient {
  readonly id: string;
  readonly secret: string | null;
  readonly redirects: readonly string[];
}

/** An authorization request that was checked. */
export interface CheckedRequest {
  readonly client: MockClient;
  readonly redirect: string;
  readonly state: string | null;
  readonly challenge: string;
  readonly scope: string;
  readonly resource: string | null;
}

interface Grant {
  readonly user: AppUser;
  readonly client: string;
  readonly scope: string;
  readonly resource: string | null;
  active: boolean;
  refresh: string | null;
  /** Earlier refresh tokens, with the time at which each was replaced. */
  readonly spent: Map<string, number>;
}

/** The reply of a token endpoint. */
export interface TokenReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface GrantCounts {
  registrations: number;
  exchanges: number;
  refreshes: number;
  /** Refresh tokens that were used again after their grace. */
  reuses: number;
  revocations: number;
}

/** A refresh with a known token. `at` is milliseconds since the epoch; `isReuse`: the token was used before, and its grace has ended. */
export interface Refreshed {
  readonly user: string;
  readonly at: number;
  readonly isReuse: boolean;
}

/** One authorization server. Its `rules` may change at any time. */
export class OAuthGrants {
  readonly refreshed: Refreshed[] = [];
  rules: GrantRules = USUAL_RULES;
  readonly counts: GrantCounts = { registrations: 0, exchanges: 0, refreshes: 0, reuses: 0, revocations: 0 };
  private readonly now: () => number;
  private readonly clients = new Map<string, MockClient>();
  private readonly codes = new Map<string, CheckedRequest & { readonly user: AppUser; grant: Grant | null }>();
  private readonly grants: Grant[] = [];
  private readonly access = new Map<string, { readonly grant: Grant; readonly until: number }>();

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  addClient(client: MockClient): MockClient {
    this.clients.set(client.id, client);
    return client;
  }

  /** RFC 7591. */
  register(redirects: readonly string[]): MockClient {
    this.counts.registrations += 1;
    return this.addClient({ id: `client-${randomUUID()}`, secret: `canary-secret-${randomUUID()}`, redirects });
  }

  /** Checks an authorization request; a text says what is wrong. PKCE S256 is required. */
  check(query: URLSearchParams): CheckedRequest | string {
    const client = this.clients.get(query.get("client_id") ?? "");
    if (client === undefined) return "unknown client";
    const redirect = query.get("redirect_uri") ?? "";
    if (!client.redirects.includes(redirect)) return "wrong redirect_uri";
    if (query.get("response_type") !== "code") return "wrong response_type";
    const challenge = query.get("code_challenge") ?? "";
    if (challenge === "" || query.get("code_challenge_method") !== "S256") return "no PKCE";
    const [scope, state, resource] = [query.get("scope") ?? "", query.get("state"), query.get("resource")];
    return { client, redirect, state, challenge, scope, resource };
  }

  /** The code for a user who agreed. */
  agree(request: CheckedRequest, user: AppUser): string {
    const code = `canary-code-${randomUUID()}`;
    this.codes.set(code, { ...request, user, grant: null });
    return code;
  }

  /** The token endpoint, for a client that authenticated as `client` (null: failed). */
  token(form: URLSearchParams, client: MockClient | null): TokenReply {
    if (client === null) return refuse("invalid_client", 401);
    const kind = form.get("grant_type");
    if (kind === "authorization_code") return this.exchange(form, client);
    return kind === "refresh_token" ? this.refresh(form, client) : refuse("unsupported_grant_type");
  }

  /** The client of an id and secret. */
  authenticate(id: string, secret: string | null): MockClient | null {
    const client = this.clients.get(id);
    return client !== undefined && client.secret === secret ? client : null;
  }

  private exchange(form: URLSearchParams, client: MockClient): TokenReply {
    const asked = this.codes.get(form.get("code") ?? "");
    if (asked === undefined || asked.client.id !== client.id) return refuse("invalid_grant");
    if (asked.grant !== null) {
      // RFC 6749, section 4.1.2: a code that is used twice ends what it gave.
      asked.grant.active = false;
      return refuse("invalid_grant");
    }
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (asked.challenge !== proof || asked.redirect !== form.get("redirect_uri")) return refuse("invalid_grant");
    if (asked.resource !== form.get("resource")) return refuse("invalid_target");
    this.counts.exchanges += 1;
    const { user, scope, resource } = asked;
    const grant: Grant = { user, client: client.id, scope, resource, active: true, refresh: null, spent: new Map() };
    asked.grant = grant;
    this.grants.push(grant);
    if (this.rules.givesRefreshTokens) grant.refresh = `canary-refresh-${randomUUID()}`;
    return this.issue(grant);
  }

  private refresh(form: URLSearchParams, client: MockClient): TokenReply {
    const token = form.get("refresh_token") ?? "";
    const grant = this.grants.find(
      (one) => one.client === client.id && (one.refresh === token || one.spent.has(token)),
    );
    if (grant === undefined || !grant.active) return refuse("invalid_grant");
    const spentAt = grant.spent.get(token);
    const isReuse = spentAt !== undefined && this.now() >= spentAt + this.rules.graceMs;
    this.refreshed.push({ user: grant.user.id, at: this.now(), isReuse });
    if (isReuse) {
      this.counts.reuses += 1;
      grant.active = false;
      return refuse("invalid_grant");
    }
    this.counts.refreshes += 1;
    if (this.rules.rotates && grant.refresh !== null) {
      grant.spent.set(grant.refresh, this.now());
      grant.refresh = `canary-refresh-${randomUUID()}`;
    }
    return this.issue(grant);
  }

  private issue(grant: Grant): TokenReply {
    const access = `canary-access-${grant.user.id}-${randomUUID()}`;
    const { lifetimeS } = this.rules;
    this.access.set(access, { grant, until: lifetimeS === null ? Infinity : this.now() + lifetimeS * 1_000 });
    const body = {
      access_token: access,
      token_type: "Bearer",
      ...(grant.refresh === null ? {} : { refresh_token: grant.refresh }),
      ...(lifetimeS === null ? {} : { expires_in: lifetimeS }),
      ...(grant.scope === "" ? {} : { scope: grant.scope }),
    };
    return { status: 200, body };
  }

  /** RFC 7009: an unknown token is a success too. */
  revoke(form: URLSearchParams, client: MockClient | null): TokenReply {
    if (client === null) return refuse("invalid_client", 401);
    this.counts.revocations += 1;
    const token = form.get("token") ?? "";
    const grant = this.grants.find(({ refresh, spent }) => refresh === token || spent.has(token));
    if (grant?.client === client.id) grant.active = false;
    if (this.access.get(token)?.grant.client === client.id) this.access.delete(token);
    return { status: 200, body: {} };
  }

  /** The user whose access token this is, if it is valid. */
  findUser(access: string): AppUser | null {
    const found = this.access.get(access);
    return found !== undefined && found.grant.active && found.until > this.now() ? found.grant.user : null;
  }

  /** Expires every access token, or those of one user. Refresh tokens stay valid. */
  expireAccess(user: string | null = null): void {
    for (const [token, { grant }] of this.access)
      if (user === null || grant.user.id === user) this.access.delete(token);
  }

  /** Ends the grants of a user, or all of them, as their owner would on the provider's page. */
  endGrants(user: string | null = null): void {
    for (const grant of this.grants) if (user === null || grant.user.id === user) grant.active = false;
  }

  countActive(user: string | null = null): number {
    return this.grants.filter((grant) => grant.active && (user === null || grant.user.id === user)).length;
  }
}

function refuse(error: string, status = 400): TokenReply {
  return { status, body: { error, error_description: "canary-description" } };
}
