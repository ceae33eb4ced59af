/**
 * The credentials of an operation: which of its security schemes the tenant has a secret for, or its people have accounts
 * for, and where those go.
 */
import { getOwn } from "../base/own-field.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { CONNECTION_REFERENCE } from "../web/connection-reference.ts";
import type { AccountPlace } from "./connect.ts";
import { followReferences, isJson, type Json, getList, getObject, getText } from "./document.ts";

/** Headers and query parameters with references to secrets and to the call's account. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  /** The scopes of the account that the operation needs; null if it uses none. */
  readonly accountScopes: readonly string[] | null;
}

const NONE: Credentials = { headers: {}, query: [], accountScopes: null };

/** What an import has for the security schemes of its document. */
export interface KnownCredentials {
  /** The name of a secret for each scheme. */
  readonly auth: Readonly<Record<string, string>>;
  /** Null without accounts. */
  readonly account: AccountPlace | null;
}

/** The first alternative with all its secrets is used; before it, one with the account. */
export function readCredentials(root: Json, operation: Json, { auth, account }: KnownCredentials): Result<Credentials> {
  const given = operation["security"] ?? root["security"];
  if (given === undefined && account !== null) return ok(addAccount({ headers: {}, query: [] }, account, []));
  const alternatives = (Array.isArray(given) ? given : []).filter(isJson);
  if (alternatives.length === 0) return ok(NONE);
  const schemes = getObject(getObject(root, "components"), "securitySchemes");
  const scheme = account?.scheme ?? null;
  const usable = alternatives.filter((one) =>
    Object.keys(one).every((name) => name === scheme || Object.hasOwn(auth, name)),
  );
  const known = usable.find((one) => scheme !== null && Object.hasOwn(one, scheme)) ?? usable[0];
  if (known === undefined) {
    const names = alternatives.map((one) => Object.keys(one).join(" with ")).join(", or ");
    return failed("not_available", `it needs ${names}; name a secret for that in auth`);
  }
  const headers = new Map<string, string>();
  const query: [string, string][] = [];
  for (const name of Object.keys(known)) {
    if (name === scheme) continue;
    const found = followReferences(root, schemes[name]);
    const placed = found === null ? null : placeSecret(found, `{{secret.${getOwn(auth, name) ?? ""}}}`);
    if (placed === null)
      return failed("not_available", `the security scheme ${name} is of a kind that tools do not support`);
    if (placed.in === "query") query.push([placed.name, placed.value]);
    else headers.set(placed.name, placed.value);
  }
  const placed = { headers: Object.fromEntries(headers), query };
  if (account === null || scheme === null || !Object.hasOwn(known, scheme))
    return ok({ ...placed, accountScopes: null });
  const needed = getList(known, scheme).filter((one) => typeof one === "string");
  const missing = needed.find((scope) => account.scopes?.includes(scope) === false);
  return missing === undefined
    ? ok(addAccount(placed, account, account.scopes === null ? [] : needed))
    : failed("not_available", `it needs the scope ${missing}; name it in connect.scopes`);
}

/** Adds the reference to the call's account. It replaces a header of a secret. */
function addAccount(
  { headers, query }: Pick<Credentials, "headers" | "query">,
  { header, prefix }: AccountPlace,
  accountScopes: readonly string[],
): Credentials {
  return header.startsWith("?")
    ? { headers, query: [...query, [header.slice(1), CONNECTION_REFERENCE]], accountScopes }
    : { headers: { ...headers, [header]: `${prefix}${CONNECTION_REFERENCE}` }, query, accountScopes };
}

/** A secret for `basic` is the base64 of `name:password`; one for OAuth or OpenID Connect is an access token. */
function placeSecret(scheme: Json, secret: string): { in: "header" | "query"; name: string; value: string } | null {
  switch (getText(scheme, "type")) {
    case "apiKey": {
      const name = getText(scheme, "name");
      if (name === null) return null;
      if (scheme["in"] === "query") return { in: "query", name, value: secret };
      if (scheme["in"] === "cookie") return { in: "header", name: "cookie", value: `${name}=${secret}` };
      return { in: "header", name: name.toLowerCase(), value: secret };
    }
    case "http": {
      const kind = getText(scheme, "scheme")?.toLowerCase();
      if (kind !== "bearer" && kind !== "basic") return null;
      return { in: "header", name: "authorization", value: `${kind === "basic" ? "Basic" : "Bearer"} ${secret}` };
    }
    case "oauth2":
    case "openIdConnect":
      return { in: "header", name: "authorization", value: `Bearer ${secret}` };
    default:
      return null;
  }
}
