/**
 * Fills the arguments of a call into a tenant's request. A model's value remains inside the field that the tenant
 * defined: it chooses neither host nor header names, leaves no path, and refers to no secret and no account.
 */
import { getOwn } from "../base/own-field.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { isSafeMethod } from "../web/http-method.ts";
import type { ArgumentPlace, HttpTemplate } from "../tool/source.ts";
import { isHeaderValue } from "../web/headers.ts";

/** A complete request. */
export interface FilledRequest {
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | null;
}

type Arguments = Readonly<Record<string, unknown>>;

/** The most characters of a URL. */
const MAX_URL_CHARACTERS = 8_192;
const PLACEHOLDER = /\{([^{}/?#]{1,200})\}/g;
/** The start of a reference to a secret, or one to the call's account, as plain text or percent-encoded. */
const REFERENCE = /(?:\{\{|%7B%7B)(?:[ \t+]|%20)*(?:secret\.|connection(?:[ \t+]|%20)*(?:\}\}|%7D%7D))/gi;

/** Returns the placeholders of a URL, which arguments fill. References to secrets are not placeholders. */
export function listPlaceholders(url: string): string[] {
  return Array.from(removeReferences(url).matchAll(PLACEHOLDER), ([, name = ""]) => name);
}

/** Removes the references to secrets from a URL. */
export function removeReferences(url: string): string {
  return url.replace(/\{\{[^{}]*\}\}/g, "");
}

/** Returns the query parameters that the URL itself sets, which no argument may set. */
export function listFixedParameters(url: string): ReadonlySet<string> {
  return new Set(new URLSearchParams(url.split(/\?(.*)/s)[1] ?? "").keys());
}

/** Returns the part of the request that an argument fills. */
export function getPlace(template: HttpTemplate, argument: string): ArgumentPlace {
  const known = getOwn(template.places, argument);
  if (known !== undefined) return known;
  if (listPlaceholders(template.url).includes(argument)) return { in: "path", name: argument };
  const { method } = template;
  return { in: isSafeMethod(method) || method === "DELETE" ? "query" : "body", name: argument };
}

/** Fills a template. `invalid_input` and `blocked_by_policy` name the invalid argument. */
export function fillTemplate(template: HttpTemplate, given: Arguments): Result<FilledRequest> {
  const path = new Map<string, string>();
  const query: [string, string][] = [];
  const fixed = listFixedParameters(template.url);
  const headers = new Map(Object.entries(template.headers));
  const members = new Map<string, unknown>();
  let payload: { readonly value: unknown } | null = null;
  for (const [argument, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    const place = getPlace(template, argument);
    if ([argument, value].some(refersToSecret))
      return refuse(argument, "an argument may not refer to a secret or an account", "blocked_by_policy");
    switch (place.in) {
      case "path": {
        const fault = findPathFault(value);
        if (fault !== null) return refuse(argument, fault);
        path.set(place.name, encodeSegment(toText(value)));
        break;
      }
      case "query":
        if (fixed.has(place.name)) return refuse(argument, "is a fixed part of the address", "blocked_by_policy");
        for (const one of Array.isArray(value) ? value : [value]) query.push([place.name, toText(one)]);
        break;
      case "header": {
        const text = toText(value);
        if (!isHeaderValue(text)) return refuse(argument, "holds characters that no header can");
        headers.set(place.name.toLowerCase(), text.trim());
        break;
      }
      case "body":
        members.set(place.name, value);
        break;
      case "payload":
        payload = { value };
        break;
    }
  }
  const url = fillUrl(template.url, path, query);
  if (!url.ok) return url;
  const body = createBody(template, payload, members);
  if (body !== null && !headers.has("content-type")) headers.set("content-type", template.contentType);
  return ok({ url: url.value, headers: [...headers], body });
}

function fillUrl(template: string, path: ReadonlyMap<string, string>, query: [string, string][]): Result<string> {
  const missing = listPlaceholders(template).find((name) => !path.has(name));
  if (missing !== undefined) return refuse(missing, "is a part of the address and is missing");
  const filled = template.replace(/\{\{[^{}]*\}\}|\{([^{}/?#]{1,200})\}/g, (whole, name: string | undefined) =>
    name === undefined ? whole : (path.get(name) ?? whole),
  );
  // Adjacent values must not form a reference together.
  if (countReferences(filled) !== countReferences(template))
    return failed("blocked_by_policy", "Arguments may not refer to a secret or an account.", { field: "arguments" });
  const parameters = new URLSearchParams(query).toString();
  const url = parameters === "" ? filled : `${filled}${filled.includes("?") ? "&" : "?"}${parameters}`;
  if (url.length > MAX_URL_CHARACTERS)
    return failed("too_large", `The address is over ${MAX_URL_CHARACTERS} characters.`, { field: "arguments" });
  return ok(url);
}

function createBody(
  { method, contentType }: HttpTemplate,
  payload: { readonly value: unknown } | null,
  members: ReadonlyMap<string, unknown>,
): string | null {
  if (isSafeMethod(method)) return null;
  if (payload !== null)
    return typeof payload.value === "string" && contentType !== "application/json"
      ? payload.value
      : JSON.stringify(payload.value);
  if (members.size === 0) return method === "DELETE" || contentType !== "application/json" ? null : "{}";
  if (contentType === "application/json") return JSON.stringify(Object.fromEntries(members));
  const form = Array.from(members).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, toText(one)]),
  );
  return new URLSearchParams(form).toString();
}

/** Returns why a value cannot be part of a path, after the argument's name; null if it can. */
function findPathFault(value: unknown): string | null {
  if (typeof value === "object") return "has to be one value: it is a part of the address";
  const text = toText(value);
  if (text === "") return "must not be empty: it is a part of the address";
  if (hasControls(text)) return "holds control characters";
  return text.split(/[/\\]/).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
    ? "must not hold . or .. as a segment"
    : null;
}

/** Encodes everything outside RFC 3986's `unreserved`, including what `encodeURIComponent` skips. */
function encodeSegment(text: string): string {
  const encoded = encodeURIComponent(text.isWellFormed() ? text : text.toWellFormed());
  return encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** True when any text inside a value refers to a secret. The schema's check bounds its depth. */
function refersToSecret(value: unknown): boolean {
  return countReferences(toText(value)) > 0;
}

function countReferences(text: string): number {
  return text.match(REFERENCE)?.length ?? 0;
}

export function hasControls(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}

function refuse(argument: string, why: string, code: "invalid_input" | "blocked_by_policy" = "invalid_input") {
  return failed(code, `${argument}: ${why}`, { field: argument });
}
