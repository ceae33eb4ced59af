/**
 * A fake provider in memory: the port for authorizations without a network. It gives the same grants, faults and sentences as the adapter with
 * the mock app; the contract suite proves it.
 */
import { createHash, randomUUID } from "node:crypto";
import { type Failed, ok, type Result } from "../../core/base/errors.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import {
  failDeclined,
  failRedirected,
  failUnanswered,
  failUnreachable,
  refuseByCode,
  refuseProvider,
} from "../../core/connections/provider-faults.ts";
import type { TokenSet } from "../../core/connections/tokens.ts";
import type { AuthorizationsPort } from "../../core/ports/authorizations.ts";
import type { MockEndpoint, MockFault } from "../mock-servers/oauth-app.ts";
import { APP_USERS, type MockClient, OAuthGrants } from "../mock-servers/oauth-grants.ts";

const ISSUER = "https://provider.example";

/** The fake, and what tests change and see. */
export interface FakeAuthorizations extends AuthorizationsPort {
  readonly grants: OAuthGrants;
  readonly faults: Map<MockEndpoint, MockFault>;
  /** What the provider says of itself. */
  announced: { readonly pkce: boolean; readonly iss: boolean };
  /** Replaces the `iss` of the answers: a mix-up. */
  wrongIss: string | null;
  /** What the browser returns with after a user agreed on the page `url`; null: the user declined. */
  consent(url: string, user: string | null): URLSearchParams;
}

export function fakeAuthorizations(now: () => number = Date.now): FakeAuthorizations {
  const grants = new OAuthGrants(now);
  const faults = new Map<MockEndpoint, MockFault>();
  let registered: MockClient | null = null;

  const register = (app: AppClient, redirectUrl: string): Result<MockClient> => {
    if (registered?.redirects.includes(redirectUrl) === true) return ok(registered);
    const fault = findFault(app, faults.get("registration"), failUnreachable);
    if (fault !== null) return fault;
    if (faults.has("registration")) return refuseByCode(app.title, "invalid_redirect_uri");
    registered = grants.register([redirectUrl]);
    return ok(registered);
  };

  const ask = (app: AppClient, form: Record<string, string>): Result<Readonly<Record<string, unknown>> | string> => {
    const fault = findFault(app, faults.get("token"), failUnanswered);
    if (fault !== null) return fault;
    if (faults.has("token")) return ok("invalid_grant");
    const { status, body } = grants.token(new URLSearchParams(form), registered);
    return ok(status === 200 ? body : String(body["error"]));
  };

  const fake: FakeAuthorizations = {
    grants,
    faults,
    announced: { pkce: true, iss: true },
    wrongIss: null,
    consent(url, user) {
      const request = grants.check(new URL(url).searchParams);
      if (typeof request === "string") throw new Error(request);
      const found = APP_USERS.find(({ id }) => id === user);
      const answer = found === undefined ? { error: "access_denied" } : { code: grants.agree(request, found) };
      const iss = fake.announced.iss ? { iss: fake.wrongIss ?? ISSUER } : {};
      return new URLSearchParams({ ...answer, ...iss, state: request.state ?? "" });
    },

    begin(app, { redirectUrl, state }) {
      const fault = findFault(app, faults.get("discovery"), failUnreachable);
      if (fault !== null) return Promise.resolve(fault);
      if (faults.has("discovery")) {
        const message = `${app.title} does not describe its sign-in (RFC 8414). Give the addresses of its endpoints instead.`;
        return Promise.resolve(refuseProvider(message));
      }
      if (!fake.announced.pkce) return Promise.resolve(refuseProvider("The server does not support PKCE."));
      const client = register(app, redirectUrl);
      if (!client.ok) return Promise.resolve(client);
      const verifier = randomUUID() + randomUUID();
      const url = new URL(`${ISSUER}/authorize`);
      url.search = new URLSearchParams({
        response_type: "code",
        client_id: client.value.id,
        redirect_uri: redirectUrl,
        state,
        scope: app.scopes.join(" "),
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
      }).toString();
      return Promise.resolve(ok({ url: url.href, verifier, issuer: ISSUER }));
    },

    complete(app, flow, returned) {
      const refused = checkReturned(app, returned, fake.announced.iss);
      if (refused !== null) return Promise.resolve(refused);
      const asked = ask(app, {
        grant_type: "authorization_code",
        code: returned.get("code") ?? "",
        code_verifier: flow.verifier,
        redirect_uri: flow.redirectUrl,
      });
      if (!asked.ok) return Promise.resolve(asked);
      if (typeof asked.value === "string") return Promise.resolve(refuseByCode(app.title, asked.value));
      const scope = asked.value["scope"];
      const scopes = typeof scope === "string" ? scope.split(" ") : null;
      return Promise.resolve(ok({ tokens: toTokens(asked.value, null, now()), scopes }));
    },

    refresh(app, tokens) {
      if (tokens.kind !== "oauth" || tokens.refresh === null || tokens.issuer !== ISSUER)
        return Promise.resolve(ok("ended"));
      const asked = ask(app, { grant_type: "refresh_token", refresh_token: tokens.refresh });
      if (!asked.ok) return Promise.resolve(asked);
      return Promise.resolve(
        ok(typeof asked.value === "string" ? "ended" : toTokens(asked.value, tokens.refresh, now())),
      );
    },

    identify(_app, tokens) {
      const user = tokens.kind !== "oauth" || faults.has("userinfo") ? null : grants.findUser(tokens.access);
      return Promise.resolve(user?.email ?? null);
    },

    revoke(app, tokens) {
      if (tokens.kind !== "oauth") return Promise.resolve(ok("done"));
      const set = faults.get("revocation");
      const fault = set === "bad_json" ? null : findFault(app, set, failUnanswered);
      if (fault !== null) return Promise.resolve(fault);
      if (set !== undefined) return Promise.resolve(ok("done"));
      for (const token of [tokens.refresh, tokens.access])
        if (token !== null) grants.revoke(new URLSearchParams({ token }), registered);
      return Promise.resolve(ok("done"));
    },
  };
  return fake;
}

/** The failure of a request that gets no answer. A `refusal` is an answer. */
function findFault(app: AppClient, fault: MockFault | undefined, fail: (title: string) => Failed): Failed | null {
  if (fault === undefined || fault === "refusal") return null;
  return fault === "redirect" ? failRedirected(app.title) : fail(app.title);
}

function checkReturned(app: AppClient, returned: URLSearchParams, announcesIss: boolean): Failed | null {
  for (const name of ["code", "state", "iss", "error"])
    if (returned.getAll(name).length > 1)
      return refuseProvider(`${app.title} returned an unreadable answer. Start again.`);
  const iss = returned.get("iss");
  if (iss === null ? announcesIss : iss !== ISSUER)
    return refuseProvider(`The answer did not come from ${app.title}. Nothing was connected.`);
  const error = returned.get("error");
  if (error !== null) return error === "access_denied" ? failDeclined(app.title) : refuseByCode(app.title, error);
  return returned.has("code") ? null : refuseProvider(`${app.title} returned no code. Start again.`);
}

function toTokens(body: Readonly<Record<string, unknown>>, refresh: string | null, now: number): TokenSet {
  const given = body as {
    readonly access_token: string;
    readonly refresh_token?: string;
    readonly expires_in?: number;
  };
  const expiresAt = given.expires_in === undefined ? null : now + given.expires_in * 1_000;
  return {
    kind: "oauth",
    access: given.access_token,
    refresh: given.refresh_token ?? refresh,
    expiresAt,
    issuer: ISSUER,
  };
}
