/**
 * Fills the credential of a call's account into a request, after its destination was decided. It goes to the app's own
 * hosts only, by https, in the only header (or field of the query) that the app names. An app that answers 401 gets the
 * request again with a renewed credential, once: 401 says that it did not do the request.
 */
import { asNotSent, notSent, ok, type Result } from "../../core/base/errors.ts";
import { fromBase64 } from "../../core/base/base64.ts";
import type { Account } from "../../core/connections/account.ts";
import type { Bearer } from "../../core/connections/tokens.ts";
import type { ConnectionsPort } from "../../core/ports/connections.ts";
import { MAX_VALUE_BYTES } from "../../core/secrets/tenant-secret.ts";
import { CONNECTION_NAME, CONNECTION_REFERENCE, refersToConnection } from "../../core/web/connection-reference.ts";
import { isHeaderValue } from "../../core/web/headers.ts";
import { MAX_URL_CHARACTERS } from "./address.ts";
import type { Draft } from "./fill-secrets.ts";
import type { WebHop } from "./redirect.ts";
import type { BoundValue, SecretBook } from "./secret-book.ts";

/** Gives credentials, and expires connections that an app refused. */
export type AccountCredentials = Pick<ConnectionsPort, "bearer" | "refused">;

/** The account of one request with its redirects. */
export interface RequestAccount {
  /**
   * Returns the request with the credential, if it refers to it. `opened`: the operator allowed the destination, also
   * without TLS.
   */
  fill(draft: Draft, opened: boolean): Promise<Result<WebHop>>;
  /**
   * After the app answered 401 to a request with the credential: succeeds if the request can be sent once more, and
   * fails with the cause `connection_ended` if it was sent twice.
   */
  renew(): Promise<Result<void>>;
}

/** `book` removes every credential that was used from what comes back. */
export function openRequestAccount(
  account: Account | undefined,
  credentials: AccountCredentials | null,
  book: Pick<SecretBook, "add">,
): RequestAccount {
  let bearer: Bearer | null = null;
  let hasRenewed = false;

  async function read(given: Account, renew?: { readonly refused: string }): Promise<Result<Bearer>> {
    if (credentials === null) return NO_ACCOUNTS;
    const got = await credentials.bearer(given, renew);
    if (!got.ok) return asNotSent(got.error);
    bearer = got.value;
    book.add(listValues(got.value));
    return got;
  }

  return {
    async fill(draft, opened) {
      if (!needsConnection(draft)) return ok(draft.hop);
      if (account === undefined) return NO_ACCOUNT;
      const known = bearer === null ? await read(account) : ok(bearer);
      return known.ok ? fillConnection(draft, known.value, opened) : known;
    },

    async renew() {
      if (account === undefined || bearer === null || credentials === null) return NO_ACCOUNT;
      if (hasRenewed) {
        await credentials.refused(account);
        return failRefused(account);
      }
      hasRenewed = true;
      const renewed = await read(account, { refused: bearer.value });
      return renewed.ok ? ok(undefined) : renewed;
    },
  };
}

/** True if the draft refers to the credential; in its URL only if the caller wrote the URL, rather than a redirect. */
export function needsConnection({ hop, urlIsOurs }: Draft): boolean {
  return (
    hop.headers.some(([, value]) => refersToConnection(value)) || (urlIsOurs && refersToConnection(toText(hop.url)))
  );
}

/** The text of a URL. Braces are percent-encoded in its path, but not in its query. */
function toText({ pathname, search }: URL): string {
  return pathname.replace(/%7B%7Bconnection%7D%7D/gi, CONNECTION_REFERENCE) + search;
}

