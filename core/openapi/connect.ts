/**
 * How people connect their accounts to the app of an OpenAPI document: by a sign-in page of its provider (OAuth 2.1), or
 * with a key. One security scheme of the document says where the credential goes.
 */
import { z } from "zod";
import { failed, ok, type Result } from "../base/errors.ts";
import { getOwn } from "../base/own-field.ts";
import type { OwnerRule, Provider } from "../connections/account.ts";
import type { ProviderAddress } from "../connections/app-client.ts";
import { type AppSettings, PROTOCOL_FIELDS } from "../connections/app-settings.ts";
import { MAX_LABEL, MAX_SCOPES } from "../connections/rules.ts";
import { isHeaderName, isOfTheConnection } from "../web/headers.ts";
import { followReferences, getObject, getText, type Json } from "./document.ts";

const MAX_TEXT = 200;
const MAX_PARAMS = 20;

const address = z.url({ protocol: /^https?$/ }).max(2_000);
const per = z.enum(["shared", "person"]);
const scheme = z
  .string()
  .min(1)
  .max(MAX_TEXT)
  .optional()
  .describe("The security scheme that the account is for; by default the first that fits.");
const fieldSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, "snake_case, at most 40 characters"),
  label: z.string().min(1).max(MAX_TEXT),
  hint: z.string().min(1).max(MAX_TEXT).optional(),
});

const oauthSchema = z
  .strictObject({
    kind: z.literal("oauth2"),
    issuer: address.optional().describe("The provider's issuer, which describes its endpoints (RFC 8414)."),
    authorization_endpoint: address.optional().describe("Instead of an issuer, with token_endpoint."),
    token_endpoint: address.optional(),
    revocation_endpoint: address.optional(),
    client_id: z.string().min(1).max(2_000).optional().describe("Without one, Otto registers itself with the issuer."),
    client_secret: z.string().min(1).max(2_000).optional().describe("Sealed at once and never returned."),
    scopes: z
      .array(z.string().regex(/^[\x21-\x7e]{1,500}$/, "must be visible ASCII without spaces"))
      .max(MAX_SCOPES)
      .describe("What is requested; an operation that needs another scope becomes no tool."),
    params: z
      .record(z.string().regex(/^[\w.-]{1,64}$/, "must be a name"), z.string().max(500))
      .optional()
      .describe("More fields of the authorization request, such as `access_type`."),
    per: per.describe("`person`: each person connects an account. `shared`: an administrator connects one for all."),
    scheme,
  })
  .superRefine((given, context) => {
    for (const { field, message } of findOAuthFaults(given))
      context.addIssue({ code: "custom", path: [field], message });
  })
  .meta({ id: "ConnectOAuth" });

/** A credential that a person enters, in `count` fields. */
function keySchema<Kind extends "api_key" | "bearer" | "basic">(kind: Kind, count: number) {
  return z
    .strictObject({
      kind: z.literal(kind),
      fields: z.array(fieldSchema).min(1).max(2).optional().describe("What a person enters."),
      per: per.default("person"),
      scheme,
    })
    .superRefine(({ fields }, context) => {
      if (fields === undefined || new Set(fields.map(({ name }) => name)).size === count) return;
      const message = `must be ${count} with different names for ${kind}`;
      context.addIssue({ code: "custom", path: ["fields"], message });
    });
}

/** The member `connect` of an import. */
export const connectSchema = z.discriminatedUnion("kind", [
  oauthSchema,
  keySchema("api_key", 1).meta({ id: "ConnectApiKey" }),
  keySchema("bearer", 1).meta({ id: "ConnectBearer" }),
  keySchema("basic", 2).meta({ id: "ConnectBasic" }),
]);

export type ConnectInput = z.infer<typeof connectSchema>;
type OAuthInput = Extract<ConnectInput, { kind: "oauth2" }>;
type KeyInput = Exclude<ConnectInput, OAuthInput>;

/** What is stored with an import: everything but the secret. */
export type ConnectOptions = Omit<OAuthInput, "client_secret"> | KeyInput;

function findOAuthFaults(
  given: Omit<OAuthInput, "kind" | "per">,
): { readonly field: string; readonly message: string }[] {
  const { issuer, authorization_endpoint: authorization, token_endpoint: token, client_id: id } = given;
  const hasIssuer = issuer !== undefined;
  const endpoints = [authorization, token, given.revocation_endpoint].filter((one) => one !== undefined);
  if (hasIssuer === endpoints.length > 0)
    return [{ field: "issuer", message: "give either issuer, or authorization_endpoint and token_endpoint" }];
  if (!hasIssuer && authorization === undefined) return [{ field: "authorization_endpoint", message: "is missing" }];
  if (!hasIssuer && token === undefined) return [{ field: "token_endpoint", message: "is missing" }];
  if (id === undefined && !hasIssuer)
    return [{ field: "client_id", message: "is missing: Otto registers itself with an issuer only" }];
  if (id === undefined && given.client_secret !== undefined)
    return [{ field: "client_id", message: "is missing: a client_secret belongs to a client" }];
  const params = Object.keys(given.params ?? {});
  if (params.length > MAX_PARAMS) return [{ field: "params", message: `has more than ${MAX_PARAMS} fields` }];
  const own = params.find((name) => PROTOCOL_FIELDS.has(name));
  return own === undefined ? [] : [{ field: "params", message: `${own} is set by Otto` }];
}

/** Removes the secret. */
export function omitClientSecret(input: ConnectInput): ConnectOptions {
  if (input.kind !== "oauth2") return input;
  const { client_secret: _, ...rest } = input;
  return rest;
}

