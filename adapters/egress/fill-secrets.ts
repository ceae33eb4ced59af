/**
 * Fills a request's references to secrets in, when it has been decided where the request goes. Nothing before that has a
 * value: the model, the ledger, the hashes and the messages have the references.
 */
import { failed, ok, type Result } from "../../core/errors.ts";
import { hostIsListed } from "../../core/host-pattern.ts";
import type { TenantSecret } from "../../core/ports.ts";
import { isHeaderValue } from "../../core/web/headers.ts";
import { fillReferences, type ReferencePlace, referencedNames } from "../../core/web/secret-references.ts";
import type { Hop } from "./redirect.ts";

/** A hop that may hold references; in its URL only when the caller wrote that: a redirect's is its server's. */
export interface Draft {
  readonly hop: Hop;
  readonly urlIsOurs: boolean;
}

/** True when the draft refers to a secret anywhere. */
export function refersToSecrets(draft: Draft): boolean {
  return namesIn(draft).size > 0 || referencedNames(draft.hop.url.host).length > 0;
}

/** The names that a draft refers to, each with the field in which it stands. */
function namesIn({ hop, urlIsOurs }: Draft): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const take = (text: string, field: string) => {
    for (const name of referencedNames(text)) if (!names.has(name)) names.set(name, field);
  };
  if (urlIsOurs) take(hop.url.pathname + hop.url.search, "url");
  for (const [, value] of hop.headers) take(value, "headers");
  take(textOf(hop.body) ?? "", "body");
  return names;
}

/**
 * The hop with its values. `opened`: by the operator's allow list, also without TLS. Fails with `not_found` for a name
 * that nobody has, and with `blocked_by_policy` for a secret that is not bound to this host.
 */
export function fillSecrets(draft: Draft, secrets: readonly TenantSecret[], opened: boolean): Result<Hop> {
  const { hop, urlIsOurs } = draft;
  // Every resolver on the way sees a name that is looked up.
  if (referencedNames(hop.url.host).length > 0)
    return refuse(
      "invalid_input",
      "A secret can stand in the path and the query of a URL, and not in its host.",
      "url",
    );
  const values = new Map<string, string>();
  for (const [name, field] of namesIn(draft)) {
    const value = valueFor(name, field, hop.url, secrets, opened);
    if (!value.ok) return value;
    values.set(name, value.value);
  }
  if (values.size === 0) return ok(hop);
  const fill = (text: string, place: ReferencePlace) => fillReferences(text, place, (name) => values.get(name) ?? "");
  const headers = hop.headers.map(([name, value]) => [name, fill(value, "header")] as const);
  const unfit = headers.find(([, value]) => !isHeaderValue(value));
  if (unfit !== undefined)
    return refuse("invalid_input", `A secret has characters that the header ${unfit[0]} cannot hold.`, "headers");
  const { pathname, search, origin } = hop.url;
  const url = urlIsOurs ? new URL(origin + fill(pathname, "url") + fill(search, "url")) : hop.url;
  const text = textOf(hop.body);
  const body = text === null ? hop.body : new TextEncoder().encode(fill(text, placeInBody(hop.headers)));
  return ok({ ...hop, url, headers, body });
}

function valueFor(
  name: string,
  field: string,
  url: URL,
  secrets: readonly TenantSecret[],
  opened: boolean,
): Result<string> {
  const secret = secrets.find((one) => one.name === name);
  if (secret === undefined) return refuse("not_found", `There is no secret named ${name}. Nothing was sent.`, field);
  if (!hostIsListed(url, secret.hosts))
    return refuse(
      "blocked_by_policy",
      `The secret ${name} is not bound to ${url.host}. Nothing was sent there.`,
      field,
    );
  if (url.protocol !== "https:" && !opened)
    return refuse(
      "blocked_by_policy",
      `The secret ${name} goes to ${url.host} by https only. Nothing was sent.`,
      field,
    );
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
  code: "invalid_input" | "not_found" | "blocked_by_policy" | "not_available",
  message: string,
  field: string,
) {
  return failed(code, message, { field, details: { sent: false } });
}