/** Returns the request with the credential. `blocked_by_policy` for a place that the app does not name. */
export function fillConnection({ hop, urlIsOurs }: Draft, bearer: Bearer, opened: boolean): Result<WebHop> {
  const { url } = hop;
  const { hosts, header, value } = bearer;
  if (!hosts.includes(url.host)) return refuse(`The account may only be used with ${hosts.join(", ")}.`, "url");
  if (url.protocol !== "https:" && !opened)
    return refuse(`The account is sent to ${url.host} by https only. Nothing was sent.`, "url");
  const headers: [string, string][] = [];
  for (const [name, given] of hop.headers) {
    if (refersToConnection(given) && name.toLowerCase() !== header) return refuse(describePlace(header), "headers");
    const filled = given.replaceAll(CONNECTION_REFERENCE, () => value);
    if (!isHeaderValue(filled))
      return notSent("invalid_input", `The account's credential has characters that the header ${name} cannot hold.`, {
        field: "headers",
      });
    headers.push([name, filled]);
  }
  if (!urlIsOurs || !refersToConnection(toText(url))) return ok({ ...hop, headers });
  const filled = fillQuery(url, bearer);
  return filled.ok ? ok({ ...hop, url: filled.value, headers }) : filled;
}

/** Fills the one field of the query that holds a key. */
function fillQuery(url: URL, { header, value }: Bearer): Result<URL> {
  if (!header.startsWith("?")) return refuse(describePlace(header), "url");
  const field = `${encodeURIComponent(header.slice(1))}=`;
  const search = url.search
    .slice(1)
    .split("&")
    .map((part) => (part === `${field}${CONNECTION_REFERENCE}` ? `${field}${encodeURIComponent(value)}` : part))
    .join("&");
  const filled = new URL(`${url.origin}${url.pathname}?${search}`);
  if (refersToConnection(toText(filled))) return refuse(describePlace(header), "url");
  if (filled.href.length > MAX_URL_CHARACTERS)
    return notSent("too_large", `With the account's key, url has more than ${MAX_URL_CHARACTERS} characters.`, {
      field: "url",
    });
  return ok(filled);
}

function describePlace(header: string): string {
  return header.startsWith("?")
    ? `The account may only be used in the field ${header.slice(1)} of the query.`
    : `The account may only be used in the header ${header}.`;
}

/**
 * What is taken out of replies: the credential, in pieces if it is longer than a secret may be, and what the base64 of
 * basic authentication contains.
 */
function listValues({ value, hosts }: Bearer): BoundValue[] {
  const values = [value, ...listBasicParts(value)].flatMap(splitLong);
  return values.map((one) => ({ name: CONNECTION_NAME, value: one, hosts }));
}

/** A shorter password would be found in any text. */
const MIN_PASSWORD = 8;

/** `name:password` and the password; nothing for another credential. */
function listBasicParts(value: string): string[] {
  if (!/^[A-Za-z0-9+/]{4,}={0,2}$/.test(value) || value.length % 4 !== 0) return [];
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fromBase64(value));
    const [, password = ""] = /^[^:\p{Cc}]*:(\P{Cc}+)$/u.exec(text) ?? [];
    return password.length < MIN_PASSWORD ? [] : [text, password];
  } catch {
    return [];
  }
}

/** Overlapping pieces that cover the value. */
function splitLong(value: string): string[] {
  const size = MAX_VALUE_BYTES / 4;
  if (value.length <= size) return [value];
  const starts = Array.from({ length: Math.ceil(value.length / size) }, (_, index) =>
    Math.min(index * size, value.length - size),
  );
  return starts.map((start) => value.slice(start, start + size));
}

const NO_ACCOUNT = notSent(
  "blocked_by_policy",
  `${CONNECTION_REFERENCE} stands for the account of a call, and this request has none. Nothing was sent.`,
  { field: "headers" },
);

const NO_ACCOUNTS = notSent("not_available", "Accounts of apps cannot be used here. Nothing was sent.");

function failRefused({ app, connection }: Account): Result<never> {
  const message = `${app} refused this account, also after its access was renewed. Its owner has to connect it again.`;
  return notSent("permission_denied", message, { cause: { kind: "connection_ended", connection } });
}

function refuse(message: string, field: string): Result<never> {
  return notSent("blocked_by_policy", message, { field });
}
