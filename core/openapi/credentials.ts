/** The credentials of an operation: which of its security schemes the tenant has a secret for, and where that goes. */
import { getOwn } from "../base/own-field.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { followReferences, isJson, type Json, getObject, getText } from "./document.ts";

/** Headers and query parameters with references to secrets. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
}

const NONE: Credentials = { headers: {}, query: [] };

/** `auth` has the name of a secret for each scheme. The first alternative with all its secrets is used. */
export function readCredentials(
  root: Json,
  operation: Json,
  auth: Readonly<Record<string, string>>,
): Result<Credentials> {
  const given = operation["security"] ?? root["security"];
  const alternatives = (Array.isArray(given) ? given : []).filter(isJson);
  if (alternatives.length === 0) return ok(NONE);
  const schemes = getObject(getObject(root, "components"), "securitySchemes");
  const known = alternatives.find((one) => Object.keys(one).every((name) => Object.hasOwn(auth, name)));
  if (known === undefined) {
    const names = alternatives.map((one) => Object.keys(one).join(" with ")).join(", or ");
    return failed("not_available", `it needs ${names}; name a secret for that in auth`);
  }
  const headers = new Map<string, string>();
  const query: [string, string][] = [];
  for (const name of Object.keys(known)) {
    const scheme = followReferences(root, schemes[name]);
    const placed = scheme === null ? null : placeSecret(scheme, `{{secret.${getOwn(auth, name) ?? ""}}}`);
    if (placed === null)
      return failed("not_available", `the security scheme ${name} is of a kind that tools do not support`);
    if (placed.in === "query") query.push([placed.name, placed.value]);
    else headers.set(placed.name, placed.value);
  }
  return ok({ headers: Object.fromEntries(headers), query });
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
