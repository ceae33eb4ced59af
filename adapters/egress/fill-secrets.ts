/**
 * Fills a request's references to secrets in, when it has been decided where the request goes. Nothing before that has a
 * value: the model, the ledger, the hashes and the messages have the references.
 */
import { notSent, ok, type Result } from "../../core/base/errors.ts";
import { isHostListed } from "../../core/web/host-pattern.ts";
import { findMethodRefusal } from "../../core/secrets/secret-use.ts";
import type { TenantSecret } from "../../core/ports/secrets.ts";
import { isHeaderValue } from "../../core/web/headers.ts";
import { fillReferences, type ReferencePlace, findReferencedNames } from "../../core/web/secret-references.ts";
import { MAX_URL_CHARACTERS } from "./address.ts";
import type { Hop } from "./redirect.ts";

/** What a request may have when its references are filled in: of all values of headers, and of a body. */
const MAX_HEADER_CHARACTERS = 65_536;
const MAX_BODY_CHARACTERS = 4 * 1024 * 1024;

/** A hop that may hold references; in its URL only when the caller wrote that: a redirect's is its server's. */
export interface Draft {
  readonly hop: Hop;
  readonly urlIsOurs: boolean;
}

/** True when the draft refers to a secret anywhere. */
export function refersToSecrets(draft: Draft): boolean {
  return namesIn(draft).size > 0 || findReferencedNames(draft.hop.url.host).length > 0;
}

/** The names that a draft refers to, each with the field in which it stands. */
function namesIn({ hop, urlIsOurs }: Draft): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const take = (text: string, field: string) => {
    for (const name of findReferencedNames(text)) if (!names.has(name)) names.set(name, field);
  };
  if (urlIsOurs) take(hop.url.pathname + hop.url.search, "url");
  for (const [, value] of hop.headers) take(value, "headers");
  take(textOf(hop.body) ?? "", "body");
  return names;
}

/**
 * The hop with its values. `opened`: by the operator's allow list, also without TLS. Fails with `not_found` for an unknown
 * name, and with `blocked_by_policy` for a secret that this user may not use, or that is bound to other hosts or methods.
 */
export function fillSecrets(draft: Draft, secrets: readonly TenantSecret[], opened: boolean): Result<Hop> {
  const { hop, urlIsOurs } = draft;
  // Every resolver on the way sees a name that is looked up.
  if (findReferencedNames(hop.url.host).length > 0)
    return refuse(
      "invalid_input",
      "A secret can stand in the path and the query of a URL, and not in its host.",
      "url",
    );
  const values = new Map<string, string>();
  for (const [name, field] of namesIn(draft)) {
    const value = valueFor(name, field, hop, secrets, opened);
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
    if (filled === null) return tooLong("headers", MAX_HEADER_CHARACTERS);
    if (!isHeaderValue(filled))
      return refuse("invalid_input", `A secret has characters that the header ${name} cannot hold.`, "headers");
    headers.push([name, filled]);
    left -= filled.length;
  }
  const { pathname, search, origin } = hop.url;
  const place = urlIsOurs ? fill(pathname + search, "url", MAX_URL_CHARACTERS - origin.length) : "";
  if (place === null) return tooLong("url", MAX_URL_CHARACTERS);
  const text = textOf(hop.body);
  const filled = text === null ? "" : fill(text, placeInBody(hop.headers), MAX_BODY_CHARACTERS);
  if (filled === null) return tooLong("body", MAX_BODY_CHARACTERS);
  const url = urlIsOurs ? new URL(origin + place) : hop.url;
  return ok({ ...hop, url, headers, body: text === null ? hop.body : new TextEncoder().encode(filled) });
}

function tooLong(field: string, most: number): Result<never> {
  return refuse("too_large", `With its secrets filled in, ${field} has more than ${most} characters.`, field);
}

function valueFor(
  name: string,
  field: string,
  { url, method }: Hop,
  secrets: readonly TenantSecret[],
  opened: boolean,
): Result<string> {
  const value = boundValue(name, field, { url, method }, secrets);
  if (value.ok && url.protocol !== "https:" && !opened)
    return refuse(
      "blocked_by_policy",
      `The secret ${name} goes to ${url.host} by https only. Nothing was sent.`,
      field,
    );
  return value;
}

/** The destination of a value. `method` is null outside HTTP (SSH, a program's environment). */
export interface SecretPlace {
  readonly url: URL;
  readonly method: string | null;
}

/**
 * Returns a secret's value if its user may use it and it is bound to this destination. `field` names the argument that
 * refers to it. Fails with `not_found`, `blocked_by_policy` (user, host or method) or `not_available`, each before anything
 * is sent.
 */
export function boundValue(
  name: string,
  field: string,
  { url, method }: SecretPlace,
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
    return refuse("not_available", `The secret ${name} cannot be opened any more. Set it again.`, field);
  return ok(secret.value);
}

/** How a value is written in the body, by its content type. */
function placeInBody(headers: Hop["headers"]): ReferencePlace {
  const value = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  const type = value.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "application/json" || type.endsWith("+json")) return "json";
  return type === "application/x-www-form-urlencoded" ? "form" : "text";
}

/** A body that is no UTF-8 holds no references. */
function textOf(body: Uint8Array | null): string | null {
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
