/**
 * What a provider says of itself (RFC 8414, OpenID Connect Discovery). The package's own reader omits the revocation
 * endpoint of OpenID providers, and tolerates an issuer with another last slash; so it is read here.
 */
import { buildDiscoveryUrls, type FetchLike } from "@modelcontextprotocol/client";
import { z } from "zod";
import { ok, type Result } from "../../core/base/errors.ts";
import type { AppClient, ProviderAddress } from "../../core/connections/app-client.ts";
import { refuseProvider } from "../../core/connections/provider-faults.ts";
import { EndpointFault } from "./call-endpoint.ts";

/** A provider, with null for what it does not have. */
export interface AuthorizationServer {
  /** Null if the app names endpoints. */
  readonly issuer: string | null;
  readonly authorization: string;
  readonly token: string;
  readonly registration: string | null;
  readonly revocation: string | null;
  readonly userinfo: string | null;
  readonly responseTypes: readonly string[];
  /** Null if it announces none. */
  readonly challengeMethods: readonly string[] | null;
  readonly authMethods: readonly string[];
  /** True: its answers carry `iss` (RFC 9207). */
  readonly announcesIss: boolean;
  /** Resource identifiers (RFC 9728, section 4). */
  readonly resources: readonly string[];
}

const text = z.string().min(1).max(2_048);
const address = text.refine((value) => URL.canParse(value));
const list = z.array(z.string().max(2_048)).max(1_000);

const descriptionSchema = z.object({
  issuer: text,
  authorization_endpoint: address,
  token_endpoint: address,
  registration_endpoint: address.nullish(),
  revocation_endpoint: address.nullish(),
  userinfo_endpoint: address.nullish(),
  response_types_supported: list.nullish(),
  code_challenge_methods_supported: list.nullish(),
  token_endpoint_auth_methods_supported: list.nullish(),
  authorization_response_iss_parameter_supported: z.boolean().nullish().catch(null),
  protected_resources: list.nullish().catch(null),
});

/** Returns the server of an app. Throws `EndpointFault`; a failed Result is a refusal. */
export async function findServer(
  app: Pick<AppClient, "title">,
  at: ProviderAddress,
  { send, cache }: { readonly send: FetchLike; readonly cache: ServerCache },
): Promise<Result<AuthorizationServer>> {
  if (at.kind === "endpoints") return ok(describeEndpoints(at));
  const known = cache.find(at.issuer);
  if (known !== null) return ok(known);
  const read = await discover(app, at.issuer, send);
  if (read.ok) cache.save(at.issuer, read.value);
  return read;
}

async function discover(
  { title }: Pick<AppClient, "title">,
  issuer: string,
  send: FetchLike,
): Promise<Result<AuthorizationServer>> {
  for (const { url } of buildDiscoveryUrls(issuer)) {
    const reply = await send(url, { headers: { accept: "application/json" } });
    if (!reply.ok) continue;
    const description = descriptionSchema.safeParse(await readJson(reply));
    if (!description.success) throw new EndpointFault("unreadable");
    // RFC 8414, section 3.3: another issuer's description could send codes to another server.
    if (description.data.issuer !== issuer)
      return refuseProvider(
        `The description of ${title}'s sign-in belongs to another issuer. Check the issuer of the app.`,
      );
    return ok(toServer(description.data));
  }
  return refuseProvider(
    `${title} does not describe its sign-in (RFC 8414). Give the addresses of its endpoints instead.`,
  );
}

/** The JSON of a reply. Throws `EndpointFault` for other text. */
export async function readJson(reply: Response): Promise<unknown> {
  try {
    return await reply.json();
  } catch {
    throw new EndpointFault("unreadable");
  }
}

function toServer(description: z.infer<typeof descriptionSchema>): AuthorizationServer {
  return {
    issuer: description.issuer,
    authorization: description.authorization_endpoint,
    token: description.token_endpoint,
    registration: description.registration_endpoint ?? null,
    revocation: description.revocation_endpoint ?? null,
    userinfo: description.userinfo_endpoint ?? null,
    responseTypes: description.response_types_supported ?? ["code"],
    challengeMethods: description.code_challenge_methods_supported ?? null,
    authMethods: description.token_endpoint_auth_methods_supported ?? [],
    announcesIss: description.authorization_response_iss_parameter_supported === true,
    resources: description.protected_resources ?? [],
  };
}

function describeEndpoints(at: Extract<ProviderAddress, { kind: "endpoints" }>): AuthorizationServer {
  return {
    issuer: null,
    authorization: at.authorization,
    token: at.token,
    registration: null,
    revocation: at.revocation,
    userinfo: null,
    responseTypes: ["code"],
    challengeMethods: null,
    authMethods: [],
    announcesIss: false,
    resources: [],
  };
}

/** The resource of an app (RFC 8707), if its server names one on the app's hosts. */
export function findResource({ resources }: AuthorizationServer, { hosts }: AppClient): URL | null {
  for (const resource of resources) {
    const url = URL.parse(resource);
    if (url !== null && url.hash === "" && hosts.includes(url.host)) return url;
  }
  return null;
}

const MAX_AGE_MS = 600_000;
const MAX_SERVERS = 500;

/** Descriptions of one tenant's providers, for ten minutes. */
export interface ServerCache {
  find(issuer: string): AuthorizationServer | null;
  save(issuer: string, server: AuthorizationServer): void;
}

/** Descriptions of all tenants of an isolate. */
export class ServerCaches {
  private readonly servers = new Map<string, { readonly server: AuthorizationServer; readonly until: number }>();

  /** The descriptions that requests of this tenant read. */
  open(tenant: string, now: () => number): ServerCache {
    const toKey = (issuer: string) => `${tenant} ${issuer}`;
    return {
      find: (issuer) => {
        const found = this.servers.get(toKey(issuer));
        return found !== undefined && found.until > now() ? found.server : null;
      },
      save: (issuer, server) => {
        this.servers.delete(toKey(issuer));
        this.servers.set(toKey(issuer), { server, until: now() + MAX_AGE_MS });
        for (const [oldest] of this.servers) {
          if (this.servers.size <= MAX_SERVERS) break;
          this.servers.delete(oldest);
        }
      },
    };
  }
}
