/**
 * Replaces references to secrets in a request, after its destination was decided. Model, ledger, hashes and messages
 * only see references.
 */
import { notSent, ok, type Result } from "../../core/base/errors.ts";
import { isHostListed } from "../../core/web/host-pattern.ts";
import { findMethodRefusal } from "../../core/secrets/secret-use.ts";
import type { TenantSecret } from "../../core/ports/secrets.ts";
import { isHeaderValue } from "../../core/web/headers.ts";
import { fillReferences, type ReferencePlace, findReferencedNames } from "../../core/web/secret-references.ts";
import { MAX_URL_CHARACTERS } from "./address.ts";
import type { WebHop } from "./redirect.ts";

/** Maximum characters after replacement: of all header values, and of a body. */
const MAX_HEADER_CHARACTERS = 65_536;
const MAX_BODY_CHARACTERS = 4 * 1024 * 1024;

/** A request that may contain references; in its URL only when the caller wrote the URL, rather than a redirect. */
export interface Draft {
  readonly hop: WebHop;
  readonly urlIsOurs: boolean;
}

/** True when the draft contains a reference. */
export function hasReferences(draft: Draft): boolean {
  return findNames(draft).size > 0 || findReferencedNames(draft.hop.url.host).length > 0;
}

/** The referenced names, each with its field. */
function findNames({ hop, urlIsOurs }: Draft): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const take = (text: string, field: string) => {
    for (const name of findReferencedNames(text)) if (!names.has(name)) names.set(name, field);
  };
  if (urlIsOurs) take(hop.url.pathname + hop.url.search, "url");
  for (const [, value] of hop.headers) take(value, "headers");
  take(decodeText(hop.body) ?? "", "body");
  return names;
}

/**
 * Returns the request with its values. `opened`: allowed by the operator, also without TLS. Fails with `not_found` for
 * an unknown name, and with `blocked_by_policy` for a secret that this user may not use, or that is bound to other
 * hosts or methods.
 */
export function fillSecrets(draft: Draft, secrets: readonly TenantSecret[], opened: boolean): Result<WebHop> {
  const { hop, urlIsOurs } = draft;
  // Every resolver on the path sees a name that is looked up.
  if (findReferencedNames(hop.url.host).length > 0)
    return refuse(
      "invalid_input",
      "A secret is allowed in the path and the query of a URL, but not in its host.",
      "url",
    );
  const values = new Map<string, string>();
  for (const [name, field] of findNames(draft)) {
    const value = readValue(name, field, hop, secrets, opened);
    if (!value.ok) return value;
    values.set(name, value.value);
  }
  if (values.size === 0) return ok(hop);
  const fill = (text: string, place: ReferencePlace, most: number) =>
    fillReferences(text, place, most, (name) => values.get(name) ?? "");
  const headers: [string, string][] = [];
  let left = MAX_HEADER_CHARACTERS;
  for (const [name, value] of hop.headers) {
    const filled = fill(value, "header", left);
    if (filled === null) return failTooLong("headers", MAX_HEADER_CHARACTERS);
    if (!isHeaderValue(filled))
      return refuse("invalid_input", `A secret has characters that the header ${name} cannot hold.`, "headers");
    headers.push([name, filled]);
    left -= filled.length;
  }
  const { pathname, search, origin } = hop.url;
  const place = urlIsOurs ? fill(pathname + search, "url", MAX_URL_CHARACTERS - origin.length) : "";
  if (place === null) return failTooLong("url", MAX_URL_CHARACTERS);
  const text = decodeText(hop.body);
  const filled = text === null ? "" : fill(text, getBodyEncoding(hop.headers), MAX_BODY_CHARACTERS);
  if (filled === null) return failTooLong("body", MAX_BODY_CHARACTERS);
  const url = urlIsOurs ? new URL(origin + place) : hop.url;
  return ok({ ...hop, url, headers, body: text === null ? hop.body : new TextEncoder().encode(filled) });
}

function failTooLong(field: string, most: number): Result<never> {
  return refuse("too_large", `With its secrets, ${field} has more than ${most} characters.`, field);
}

function readValue(
  name: string,
  field: string,
  { url, method }: WebHop,
  secrets: readonly TenantSecret[],
  opened: boolean,
): Result<string> {
  const value = findBoundValue(name, field, { url, method }, secrets);
  if (value.ok && url.protocol !== "https:" && !opened)
    return refuse(
      "blocked_by_policy",
      `The secret ${name} is sent to ${url.host} by https only. Nothing was sent.`,
      field,
    );
  return value;
}

/** The destination of a value. `method` is null outside HTTP (SSH, a program's environment). */
export interface SecretDestination {
  readonly url: URL;
  readonly method: string | null;
}

/**
 * Returns a secret's value if its user may use it and it is bound to this destination. `field` names the argument that
 * refers to it. Fails with `not_found`, `blocked_by_policy` (user, host or method) or `not_available`, each before anything
 * is sent.
 */
export function findBoundValue(
  name: string,
  field: string,
  { url, method }: SecretDestination,
  secrets: readonly TenantSecret[],
): Result<string> {
  const secret = secrets.find((one) => one.name === name);
  if (secret === undefined) return refuse("not_found", `There is no secret named ${name}. Nothing was sent.`, field);
  if (secret.refusal !== undefined) return refuse("blocked_by_policy", `${secret.refusal} Nothing was sent.`, field);
  if (!isHostListed(url, secret.hosts))
    return refuse(
      "blocked_by_policy",
      `The secret ${name} is not bound to ${url.host}. Nothing was sent there.`,
      field,
    );
  const otherMethod = findMethodRefusal(name, secret.methods ?? null, method);
  if (otherMethod !== null) return refuse("blocked_by_policy", `${otherMethod} Nothing was sent.`, field);
  if (secret.value === null)
    return refuse("not_available", `The secret ${name} can no longer be decrypted. Set it again.`, field);
  return ok(secret.value);
}

/** How a value is encoded in the body, by its content type. */
function getBodyEncoding(headers: WebHop["headers"]): ReferencePlace {
  const value = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  const type = value.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "application/json" || type.endsWith("+json")) return "json";
  return type === "application/x-www-form-urlencoded" ? "form" : "text";
}

/** A body that is not UTF-8 contains no references. */
function decodeText(body: Uint8Array | null): string | null {
  if (body === null) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}

function refuse(
  code: "invalid_input" | "not_found" | "blocked_by_policy" | "not_available" | "too_large",
  message: string,
  field: string,
) {
  return notSent(code, message, { field });
}