/** Where the credential of an account goes in the requests of an import. */
export interface AccountPlace {
  /** The security scheme; null: the document has none, so every operation uses the account. */
  readonly scheme: string | null;
  /** In lower case; `?name` for a field of the query. */
  readonly header: string;
  /** Before the credential, such as `Bearer `. */
  readonly prefix: string;
  readonly provider: Extract<Provider, "oauth" | "key">;
  readonly owner: OwnerRule;
  /** Scopes that are requested; null where the credential has none. */
  readonly scopes: readonly string[] | null;
}

const AUTHORIZATION = "authorization";

/** Finds the place of the credential. Errors name the field of the import. */
export function findAccountPlace(
  root: Json,
  connect: ConnectOptions,
  auth: Readonly<Record<string, string>>,
): Result<AccountPlace> {
  const schemes = getObject(getObject(root, "components"), "securitySchemes");
  const shared = {
    provider: connect.kind === "oauth2" ? "oauth" : "key",
    owner: connect.per,
    scopes: connect.kind === "oauth2" ? connect.scopes : null,
  } as const;
  const placeOf = (name: string) => placeCredential(followReferences(root, getOwn(schemes, name)), connect.kind);
  const named = connect.scheme ?? findScheme(root, schemes, connect.kind);
  if (named === undefined) {
    if (Object.keys(schemes).length > 0 || connect.kind === "api_key")
      return refuse("connect.kind", `the document has no security scheme for ${connect.kind}`);
    const prefix = connect.kind === "basic" ? "Basic " : "Bearer ";
    return ok({ scheme: null, header: AUTHORIZATION, prefix, ...shared });
  }
  if (!Object.hasOwn(schemes, named)) return refuse("connect.scheme", `the document has no security scheme ${named}`);
  if (Object.hasOwn(auth, named))
    return refuse(`auth.${named}`, "the accounts of connect are for this scheme; remove its secret");
  const place = placeOf(named);
  if (place === "cookie")
    return failed("not_available", "connect.scheme: keys in cookies are not supported", { field: "connect.scheme" });
  return place === null
    ? refuse("connect.scheme", `${named} is not a security scheme for ${connect.kind}`)
    : ok({ scheme: named, ...place, ...shared });
}

/** Finds the first scheme that fits: one of exactly this kind before another that carries the same credential. */
function findScheme(root: Json, schemes: Json, kind: ConnectInput["kind"]): string | undefined {
  const fitting = Object.keys(schemes).flatMap((name) => {
    const found = followReferences(root, getOwn(schemes, name));
    const place = placeCredential(found, kind);
    if (found === null || place === null) return [];
    const isOAuth = getText(found, "type") !== "http";
    const isExact = place !== "cookie" && (kind === "oauth2" ? isOAuth : kind !== "bearer" || !isOAuth);
    return [{ name, isExact }];
  });
  return (fitting.find(({ isExact }) => isExact) ?? fitting[0])?.name;
}

type Place = Pick<AccountPlace, "header" | "prefix">;

/** Null for a scheme of another kind. */
function placeCredential(found: Json | null, kind: ConnectInput["kind"]): Place | "cookie" | null {
  if (found === null) return null;
  const type = getText(found, "type");
  const http = type === "http" ? getText(found, "scheme")?.toLowerCase() : null;
  if (kind === "basic") return http === "basic" ? { header: AUTHORIZATION, prefix: "Basic " } : null;
  if (kind !== "api_key") {
    const isBearer = http === "bearer" || type === "oauth2" || type === "openIdConnect";
    return isBearer ? { header: AUTHORIZATION, prefix: "Bearer " } : null;
  }
  const name = getText(found, "name");
  if (type !== "apiKey" || name === null) return null;
  if (found["in"] === "cookie") return "cookie";
  if (found["in"] === "query") return { header: `?${name}`, prefix: "" };
  return isHeaderName(name) && !isOfTheConnection(name) ? { header: name.toLowerCase(), prefix: "" } : null;
}

/** The app of an import as it is stored. `hosts` receive the credential. */
export function toAppSettings(
  connect: ConnectOptions,
  { header }: Pick<AccountPlace, "header">,
  { title, hosts }: { readonly title: string; readonly hosts: readonly string[] },
): AppSettings {
  const isOAuth = connect.kind === "oauth2";
  return {
    title: title.slice(0, MAX_LABEL),
    per: connect.per,
    kind: connect.kind,
    scopes: isOAuth ? [...connect.scopes] : [],
    fields: isOAuth ? [] : [...(connect.fields ?? DEFAULT_FIELDS[connect.kind])],
    hosts: [...hosts],
    header,
    at: isOAuth ? toAddress(connect) : null,
    clientId: isOAuth ? (connect.client_id ?? null) : null,
    params: isOAuth ? { ...connect.params } : {},
  };
}

type Field = AppSettings["fields"][number];

const DEFAULT_FIELDS: Readonly<Record<KeyInput["kind"], readonly Field[]>> = {
  api_key: [{ name: "key", label: "API key" }],
  bearer: [{ name: "token", label: "Token" }],
  basic: [
    { name: "username", label: "User name" },
    { name: "password", label: "Password" },
  ],
};

function toAddress(given: Omit<OAuthInput, "client_secret">): ProviderAddress {
  const { issuer, authorization_endpoint: authorization = "", token_endpoint: token = "" } = given;
  return issuer === undefined
    ? { kind: "endpoints", authorization, token, revocation: given.revocation_endpoint ?? null }
    : { kind: "issuer", issuer };
}

function refuse(field: string, message: string): Result<never> {
  return failed("invalid_input", `${field}: ${message}`, { field });
}
